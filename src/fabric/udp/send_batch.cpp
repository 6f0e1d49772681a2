#include "fabric/udp/send_batch.hpp"

#include <cstring>

namespace aqueduct::fabric::udp {
namespace {

/// Parts that are gathered; with more, copying them together is cheaper.
constexpr std::size_t kMostGathered = 16;

}  // namespace

void SendBatch::gather(const BuiltDatagram& built) {
  std::byte* const begin = room();
  used_ += round_up(built.bytes, 8);
  parts_.push_back({begin, built.bytes});
  std::size_t count = 0;
  for_each_part(built.pieces, built.part, [&](std::byte*, std::size_t) { ++count; });
  if (count <= kMostGathered) {
    for_each_part(built.pieces, built.part, [&](std::byte* here, std::size_t bytes) {
      parts_.push_back({here, bytes});
    });
    return;
  }
  parts_.back().iov_len = built.whole_bytes();
  std::byte* to = begin + built.bytes;
  for_each_part(built.pieces, built.part, [&](std::byte* here, std::size_t bytes) {
    std::memcpy(to, here, bytes);
    to += bytes;
  });
  used_ = static_cast<std::size_t>(begin - arena_.get()) + round_up(built.whole_bytes(), 8);
}

void SendBatch::add(const net::Address& to, const PacketName& name, const BuiltDatagram& built) {
  const std::size_t first = parts_.size();
  std::size_t bytes = built.whole_bytes();
  if (!seal_) {
    gather(built);
  } else {
    std::byte* const begin = room();
    std::byte* end = begin + built.bytes;
    for_each_part(built.pieces, built.part, [&](std::byte* here, std::size_t part) {
      std::memcpy(end, here, part);
      end += part;
    });
    bytes += seal_->tag_bytes();
    seal_->seal(name, {begin, bytes}, kPacketHeadBytes);
    parts_.push_back({begin, bytes});
    used_ += round_up(bytes, 8);
  }
  ++datagrams_;
  Burst* const last = bursts_.empty() ? nullptr : &bursts_.back();
  const bool joins =
      last && last->to == to && last_bytes_ == last->datagram_bytes && bytes <= last->datagram_bytes;
  last_bytes_ = bytes;
  if (joins) return;
  bursts_.push_back({to, {}, bytes});
  first_parts_.push_back(first);
}

bool SendBatch::flush(DatagramSocket& socket) {
  for (std::size_t i = sent_bursts_; i < bursts_.size(); ++i) {
    const std::size_t end = i + 1 < bursts_.size() ? first_parts_[i + 1] : parts_.size();
    bursts_[i].parts = {parts_.data() + first_parts_[i], end - first_parts_[i]};
  }
  sent_bursts_ += socket.send(std::span<const Burst>(bursts_).subspan(sent_bursts_));
  if (sent_bursts_ < bursts_.size()) return false;
  clear();
  return true;
}

void SendBatch::clear() {
  used_ = 0;
  datagrams_ = 0;
  sent_bursts_ = 0;
  last_bytes_ = 0;
  parts_.clear();
  bursts_.clear();
  first_parts_.clear();
}

}  // namespace aqueduct::fabric::udp
