#include "fabric/udp/send_batch.hpp"

#include <algorithm>
#include <cstring>

namespace aqueduct::fabric::udp {
namespace {

/// Where [range) of these pieces lies, if in one piece; else null.
const std::byte* in_one_piece(std::span<const Piece> pieces, const Range& range) {
  std::uint64_t at = 0;
  for (const Piece& piece : pieces) {
    const std::uint64_t end = at + piece.bytes;
    if (range.begin < end)
      return range.end <= end ? static_cast<const std::byte*>(piece.base) + (range.begin - at) : nullptr;
    at = end;
  }
  return nullptr;
}

}  // namespace

SendBatch::Parts SendBatch::put_together(const PacketName& name, const BuiltDatagram& built,
                                         const Range& part) {
  std::byte* const begin = room();
  std::size_t here_bytes = built.bytes;
  Parts parts;
  parts.add(begin, here_bytes);
  std::size_t pieces = 0;
  for_each_part(built.pieces, part, [&](std::byte* there, std::size_t bytes) {
    if (++pieces <= Parts::kMostGathered) parts.add(there, bytes);
  });
  if (copies(static_cast<std::size_t>(part.size())) || pieces > Parts::kMostGathered) {
    for_each_part(built.pieces, part, [&](std::byte* there, std::size_t bytes) {
      std::memcpy(begin + here_bytes, there, bytes);
      here_bytes += bytes;
    });
    pieces = 0;
  }
  if (seal_ && pieces != 0 && !seal_->takes_parts()) {
    const std::size_t bytes = built.whole_bytes() + tag_bytes();
    seal_->copy_and_seal(name, {begin, bytes}, kPacketHeadBytes, here_bytes, parts.all().subspan(1));
    pieces = 0;
    here_bytes = built.whole_bytes();
  } else if (seal_ && pieces != 0) {
    seal_->seal_parts(name, parts.all(),
                      std::span<std::byte, Seal::kTagBytes>(begin + here_bytes, tag_bytes()));
    parts.add(begin + here_bytes, tag_bytes());
  } else if (seal_) {
    seal_->seal(name, {begin, here_bytes + tag_bytes()}, kPacketHeadBytes);
  }
  if (pieces == 0) {
    parts.count = 0;
    parts.add(begin, here_bytes + tag_bytes());
  }
  used_ += here_bytes + tag_bytes();
  return parts;
}

void SendBatch::append(const net::Address& to, const Parts& parts, std::size_t bytes) {
  Burst* const last = bursts_.empty() ? nullptr : &bursts_.back();
  const bool joins = last && last->to.port == to.port && is_same_host(last->to, to) &&
                     last_bytes_ == last->datagram_bytes && bytes <= last->datagram_bytes;
  if (!joins) {
    bursts_.push_back({to, {}, bytes});
    first_parts_.push_back(parts_.size());
  }
  std::span<const iovec> left = parts.all();
  if (joins && static_cast<std::byte*>(parts_.back().iov_base) + parts_.back().iov_len == left[0].iov_base) {
    parts_.back().iov_len += left[0].iov_len;  // behind the tag of the last one
    left = left.subspan(1);
  }
  parts_.insert(parts_.end(), left.begin(), left.end());
  ++datagrams_;
  last_bytes_ = bytes;
  if (seal_) sealed_bytes_ += bytes;
}

void SendBatch::add(const net::Address& to, const PacketName& name, const BuiltDatagram& built) {
  append(to, put_together(name, built, built.part), built.whole_bytes() + tag_bytes());
}

unsigned SendBatch::room_for(std::size_t datagram_bytes) const {
  const std::size_t bytes = datagram_bytes + tag_bytes();
  const auto fits = [&](std::size_t room, std::size_t each) { return 1 + room / each; };
  std::size_t most =
      std::min(kMostDatagrams - datagrams_, fits(kArenaBytes - kLargestDatagram - used_, bytes));
  if (seal_) most = std::min(most, fits(kSealedBytes - kLargestDatagram - sealed_bytes_, bytes));
  return static_cast<unsigned>(
      std::min(most, fits(parts_.capacity() - Burst::kMostParts - parts_.size(), Parts::kMost)));
}

// All of them lie here, one behind the other.
void SendBatch::copy_alike(PacketName name, const BuiltDatagram& first, unsigned count,
                           const std::byte* from) {
  const auto part_bytes = static_cast<std::size_t>(first.part.size());
  const std::size_t whole_bytes = first.bytes + part_bytes + tag_bytes();
  std::byte* to = room();
  for (unsigned i = 0; i != count; ++i) {
    first.write_beginning(to, i);
    std::memcpy(to + first.bytes, from, part_bytes);
    if (seal_) seal_->seal(name, {to, whole_bytes}, kPacketHeadBytes);
    ++name.number;
    from += part_bytes;
    to += whole_bytes;
  }
}

void SendBatch::add_alike(const net::Address& to, PacketName name, const BuiltDatagram& first,
                          unsigned count) {
  const auto part_bytes = static_cast<std::size_t>(first.part.size());
  const std::size_t bytes = first.whole_bytes() + tag_bytes();
  const std::byte* const from =
      in_one_piece(first.pieces, {first.part.begin, first.part.begin + std::uint64_t{count} * part_bytes});
  if (copies(part_bytes) && from) {
    copy_alike(name, first, count, from);
    Parts parts;
    parts.add(room(), count * bytes);
    append(to, parts, bytes);
    used_ += count * bytes;
    datagrams_ += count - 1;
    if (seal_) sealed_bytes_ += (count - 1) * bytes;
    return;
  }
  Range part = first.part;
  for (unsigned i = 0; i != count; ++i) {
    first.write_beginning(room(), i);
    append(to, put_together(name, first, part), bytes);
    ++name.number;
    part = {part.end, part.end + part_bytes};
  }
}

bool SendBatch::flush(DatagramSocket& socket, unsigned lane) {
  for (std::size_t i = sent_bursts_; i < bursts_.size(); ++i) {
    const std::size_t end = i + 1 < bursts_.size() ? first_parts_[i + 1] : parts_.size();
    bursts_[i].parts = {parts_.data() + first_parts_[i], end - first_parts_[i]};
  }
  sent_bursts_ += socket.send(std::span<const Burst>(bursts_).subspan(sent_bursts_), lane);
  if (sent_bursts_ < bursts_.size()) return false;
  clear();
  return true;
}

void SendBatch::moved(const Piece& from, std::byte* to) {
  auto* const begin = static_cast<std::byte*>(from.base);
  for (iovec& part : parts_) {
    auto* const at = static_cast<std::byte*>(part.iov_base);
    if (at >= begin && at < begin + from.bytes) part.iov_base = to + (at - begin);
  }
}

void SendBatch::clear() {
  used_ = 0;
  datagrams_ = 0;
  sealed_bytes_ = 0;
  sent_bursts_ = 0;
  last_bytes_ = 0;
  parts_.clear();
  bursts_.clear();
  first_parts_.clear();
}

}  // namespace aqueduct::fabric::udp
