#include "fabric/udp/send_batch.hpp"

#include <cstring>

namespace aqueduct::fabric::udp {

SendBatch::Parts SendBatch::put_together(const PacketName& name, const BuiltDatagram& built) {
  std::byte* const begin = room();
  const std::size_t tag_bytes = seal_ ? seal_->tag_bytes() : 0;
  std::size_t here_bytes = built.bytes;
  Parts parts;
  parts.add(begin, here_bytes);
  std::size_t pieces = 0;
  for_each_part(built.pieces, built.part, [&](std::byte* there, std::size_t bytes) {
    if (++pieces <= Parts::kMostGathered) parts.add(there, bytes);
  });
  const bool is_small = built.part.size() <= kSmallPart && (!seal_ || seal_->takes_parts());
  if (is_small || pieces > Parts::kMostGathered) {
    for_each_part(built.pieces, built.part, [&](std::byte* there, std::size_t bytes) {
      std::memcpy(begin + here_bytes, there, bytes);
      here_bytes += bytes;
    });
    pieces = 0;
  }
  if (seal_ && pieces != 0 && !seal_->takes_parts()) {
    const std::size_t bytes = built.whole_bytes() + tag_bytes;
    seal_->copy_and_seal(name, {begin, bytes}, kPacketHeadBytes, here_bytes, parts.all().subspan(1));
    pieces = 0;
    here_bytes = built.whole_bytes();
  } else if (seal_ && pieces != 0) {
    seal_->seal_parts(name, parts.all(),
                      std::span<std::byte, Seal::kTagBytes>(begin + here_bytes, tag_bytes));
    parts.add(begin + here_bytes, tag_bytes);
  } else if (seal_) {
    seal_->seal(name, {begin, here_bytes + tag_bytes}, kPacketHeadBytes);
  }
  if (pieces == 0) {
    parts.count = 0;
    parts.add(begin, here_bytes + tag_bytes);
  }
  used_ += round_up(here_bytes + tag_bytes, 8);
  return parts;
}

void SendBatch::add(const net::Address& to, const PacketName& name, const BuiltDatagram& built) {
  const std::size_t bytes = built.whole_bytes() + (seal_ ? seal_->tag_bytes() : 0);
  const Parts parts = put_together(name, built);
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
