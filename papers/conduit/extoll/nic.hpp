// The conduit's hold of EXTOLL: a port of VELO with connections, a port of RMA with handles, and the commands
// of RMA that are under way.
//
// Notifications carry no name of the command that they are of, only peer, address and size. So commands are
// found by these. Two that agree in all of them cannot be told apart and need not be: they use the same
// memory in the same way, which is free when both are over.
//
// Sending answers false, and posting kRetry, where the card asks to try again. A command that fails ends the
// job with one line that names the peer; where the peer may be gone only after a while, because whoever has
// started it mostly knows better why and ends the job before.
//
// Threads: one at a time; the owner has a lock.
#pragma once
#include <array>
#include <vector>

#include "conduit/conduit.hpp"
#include "papers/conduit/extoll/settings.hpp"
#include "papers/nic/extoll/client.hpp"
#include "parts/local_memory.hpp"
#include "world/world.hpp"

namespace aqueduct::conduit::extoll {

template <class Code>
void check(Code code, const char* what) {
  aqueduct::extoll::check(kName, code, what);
}

/// Registered memory.
struct Registered {
  RMA2_Region* region = nullptr;
  std::uintptr_t start = 0;
  RMA2_NLA nla = 0;

  RMA2_NLA at(std::uintptr_t address) const { return nla + (address - start); }
};
using LocalMemory = parts::LocalMemory<Registered>;

struct Command;

/// Hears what becomes of its commands.
class CommandHandler {
 public:
  /// The notification here has come: a put's data have been read, or a get's are here.
  virtual void told(Command& command) = 0;
  /// The target has said that the data are in its memory.
  virtual void landed(Command& command) { (void)command; }
  /// Nothing is awaited any more. After one of these.
  virtual void over(Command& command) = 0;

 protected:
  ~CommandHandler() = default;
};

/// A command under way, and what it holds here until it is over.
struct Command {
  CommandHandler* handler = nullptr;
  RankId peer = 0;
  void* owner = nullptr;    ///< the handler's: what the command is part of
  std::uint32_t probe = 0;  ///< of a probe: its name
  LocalMemory::Held held;
  // Of a get that comes by way of a buffer.
  void* copy_to = nullptr;
  const std::byte* copy_from = nullptr;
  std::size_t copy_bytes = 0;
  // What is awaited: a notification here, and word from the target that the data are in its memory.
  bool is_get = false;
  bool awaits_notification = false;
  bool awaits_landing = false;
  RMA2_NLA local = 0;
  std::uint32_t bytes = 0;
  std::uint64_t place = 0;
  Command *next_notified = nullptr, *next_landed = nullptr;  ///< of the same bucket

  bool is_over() const { return !awaits_notification && !awaits_landing; }
  // One of the two has come.
  void tell() {
    handler->told(*this);
    if (is_over()) handler->over(*this);
  }
  void land() {
    handler->landed(*this);
    if (is_over()) handler->over(*this);
  }
};

/// What a rank keeps of a peer's ports.
struct Line {
  velo2_connection_t velo{};
  RMA2_Handle rma = nullptr;
  std::uint8_t next_tag = 0;       ///< of a packet to it
  std::uint8_t next_tag_here = 0;  ///< of one from it
  bool is_connected = false;
};

struct Packet {
  RankId source = 0;
  PacketType type = PacketType::kControl;
  std::uint8_t tag = 0;
  std::uint32_t bytes = 0;
  alignas(8) std::byte data[VELO2_MAX_MSG_SIZE];
};

class Nic final : public LocalMemory::Registrar {
 public:
  Nic(RankId ranks, unsigned commands, world::World& world);
  Nic(const Nic&) = delete;

  /// Both VPIDs, which peers must know.
  std::uint32_t address() const;
  /// Of all ranks. Mostly they are the same everywhere.
  void set_addresses(std::vector<std::uint32_t> addresses);

  // VELO.
  /// False: no credit, or the peer is gone, which is said after a while.
  bool send(Line& line, RankId peer, PacketType type, const void* data, std::size_t bytes);
  bool receive(Packet* packet);
  /// After one that was received.
  bool has_packet() const { return aqueduct::extoll::has_message(velo_); }

  // RMA.
  Registered register_or_end(std::uintptr_t address, std::size_t bytes, const char* what);
  bool register_memory(std::uintptr_t address, std::size_t bytes, Registered* registered) override;
  void deregister_memory(Registered& registered) override;

  /// Null if all are in use.
  Command* take(CommandHandler& handler, RankId peer);
  void give_back(Command& command) { free_.push_back(&command); }
  std::size_t in_use() const { return commands_.size() - free_.size(); }
  /// Calls `function` with each command that is awaited.
  template <class Function>
  void for_each_awaited(Function function) const {
    for (const Command& command : commands_) {
      if (!command.is_over()) function(command);
    }
  }

  /// `tells_here`: the requester's notification is awaited. `place`: what the target will say when the data
  /// are in its memory, if that is awaited. Quadwords where everything is aligned.
  Post put(Line& line, Command& command, RMA2_NLA local, std::size_t bytes, RMA2_NLA remote, bool tells_here,
           const std::uint64_t* place);
  /// Up to 8 bytes, from anywhere; they have left at return.
  Post put_immediate(Line& line, Command& command, const void* from, std::size_t bytes, RMA2_NLA remote,
                     std::uint64_t place);
  Post get(Line& line, Command& command, RMA2_NLA local, std::size_t bytes, RMA2_NLA remote);

  /// Something that a unit has said: of a command of ours, or of data that a peer has put here.
  struct Notice {
    Command* command = nullptr;  ///< null: it is a put of `source`
    RankId source = 0;
    RMA2_NLA nla = 0;
    std::uint32_t bytes = 0;
  };
  bool next_notice(Notice* notice);
  /// False: nothing has come since next_notice() has found nothing.
  bool may_have_notices() const { return aqueduct::extoll::activity() != without_notices_; }
  /// The command of which the target has said that it has landed at this place; null: there is none.
  Command* landed(RankId peer, std::uint64_t place);

  /// Ends the job if a peer has been gone for too long.
  void check_peers() {
    if (lost_since_ns_ != 0) [[unlikely]]
      check_lost();
  }

 private:
  static constexpr unsigned kBuckets = 256;
  using Buckets = std::array<Command*, kBuckets>;

  void connect(Line& line, RankId peer);
  void await(Command& command, bool is_get, RMA2_NLA local, std::size_t bytes, bool tells_here,
             const std::uint64_t* place);
  Post answer(RMA2_ERROR code, const Command& command, const char* what);
  void lose(RankId peer);
  void check_lost();

  RankId ranks_;
  world::World& world_;
  velo2_port_t velo_{};
  RMA2_Port rma_ = nullptr;
  std::vector<std::uint32_t> addresses_;
  std::vector<Command> commands_;
  std::vector<Command*> free_;
  Buckets notified_{}, landed_{};
  std::uint64_t without_notices_ = ~std::uint64_t{0};  ///< the activity of that look
  std::uint64_t lost_since_ns_ = 0;
  RankId lost_peer_ = kNoRank;
};

}  // namespace aqueduct::conduit::extoll
