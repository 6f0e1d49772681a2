// A simulated interface keeps a record of each header until its library has handled it: the header, and a
// payload that came in the same packet. `Deposit` is the library's type for the place of a payload.
//
// Records are reused and do not move.
#pragma once
#include <array>
#include <cstddef>
#include <cstring>
#include <deque>
#include <span>

#include "base/fatal.hpp"
#include "fabric/fabric.hpp"

namespace aqueduct::nic {

/// A header packet carries at most so many bytes beside the header.
inline constexpr std::size_t kMostInline = 64;

template <class Deposit>
struct ArrivalRecord {
  fabric::NodeId source = 0;
  std::uint64_t arrival = 0;  ///< its name at the port
  std::size_t payload_bytes = 0;
  std::size_t header_bytes = 0;
  bool complete = false;          ///< the whole payload is in `inline_payload`, or there is none
  Deposit* deposit = nullptr;     ///< where the library wants it
  ArrivalRecord* next = nullptr;  ///< while unused
  std::array<std::byte, fabric::kMaxHeader> header;
  std::array<std::byte, kMostInline> inline_payload;

  /// Converts it to the library's struct of source, header and payload_bytes.
  template <class Incoming>
  Incoming as() const {
    return {.source = source, .header = {header.data(), header_bytes}, .payload_bytes = payload_bytes};
  }
};

template <class Deposit>
class ArrivalRecords {
 public:
  using Record = ArrivalRecord<Deposit>;

  Record& keep(fabric::NodeId source, std::span<const std::byte> header) {
    Record& record = take();
    record.source = source;
    record.header_bytes = header.size();
    std::memcpy(record.header.data(), header.data(), header.size());
    return record;
  }

  Record& keep(const fabric::Arrival& arrival) {
    Record& record = keep(arrival.source, arrival.header);
    record.arrival = arrival.id;
    record.payload_bytes = arrival.payload_bytes;
    record.complete = arrival.inline_payload != nullptr || arrival.payload_bytes == 0;
    record.deposit = nullptr;
    if (arrival.inline_payload != nullptr) {
      must(arrival.payload_bytes <= kMostInline);
      std::memcpy(record.inline_payload.data(), arrival.inline_payload, arrival.payload_bytes);
    }
    return record;
  }

  void give_back(Record& record) {
    record.next = free_;
    free_ = &record;
  }

 private:
  static void must(bool fits) {
    if (!fits) fatal("simulation", "inline_bytes of this network is more than %zu", kMostInline);
  }

  Record& take() {
    if (free_ == nullptr) return all_.emplace_back();
    Record& record = *free_;
    free_ = record.next;
    return record;
  }

  std::deque<Record> all_;
  Record* free_ = nullptr;
};

}  // namespace aqueduct::nic
