#include "sim/process/streams.hpp"

#include "base/fatal.hpp"

namespace aqueduct::sim::process {

Streams::Streams(RankId rank, bool tagged) {
  if (tagged) prefix_ = "[" + std::to_string(rank) + "] ";
  out_.open(stdout, prefix_, "w");
  err_.open(stderr, prefix_, "w");
  std::setvbuf(out_.file, buffer_.data(), _IOLBF, buffer_.size());
  std::setvbuf(err_.file, nullptr, _IONBF, 0);
  // As `aqueduct run` has it: the first rank reads what the user types.
  static std::FILE* const nothing = std::fopen("/dev/null", "r");
  in_ = rank == 0 || !nothing ? stdin : nothing;
}

Streams::~Streams() {
  std::fclose(out_.file);
  std::fclose(err_.file);
}

void Streams::finish() {
  std::fflush(out_.file);
  out_.finish();
  err_.finish();
}

void Streams::Output::open(std::FILE* where, const std::string& tag, const char* mode) {
  target = where;
  prefix = &tag;
  file = ::fopencookie(this, mode, {.read = nullptr, .write = take, .seek = nullptr, .close = nullptr});
  if (!file) fatal("simulation", "no memory for the streams of another rank");
}

ssize_t Streams::Output::take(void* cookie, const char* text, std::size_t bytes) {
  static_cast<Output*>(cookie)->append({text, bytes});
  return static_cast<ssize_t>(bytes);
}

void Streams::Output::append(std::string_view text) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    if (end == std::string_view::npos) {
      line.append(text.substr(start));
      return;
    }
    line.append(text.substr(start, end + 1 - start));
    if (!prefix->empty()) std::fwrite(prefix->data(), 1, prefix->size(), target);
    std::fwrite(line.data(), 1, line.size(), target);
    line.clear();
    start = end + 1;
  }
}

void Streams::Output::finish() {
  if (!line.empty()) append("\n");
}

}  // namespace aqueduct::sim::process
