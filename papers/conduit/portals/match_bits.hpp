// The layout of the conduit's messages in the 64 match bits and the 64 bits of header data of Portals.
//
// The low byte always has the selector of the descriptor at the target (four bits, the only ones that match
// entries compare) and the type of the message:
//
//   bits      63 to 32        31 to 24   23 to 16   15 to 8   7 to 4   3 to 0     header data
//   put, get  operation name  loan number, 24 bits, or 0      type     selector   -
//   header    chunk offset    nargs      handler    flags     type     selector   source 32, other 24, credit 8
//   payload   0 (16 bits), operation name (32 bits) 0         type     selector   source 32, Lid 32
//   control   argument        0          0          which     0        selector   source 32, argument 32, or LoanRange
//
// `header` is an active message; `payload` is that of a Long which travels by itself. `chunk offset` names
// the initiator's ReqSB chunk, where the reply is put. `other` is 24 bits: the length of a Medium's or packed
// Long's payload, or the Lid that pairs a Reply with its payload.
#pragma once
#include <cstdint>

#include "papers/parts/credits.hpp"
#include "portals3.h"

namespace aqueduct::conduit::portals {

/// Two portal table entries for this conduit, so that MPI or another client may use the same interface.
inline constexpr ptl_pt_index_t kRarEntry = 38;  ///< remotely accessible regions
inline constexpr ptl_pt_index_t kAmEntry = 39;   ///< active messages
inline constexpr ptl_ac_index_t kAccess = 0;

/// Selects the descriptor at the target; kProbe: none, because the message only tests whether the target
/// lives (portals_watch.hpp).
enum class Selector : std::uint8_t { kRar, kRarAm, kRarSrc, kReqRb, kReqSb, kSys, kLent, kProbe };
inline constexpr ptl_match_bits_t kSelectorMask = 0x0f;
inline constexpr ptl_match_bits_t kIgnored = ~kSelectorMask;

enum class Type : std::uint8_t { kNone = 0, kPut = 0x10, kGet = 0x20, kHeader = 0x40, kPayload = 0x80 };

namespace flag {
inline constexpr std::uint8_t kShort = 1, kMedium = 2, kLong = 4;
inline constexpr std::uint8_t kPacked = 8;     ///< a Long whose payload came with its header
inline constexpr std::uint8_t kImplicit = 16;  ///< a reply that no handler sent: it only brings back credits
}  // namespace flag

constexpr Type type_of(ptl_match_bits_t bits) { return static_cast<Type>(bits & 0xf0); }

/// Which memory of the target a put or get accesses: its segment, or memory that it has lent
/// (lent_memory.hpp).
struct LoanBits {
  Selector selector = Selector::kRar;
  std::uint32_t number = 0;  ///< of the loan

  static constexpr std::uint32_t kMostLoans = 1u << 24;
  static constexpr ptl_match_bits_t kMask = 0xffffff00 | kSelectorMask;

  ptl_match_bits_t encode() const { return std::uint64_t{number} << 8 | static_cast<std::uint8_t>(selector); }
};

/// A put or get.
struct TransferBits {
  Type type;
  std::uint32_t name;
  LoanBits where;

  ptl_match_bits_t encode() const {
    return std::uint64_t{name} << 32 | static_cast<std::uint8_t>(type) | where.encode();
  }
  static std::uint32_t name_in(ptl_match_bits_t bits) { return static_cast<std::uint32_t>(bits >> 32); }
};

/// An active message's header.
struct HeaderBits {
  Selector selector;
  std::uint32_t chunk;
  std::uint8_t nargs;
  std::uint8_t handler;
  std::uint8_t flags;

  ptl_match_bits_t encode() const {
    return std::uint64_t{chunk} << 32 | std::uint64_t{nargs} << 24 | std::uint64_t{handler} << 16 |
           std::uint64_t{flags} << 8 | static_cast<std::uint8_t>(Type::kHeader) |
           static_cast<std::uint8_t>(selector);
  }
  static HeaderBits decode(ptl_match_bits_t bits) {
    return {static_cast<Selector>(bits & kSelectorMask), static_cast<std::uint32_t>(bits >> 32),
            static_cast<std::uint8_t>(bits >> 24), static_cast<std::uint8_t>(bits >> 16),
            static_cast<std::uint8_t>(bits >> 8)};
  }
};

struct HeaderData {
  RankId source;
  std::uint32_t other;
  parts::CreditByte credit;

  ptl_hdr_data_t encode() const {
    return std::uint64_t{source} << 32 | std::uint64_t{other} << 8 | credit.encode();
  }
  static HeaderData decode(ptl_hdr_data_t data) {
    return {static_cast<RankId>(data >> 32), static_cast<std::uint32_t>(data >> 8) & 0xffffff,
            parts::CreditByte::decode(static_cast<std::uint8_t>(data))};
  }
};

/// The payload of a Long.
struct PayloadBits {
  Selector selector;
  std::uint32_t name;

  ptl_match_bits_t encode() const {
    return std::uint64_t{name} << 16 | static_cast<std::uint8_t>(Type::kPayload) |
           static_cast<std::uint8_t>(selector);
  }
  static std::uint32_t name_in(ptl_match_bits_t bits) { return static_cast<std::uint32_t>(bits >> 16); }
};

/// Pairs a header with its payload; unique among those under way from one source.
using Lid = std::uint32_t;
/// A Request's Lid is the offset of its chunk, below this value; a Reply's is a counter from this value on.
inline constexpr Lid kFirstReplyLid = 1u << 23;

/// A message of the conduit itself: no bytes, everything in the bits.
enum class Control : std::uint8_t {
  kRevoke = 1,  ///< asks for credits back
  kReturn,      ///< returns credits
  kLendForPut,  ///< asks for a loan, and ends another (remote_memory.hpp)
  kLendForGet,
  kTakeBack,  ///< only ends a loan
  kAnswer,    ///< answers each of these
};
inline constexpr std::size_t kControls = 7;  ///< with 0, which means none

/// Special numbers in place of a loan's.
namespace loan {
inline constexpr std::uint32_t kNone = ~0u, kNotMapped = ~1u, kNoRoom = ~2u;
}

/// Pages to be lent, in the 64 bits of header data.
struct LoanRange {
  std::uintptr_t address;
  std::size_t bytes;

  static constexpr std::size_t kMostBytes = kPage << 12;
  std::uint64_t encode() const { return address | (bytes / kPage - 1); }
  static LoanRange decode(std::uint64_t data) {
    return {data & ~std::uint64_t{kPage - 1}, ((data & (kPage - 1)) + 1) * kPage};
  }
};
static_assert(kPage == 4096);

struct ControlBits {
  Control which;
  std::uint32_t argument;

  ptl_match_bits_t encode() const {
    return std::uint64_t{argument} << 32 | std::uint64_t{static_cast<std::uint8_t>(which)} << 8 |
           static_cast<std::uint8_t>(Selector::kSys);
  }
  static ControlBits decode(ptl_match_bits_t bits) {
    return {static_cast<Control>(static_cast<std::uint8_t>(bits >> 8)),
            static_cast<std::uint32_t>(bits >> 32)};
  }
};

}  // namespace aqueduct::conduit::portals
