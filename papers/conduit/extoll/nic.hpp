// The conduit's EXTOLL objects: a port of VELO with connections, a port of RMA with handles, and the RMA
// commands under way.
//
// Notifications carry no name of their command, only peer, address and size, so commands are found by these.
// Two commands that agree in all of them need not be distinguished: they use the same memory in the same way,
// which is free when both are over.
//
// Sending returns false, and posting kRetry, if the card says to try again. A command that fails ends the job
// with one line that names the peer; if the peer may be gone only after a while, because the supervisor
// usually knows better why and ends the job first.
//
// Threads: one at a time; the owner has a lock.
#pragma once
#include <array>
#include <vector>

#include "conduit/conduit.hpp"
#include "papers/conduit/extoll/settings.hpp"
#include "papers/nic/extoll/client.hpp"
#include "papers/parts/memory/local_memory.hpp"
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

struct RmaCommand;

/// Receives the events of its commands.
class CommandHandler {
 public:
  /// The local notification has come: a put's data have been read, or a get's have come.
  virtual void told(RmaCommand& command) = 0;
  /// The target has said that the data are in its memory.
  virtual void landed(RmaCommand& command) { (void)command; }
  /// The command is over. Called after one of the other two.
  virtual void over(RmaCommand& command) = 0;

 protected:
  ~CommandHandler() = default;
};

/// A command under way, and the resources that it holds until it is over.
struct RmaCommand {
  CommandHandler* handler = nullptr;
  RankId peer = 0;
  void* owner = nullptr;    ///< the handler's object that the command belongs to
  std::uint32_t probe = 0;  ///< of a probe: its name
  LocalMemory::Held held;
  // Of a get through a buffer.
  void* copy_to = nullptr;
  const std::byte* copy_from = nullptr;
  std::size_t copy_bytes = 0;
  // What the command waits for: a local notification, and the target's message that the data are in its
  // memory.
  bool is_get = false;
  bool awaits_notification = false;
  bool awaits_landing = false;
  RMA2_NLA local = 0;
  std::uint32_t bytes = 0;
  std::uint64_t place = 0;
  RmaCommand *next_notified = nullptr, *next_landed = nullptr;  ///< of the same bucket

  bool is_over() const { return !awaits_notification && !awaits_landing; }
  // Called when one of the two has come.
  void tell() {
    handler->told(*this);
    if (is_over()) handler->over(*this);
  }
  void land() {
    handler->landed(*this);
    if (is_over()) handler->over(*this);
  }
};

/// The connections to a peer's ports.
struct PeerLine {
  velo2_connection_t velo{};
  RMA2_Handle rma = nullptr;
  std::uint8_t next_tag = 0;       ///< of the next packet to the peer
  std::uint8_t next_tag_here = 0;  ///< of the next packet from the peer
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

  /// Both VPIDs, for peers.
  std::uint32_t address() const;
  /// The addresses of all ranks, which are usually the same.
  void set_addresses(std::vector<std::uint32_t> addresses);

  // VELO.
  /// False: no credit, or the peer is gone, which is reported after a while.
  bool send(PeerLine& line, RankId peer, PacketType type, const void* data, std::size_t bytes);
  bool receive(Packet* packet);
  /// Whether there is another packet after one that was received.
  bool has_packet() const { return aqueduct::extoll::has_message(velo_); }

  // RMA.
  Registered register_or_end(std::uintptr_t address, std::size_t bytes, const char* what);
  bool register_memory(std::uintptr_t address, std::size_t bytes, Registered* registered) override;
  void deregister_memory(Registered& registered) override;

  /// Null if all are in use.
  RmaCommand* take(CommandHandler& handler, RankId peer);
  void give_back(RmaCommand& command) { free_.push_back(&command); }
  std::size_t in_use() const { return commands_.size() - free_.size(); }
  /// Calls `function` with each command that is awaited.
  template <class Function>
  void for_each_awaited(Function function) const {
    for (const RmaCommand& command : commands_) {
      if (!command.is_over()) function(command);
    }
  }

  /// `tells_here`: waits for the requester's notification. `place`: unless it is null, waits for the target's
  /// message with this place. Uses quadwords if everything is aligned.
  Post put(PeerLine& line, RmaCommand& command, RMA2_NLA local, std::size_t bytes, RMA2_NLA remote,
           bool tells_here, const std::uint64_t* place);
  /// Puts up to 8 bytes from any memory; they have left at return.
  Post put_immediate(PeerLine& line, RmaCommand& command, const void* from, std::size_t bytes,
                     RMA2_NLA remote, std::uint64_t place);
  Post get(PeerLine& line, RmaCommand& command, RMA2_NLA local, std::size_t bytes, RMA2_NLA remote);

  /// A notification: of a command of this rank, or of data that a peer has put here.
  struct Notice {
    RmaCommand* command = nullptr;  ///< null: a put of `source`
    RankId source = 0;
    RMA2_NLA nla = 0;
    std::uint32_t bytes = 0;
  };
  bool next_notice(Notice* notice);
  /// False if nothing has come since next_notice() has last found nothing.
  bool may_have_notices() const { return aqueduct::extoll::activity() != without_notices_; }
  /// The command whose data have landed at this place, as the target says; null: there is none.
  RmaCommand* landed(RankId peer, std::uint64_t place);

  /// Ends the job if a peer has been gone for too long.
  void check_peers() {
    if (lost_since_ns_ != 0) [[unlikely]]
      check_lost();
  }

 private:
  static constexpr unsigned kBuckets = 256;
  using Buckets = std::array<RmaCommand*, kBuckets>;

  void connect(PeerLine& line, RankId peer);
  void await(RmaCommand& command, bool is_get, RMA2_NLA local, std::size_t bytes, bool tells_here,
             const std::uint64_t* place);
  Post answer(RMA2_ERROR code, const RmaCommand& command, const char* what);
  void lose(RankId peer);
  void check_lost();

  RankId ranks_;
  world::World& world_;
  velo2_port_t velo_{};
  RMA2_Port rma_ = nullptr;
  std::vector<std::uint32_t> addresses_;
  std::vector<RmaCommand> commands_;
  std::vector<RmaCommand*> free_;
  Buckets notified_{}, landed_{};
  std::uint64_t without_notices_ = ~std::uint64_t{0};  ///< the activity at the last fruitless look
  std::uint64_t lost_since_ns_ = 0;
  RankId lost_peer_ = kNoRank;
};

}  // namespace aqueduct::conduit::extoll
