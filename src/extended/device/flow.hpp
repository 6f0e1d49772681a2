// A staged transfer, from or to memory of a device of one of the two sides, as its rank keeps it; and the
// chunks that it goes in.
#pragma once
#include <vector>

#include "core/device_memory.hpp"
#include "extended/rma.hpp"

namespace aqueduct::extended::device_memory {

struct Flow {
  enum class Kind : std::uint8_t {
    kPut,      ///< to a device elsewhere
    kAnswer,   ///< of a get of the peer's, from a device here
    kGet,      ///< from a device elsewhere, to slots of this rank
    kPutHost,  ///< from a device here to a host elsewhere
    kGetHost,  ///< from a host elsewhere to a device here
  } kind = Kind::kPut;
  bool by_messages = false;  ///< kPut, kAnswer: in pieces of Medium messages, else in Longs
  bool has_asked = false;    ///< kPut: for slots
  const char* where = nullptr;
  core::Peer peer;
  device::Card* card = nullptr;  ///< of the memory here; null: it is the host's
  std::byte* here = nullptr;
  std::uint64_t there = 0;  ///< at the peer
  std::size_t bytes = 0;
  std::size_t begun = 0;  ///< in chunks
  std::size_t read = 0;   ///< from its source here
  std::size_t finished = 0;
  std::size_t chunk_bytes = 0;
  std::size_t piece_bytes = 0;   ///< of a Medium message; what is counted down at the end is counted in these
  std::uint64_t number = 0;      ///< by which the peer knows it
  std::uint64_t pending = 0;     ///< the Pending of whoever waits, here or at the peer
  std::uint64_t peers_card = 0;  ///< kAnswer by messages: where the data goes at the peer; 0: to its host
  am::Unreleased* unreleased = nullptr;  ///< counts the source of a put
  std::vector<std::uint64_t> granted;    ///< slots of the peer that no chunk has yet

  std::uint32_t pieces_of(std::size_t part) const {
    return static_cast<std::uint32_t>((part + piece_bytes - 1) / piece_bytes);
  }
};

struct Chunk {
  enum class State : std::uint8_t { kCopying, kReady, kTransferring, kFinished } state = State::kCopying;
  bool needs_slot = false;  ///< and has none yet
  Flow* flow = nullptr;
  std::byte* memory = nullptr;  ///< of the room for what is sent; or the source itself, of the host's
  std::size_t offset = 0;
  std::size_t bytes = 0;
  std::size_t sent = 0;
  std::uint64_t slot = 0;        ///< where it goes by a Long; 0: it goes by messages
  Pending pending{0};            ///< of its put or get as host memory
  am::Unreleased unreleased{0};  ///< of its Long
};

}  // namespace aqueduct::extended::device_memory
