#include "job/messages/frames.hpp"

namespace aqueduct::job {
namespace {

constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kNumberBytes = 1;

}  // namespace

WipedText make_frame(std::uint8_t number, const WipedText& fields) {
  WipedText frame;
  FieldWriter header(frame);
  header(static_cast<std::uint32_t>(fields.size() + kNumberBytes), number);
  return frame + fields;
}

bool FrameReader::next(const std::function<bool(std::uint8_t, std::string_view)>& decode) {
  const std::string_view rest = std::string_view(buffer_).substr(begin_);
  std::uint32_t length = 0;
  FieldReader header(rest);
  header(length);
  if (is_broken_ || !header.is_good()) return false;
  if (length < kNumberBytes || length > kLongestFrame) {
    is_broken_ = true;
    return false;
  }
  if (rest.size() < kLengthBytes + length) return false;
  const std::string_view frame = rest.substr(kLengthBytes, length);
  is_broken_ = !decode(static_cast<std::uint8_t>(frame[0]), frame.substr(kNumberBytes));
  wipe(buffer_.data() + begin_, kLengthBytes + length);
  begin_ += kLengthBytes + length;
  if (begin_ == buffer_.size()) {
    buffer_.clear();
    begin_ = 0;
  } else if (begin_ > buffer_.size() / 2) {
    buffer_ = WipedText(buffer_, begin_);  // erase() would leave a copy of the moved bytes
    begin_ = 0;
  }
  return !is_broken_;
}

}  // namespace aqueduct::job
