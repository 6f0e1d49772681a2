// The patterns of the papers' benchmarks (PortalPerf and NetPIPE's Portals module): two sides, one portal
// table entry, one match entry, and descriptors that are made once.
//
//   put                  to and fro; each side waits for the PUT_END of the other's put, then answers.
//                        The time of an operation is half a round trip.
//   acknowledged put     the leading side puts, and waits for the acknowledgement; the other waits for puts
//   get                  the leading side gets, and waits for REPLY_END. The other does nothing.
//   bidirectional put    both put at once, and wait for their SEND pair and for the other's PUT pair
//   bidirectional get    both get at once
//   stream of puts       the leading side puts one after the other without waiting; the time of an operation
//                        is what the receiver needs for each
//   stream of gets       the leading side gets one after the other without waiting
//
//   Exchange exchange(side, Pattern::kPut, 1024);      // on both sides, with the same values
//   double ns = exchange.run(1000);                    // likewise; the leading side's answer counts
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "side.hpp"

namespace aqueduct::bench::portals {

enum class Pattern : std::uint8_t {
  kPut,
  kAcknowledgedPut,
  kGet,
  kBidirectionalPut,
  kBidirectionalGet,
  kPutStream,
  kGetStream
};

const char* name_of(Pattern pattern);
bool is_stream(Pattern pattern);
/// Bytes that one operation of the pattern moves: the bidirectional ones count both directions.
std::size_t counted_bytes(Pattern pattern, std::size_t bytes);

class Exchange {
 public:
  /// Collective. Makes what the pattern needs for messages of `bytes`. Throws Failed.
  Exchange(const Side& side, Pattern pattern, std::size_t bytes);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Collective. Repeats the operation `count` times after a short warm-up; returns nanoseconds per
  /// operation. Throws Failed.
  double run(std::uint64_t count);

  /// The number of all operations so far, timed or not.
  std::uint64_t operations() const { return operations_; }

  /// Whether the last arrival has the bytes that the peer sent; true if nothing arrives.
  bool intact() const;

 private:
  void attach();
  void put(ptl_ack_req_t acknowledge = PTL_NO_ACK_REQ);
  void get();
  /// Waits until `kind` has happened `times` times since the exchange was made.
  void await(ptl_event_kind_t kind, std::uint64_t times);

  void ping_pong(std::uint64_t count);
  void acknowledged_puts(std::uint64_t count);
  void gets(std::uint64_t count);
  void both_put(std::uint64_t count);
  void put_stream(std::uint64_t count);
  void get_stream(std::uint64_t count);
  void repeat(std::uint64_t count);
  void end_of_gets();

  const Side& side_;
  Pattern pattern_;
  std::size_t bytes_;
  std::vector<std::byte> outgoing_;
  std::vector<std::byte> incoming_;
  ptl_handle_eq_t queue_ = PTL_EQ_NONE;
  ptl_handle_me_t entry_{};
  ptl_handle_md_t target_{};
  ptl_handle_md_t source_{};
  ptl_handle_md_t note_{};  // sends messages without bytes that signal an end
  std::array<std::uint64_t, PTL_EVENT_UNLINK + 1> seen_{};
  // So far.
  std::uint64_t operations_ = 0;
  std::uint64_t sends_ = 0;
  std::uint64_t arrivals_ = 0;
  std::uint64_t replies_ = 0;
};

}  // namespace aqueduct::bench::portals
