// The EXTOLL library of one process: everything behind the functions of velo2.h and rma2.h.
//
// A live process has one; a simulation has one for each rank (nic/current_process.hpp). Its creator gives it
// a device:
//
//   Process process{device};
//   Process::Current scope{&process};      // velo2 and rma2 functions now belong to it
//
// One lock guards all of it (nic/locked_process.hpp). activity() changes with every message, credit and
// notification.
//
// Files: velo.cpp (ports and messages), rma.cpp (ports, memory, posts), complete.cpp (the rest of a command's
// life), notification.cpp (queues of notifications), arrive.cpp (what the device reports).
#pragma once
#include <cstdint>
#include <unordered_map>

#include "papers/nic/current_process.hpp"
#include "papers/nic/extoll/rma.hpp"
#include "papers/nic/locked_process.hpp"
#include "papers/nic/pool.hpp"

namespace aqueduct::extoll {

struct NotificationMatch;

class Process final : public nic::CurrentProcess<Process>,
                      public nic::LockedProcess<Device>,
                      private Library {
 public:
  /// The device outlives it.
  explicit Process(Device& device);
  ~Process();

  NodeId self() const { return self_; }

  // --- VELO: one function for each of velo2.h.
  velo2_ret_t open_velo(velo2_port_t* port);
  velo2_ret_t close_velo(const velo2_port_t& port);
  std::uint16_t velo_vpid(const velo2_port_t& port);  ///< 0xffff: not a port
  velo2_ret_t connect_velo(const velo2_port_t& port, std::uint16_t node, std::uint16_t vpid,
                           velo2_connection_t* connection);
  velo2_ret_t disconnect_velo(const velo2_port_t& port, const velo2_connection_t& connection);
  velo2_ret_t send_velo(const velo2_connection_t& connection, std::span<const std::byte> message,
                        std::uint8_t tag, std::uint8_t mtt);
  /// SUCCESS: there is a credit, or a failure to report. TRY_AGAIN: not yet.
  velo2_ret_t can_send_velo(const velo2_connection_t& connection);

  /// The next message in a mailbox.
  struct VeloNext {
    std::uint32_t source = 0, length = 0;
    std::uint8_t tag = 0, mtt = 0;
  };
  velo2_ret_t check_velo(const velo2_port_t& port, VeloNext* next);
  /// Whether a slot of the mailbox is written and not read.
  bool has_message(const velo2_port_t& port);
  /// Whether the mailbox is full of slots that were read and not committed.
  bool is_commit_forgotten(const velo2_port_t& port);
  /// Takes the next message. `size` and `mtt` lead to NO_MATCH and INV_MSG as in velo2_recv. `commits`:
  /// commits once enough slots were read, and says so in `committed`.
  velo2_ret_t take_velo(const velo2_port_t& port, void* buffer, std::size_t size, std::uint8_t mtt,
                        VeloNext* next, bool commits, bool* committed);
  velo2_ret_t commit_velo(const velo2_port_t& port);

  // --- RMA: one function for each of rma2.h.
  RMA2_ERROR open_rma(RMA2_Port* port);
  RMA2_ERROR close_rma(RMA2_Port port);
  std::uint16_t rma_vpid(RMA2_Port port);  ///< 0xffff: not a port
  RMA2_ERROR connect_rma(RMA2_Port port, std::uint16_t node, std::uint16_t vpid, std::uint32_t options,
                         RMA2_Handle* handle);
  RMA2_ERROR disconnect_rma(RMA2_Port port, RMA2_Handle handle);
  RMA2_ERROR register_memory(RMA2_Port port, void* address, std::size_t size, RMA2_Region** region);
  RMA2_ERROR unregister_memory(RMA2_Port port, RMA2_Region* region);
  /// Start, size and NLA of a region.
  RMA2_ERROR describe(RMA2_Region* region, RmaRegion* copy);
  RMA2_ERROR post(RMA2_Port port, RMA2_Handle handle, const RmaPost& post);
  RMA2_ERROR find_notification(RMA2_Port port, const NotificationMatch& match,
                               RMA2_Notification** notification);
  RMA2_ERROR free_notification(RMA2_Port port, const RMA2_Notification* notification);
  std::uint32_t queue_limit(RMA2_Port port);  ///< notifications; 0: not a port
  RMA2_ERROR set_queue_limit(RMA2_Port port, std::uint32_t entries);

  /// Whether the device has given back everything that it was lent to send.
  bool has_all_left();

  /// For nic::CurrentProcess: live/live.cpp.
  static Process* open_live();

  /// The mailbox of a port, for tests.
  const Mailbox* mailbox(const velo2_port_t& port);

 private:
  void send(NicTransfer& transfer) {
    ++leaving_;
    device_.send(transfer);
  }
  VeloPort* velo_port(const velo2_port_t& port) {
    return nic::find_by_bits(velo_ports_, HandleKind::kVeloPort, self_, port.handle);
  }
  VeloConnection* velo_connection(const velo2_connection_t& connection) {
    return nic::find_by_bits(velo_connections_, HandleKind::kVeloConnection, self_, connection.handle);
  }

  RmaPort* rma_port(RMA2_Port port) {
    return nic::find_by_bits(rma_ports_, HandleKind::kRmaPort, self_, reinterpret_cast<std::uint64_t>(port));
  }
  RmaHandle* rma_handle(RMA2_Handle handle) {
    return nic::find_by_bits(rma_handles_, HandleKind::kRmaHandle, self_,
                             reinterpret_cast<std::uint64_t>(handle));
  }
  RmaRegion* rma_region(RMA2_Region* region) {
    return nic::find_by_bits(rma_regions_, HandleKind::kRmaRegion, self_,
                             reinterpret_cast<std::uint64_t>(region));
  }

  // VELO (velo.cpp).
  void send_packet(VeloPacket& packet, NodeId target);
  void send_control(MessageKind kind, std::uint8_t own_vpid, const WireHeader& about, NodeId target,
                    std::uint32_t count);
  void deliver(const VeloLanding& landing);
  void take_turn(VeloLanding& landing);
  void hold(HeldMessage& message);
  bool store(VeloPort& port, HeldMessage& message);
  void fill(VeloPort& port);
  void owe_credit(VeloPort& port, const HeldMessage& message);
  void collect(VeloPort& port);
  void commit(VeloPort& port);
  /// The line that a control message, or a returned message of this process, is about.
  VeloLine* line_of(std::uint8_t vpid, std::uint32_t generation, NodeId peer, std::uint8_t peer_vpid);
  void settle(VeloLine* line, std::uint32_t count, velo2_ret_t failure);

  // RMA (rma.cpp).
  void forget(RmaRegion& region);
  /// The region of a port that holds all of these bytes; null: there is none.
  RmaRegion* region_at(const RmaPort& port, RMA2_NLA nla, std::uint64_t bytes);
  RMA2_ERROR check_post(const RmaPort& port, const RmaPost& post, RmaRegion** region, RMA2_NLA* local);

  // The rest of a command's life (complete.cpp).
  static bool is_fetch(const WireHeader& command);  ///< a get or lock, or the answer to one
  static bool is_answer(const WireHeader& command);
  RmaRequest* request_of(const WireHeader& header, NodeId source);
  void release_if_over(RmaRequest& request);
  void tell_requester(RmaRequest& request);
  void sent_request(RmaRequest& request);
  void sent_answer(RmaAnswer& answer);
  NicTransfer* rma_arrived(const WireHeader& header, NodeId source);
  void rma_landed(RmaLanding& landing, bool whole);
  void rma_undeliverable(const WireHeader& header, NodeId target);
  void rma_lost(NodeId node);
  RmaRegion* target_of(const RmaPort& port, const WireHeader& header);
  RmaLanding& keep(const WireHeader& header, NodeId source, RmaRegion& region, std::byte* place);
  NicTransfer* place_put(RmaPort& port, const WireHeader& header, NodeId source);
  NicTransfer* place_reply(const WireHeader& header, NodeId source);
  void complete_put(RmaPort& port, const WireHeader& header, NodeId source);
  void complete_immediate(RmaPort& port, const WireHeader& header, NodeId source);
  void respond_get(RmaPort& port, const WireHeader& header, NodeId source);
  void respond_lock(RmaPort& port, const WireHeader& header, NodeId source);
  void fail(const WireHeader& header, NodeId source, std::uint8_t unit);
  void send_answer(WireHeader& header, NodeId target, RmaRegion* region);
  void take_lock_reply(const WireHeader& header, NodeId source);
  void take_failure(const WireHeader& header, NodeId peer);
  void complete_request(RmaRequest& request, const WireHeader& answer, std::uint8_t error);

  // Notifications (notification.cpp).
  void notify(RmaPort& port, const RMA2_Notification& notification, const NotificationSource& source = {});
  /// The same for a command of another process.
  void notify_of(RmaPort& port, const WireHeader& command, NodeId source, std::uint8_t unit);
  void in_queue(RmaPort& port, const NotificationSource& source);
  void give_back(RmaPort& port, std::uint32_t source, RmaReturn& owed);
  void take_notified(const WireHeader& header, NodeId source);
  /// Accounts for a notification at the target that will not come.
  void settle_notification(const WireHeader& command, NodeId target);
  void make_room(RmaPort& port);

  // What the device reports (arrive.cpp).
  NicTransfer* arrived(const Incoming& incoming) override;
  void landed(NicTransfer& transfer, bool whole) override;
  void sent(NicTransfer& transfer) override;
  void undeliverable(NodeId target, std::span<const std::byte> header) override;
  void lost(NodeId node) override;
  void deliver_in_turn(VeloLanding& landing);

  std::uint32_t leaving_ = 0;  ///< transfers lent to the device for sending
  VeloPortTable velo_ports_;
  VeloConnectionTable velo_connections_;
  bool has_opened_velo_ = false;
  std::deque<HeldMessage> early_;  ///< messages that came before the first port was opened
  nic::Pool<VeloPacket> packets_;
  nic::Pool<VeloLanding> landings_;
  VeloLanding* landing_ = nullptr;  ///< the only one that is not in turns_; mostly there is one at a time
  std::unordered_map<NodeId, std::deque<VeloLanding*>> turns_;  ///< by source: VELO messages, in order
  RmaPortTable rma_ports_;
  RmaHandleTable rma_handles_;
  RmaRegionTable rma_regions_;
  RmaRequestTable rma_requests_;
  nic::Pool<RmaLanding> rma_landings_;
  nic::Pool<RmaAnswer> rma_answers_;
  std::map<RMA2_NLA, RmaRegion*> regions_by_nla_;
  std::uint64_t next_nla_ = 0;  ///< of the range of this process
};

}  // namespace aqueduct::extoll
