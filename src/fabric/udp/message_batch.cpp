#include "fabric/udp/message_batch.hpp"

#include <netinet/udp.h>

#include <algorithm>
#include <cstring>

namespace aqueduct::fabric::udp {

void MessageBatch::fill(std::span<const Burst> bursts, Position from, const Limits& limits) {
  count_ = 0;
  parts_ = 0;
  while (from.burst < bursts.size()) {
    const Burst& burst = bursts[from.burst];
    while (from.part < burst.parts.size() && burst.parts[from.part].iov_len == from.part_offset) {
      ++from.part;
      from.part_offset = 0;
    }
    if (from.part == burst.parts.size()) {
      from = {from.burst + 1, 0, 0, 0};
      if (count_ != 0) messages_used_[count_ - 1].end = from;
      continue;
    }
    if (!add(burst, from, limits)) return;
  }
}

// Datagrams that lie one behind the other are one part: the kernel copies each part by itself.
void MessageBatch::append(std::size_t first_part, const iovec& part) {
  if (parts_ != first_part) {
    iovec& last = iovecs_[parts_ - 1];
    if (static_cast<std::byte*>(last.iov_base) + last.iov_len == part.iov_base) {
      last.iov_len += part.iov_len;
      return;
    }
  }
  iovecs_[parts_++] = part;
}

bool MessageBatch::add(const Burst& burst, Position& position, const Limits& limits) {
  if (count_ == kMostMessages) return false;
  const bool is_single = position.is_before(limits.singly_before);
  const unsigned most = is_single ? 1 : std::min(limits.datagrams, kMostDatagrams);
  const std::size_t first_part = parts_;
  std::size_t bytes = 0;
  unsigned datagrams = 0;
  Position here = position;
  while (datagrams < most && (datagrams == 0 || bytes + burst.datagram_bytes <= limits.bytes)) {
    const Position before = here;
    const std::size_t parts_before = parts_;
    const std::size_t last_before = parts_ != first_part ? iovecs_[parts_ - 1].iov_len : 0;
    // Whole ones that lie in this part go at once.
    const std::size_t in_part =
        here.part < burst.parts.size()
            ? (burst.parts[here.part].iov_len - here.part_offset) / burst.datagram_bytes
            : 0;
    const std::size_t in_limit = limits.bytes > bytes ? (limits.bytes - bytes) / burst.datagram_bytes : 0;
    const auto now = static_cast<unsigned>(
        std::max<std::size_t>(1, std::min({in_part, in_limit, std::size_t{most - datagrams}})));
    const std::size_t wanted = now * burst.datagram_bytes;
    std::size_t missing = wanted;
    while (missing != 0 && here.part < burst.parts.size() && parts_ < kMostPartsHere) {
      const iovec& part = burst.parts[here.part];
      const std::size_t taken = std::min(missing, part.iov_len - here.part_offset);
      if (taken != 0) append(first_part, {static_cast<std::byte*>(part.iov_base) + here.part_offset, taken});
      missing -= taken;
      here.part_offset += taken;
      here.offset += taken;
      if (here.part_offset != part.iov_len) continue;
      ++here.part;
      here.part_offset = 0;
    }
    const bool is_last = here.part == burst.parts.size();
    if (missing != 0 && !is_last) {  // no room for more parts: up to the last whole datagram
      here = before;
      parts_ = parts_before;
      if (parts_ != first_part) iovecs_[parts_ - 1].iov_len = last_before;
      break;
    }
    if (missing == wanted) break;
    bytes += wanted - missing;
    datagrams += now;
    if (is_last) break;
  }
  if (datagrams == 0) return false;

  Used& used = messages_used_[count_];
  used.end = position = here;
  used.datagrams = datagrams;
  msghdr& header = messages_[count_].msg_hdr;
  header = {};
  if (limits.says_target) {
    header.msg_name = &used.to;
    header.msg_namelen = net::to_system(burst.to, used.to);
  }
  header.msg_iov = &iovecs_[first_part];
  header.msg_iovlen = parts_ - first_part;
  ++count_;
  if (datagrams == 1) return true;
  header.msg_control = used.control;
  header.msg_controllen = sizeof used.control;
  cmsghdr* const control = CMSG_FIRSTHDR(&header);
  control->cmsg_level = SOL_UDP;
  control->cmsg_type = UDP_SEGMENT;
  control->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
  const auto segment = static_cast<std::uint16_t>(burst.datagram_bytes);
  std::memcpy(CMSG_DATA(control), &segment, sizeof segment);
  return true;
}

}  // namespace aqueduct::fabric::udp
