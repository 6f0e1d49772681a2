// A network interface of one process: its portal table, access control, entries, descriptors, queues, status
// registers, and what is in flight for it.
//
// One lock guards all of it, held for the few hundred instructions of a match or a call, so that calls and
// arrivals are atomic with respect to each other. Whatever may take time or call back happens after the lock
// is released, at the end of a Section: sending, releasing registrations, waking, running handlers.
//
// The object exists as long as its process; its state lives from open() to close(), possibly several times.
// Handles of an earlier life never fit a later one, so that calls with them are refused like other stale
// ones.
//
// Files: interface.cpp (life, status), entries.cpp, descriptors.cpp, queues.cpp (the objects), initiate.cpp
// (put, get, getput), arrive.cpp (matching, answers, completion).
#pragma once
#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/spin_lock.hpp"
#include "papers/nic/portals3/bridge.hpp"
#include "papers/nic/portals3/expectations.hpp"
#include "papers/nic/portals3/node.hpp"
#include "papers/nic/portals3/transfer_record.hpp"

namespace aqueduct::portals3 {

class Process;

/// The criteria of a match entry.
struct EntryCriteria {
  ptl_process_id_t match_id;
  ptl_match_bits_t match_bits;
  ptl_match_bits_t ignore_bits;
  ptl_unlink_t unlink_op;
};

/// The part of a descriptor that an operation uses; kWhole: all of it.
struct Extent {
  static constexpr std::uint64_t kWhole = ~std::uint64_t{0};
  std::uint64_t offset = 0;
  std::uint64_t bytes = kWhole;
};

/// The target of an operation.
struct Target {
  ptl_process_id_t process;
  ptl_pt_index_t pt_index;
  ptl_ac_index_t ac_index;
  ptl_match_bits_t match_bits;
  std::uint64_t remote_offset;
  ptl_hdr_data_t hdr_data = 0;
};

class Interface {
 public:
  Interface(Process& process, Node& node, Bridge& bridge, ptl_interface_t id, ptl_pid_t pid, unsigned number);
  ~Interface();

  ptl_interface_t id() const { return id_; }
  Bridge& bridge() const { return bridge_; }
  Nal& nal() const { return node_.nal(); }

  // --- Life. Each open() needs one close(); the last one ends the life.
  int open(ptl_pid_t pid, const ptl_ni_limits_t* desired, ptl_ni_limits_t* actual, ptl_handle_ni_t* ni);
  int close(ptl_handle_ni_t ni);
  void close_whatever_is_open();

  // --- Queries.
  int status(ptl_handle_ni_t ni, ptl_sr_index_t index, ptl_sr_value_t* value);
  int distance(ptl_handle_ni_t ni, ptl_process_id_t process, unsigned long* distance);
  int identity(ptl_handle_ni_t ni, ptl_process_id_t* id, Identity* identity);
  int name(ptl_handle_any_t any, ptl_handle_ni_t* ni);

  // --- Objects.
  int attach_entry(ptl_handle_ni_t ni, ptl_pt_index_t pt_index, const EntryCriteria& criteria,
                   ptl_ins_pos_t position, ptl_handle_me_t* me);
  int attach_any_entry(ptl_handle_ni_t ni, ptl_pt_index_t* pt_index, const EntryCriteria& criteria,
                       ptl_handle_me_t* me);
  int insert_entry(ptl_handle_me_t base, const EntryCriteria& criteria, ptl_ins_pos_t position,
                   ptl_handle_me_t* me);
  int unlink_entry(ptl_handle_me_t me);
  int set_access(ptl_handle_ni_t ni, ptl_ac_index_t index, ptl_process_id_t match_id, ptl_uid_t uid,
                 ptl_jid_t jid, ptl_pt_index_t pt_index);

  int attach_descriptor(ptl_handle_me_t me, const ptl_md_t& md, ptl_unlink_t unlink_op,
                        ptl_handle_md_t* handle);
  int bind_descriptor(ptl_handle_ni_t ni, const ptl_md_t& md, ptl_unlink_t unlink_op,
                      ptl_handle_md_t* handle);
  int unlink_descriptor(ptl_handle_md_t handle);
  int update_descriptor(ptl_handle_md_t handle, ptl_md_t* old_md, const ptl_md_t* new_md,
                        ptl_handle_eq_t testq);

  int allocate_queue(ptl_handle_ni_t ni, ptl_size_t count, ptl_eq_handler_t handler, ptl_handle_eq_t* eq);
  int free_queue(ptl_handle_eq_t eq);
  int get_event(ptl_handle_eq_t eq, ptl_event_t* event);
  /// Changes with every event and whenever a queue goes away.
  const Activity& activity() const { return activity_; }

  // --- Operations.
  int put(ptl_handle_md_t md, const Extent& extent, ptl_ack_req_t ack, const Target& target);
  int get(ptl_handle_md_t md, const Extent& extent, const Target& target);
  int getput(ptl_handle_md_t get_md, ptl_handle_md_t put_md, const Target& target);
  int fail_node(ptl_handle_ni_t ni, ptl_nid_t nid, unsigned threshold);

  // --- Calls of the node. The node has locked the interface with lock(); parse() and fail() give it back.
  void lock() { lock_.lock(); }
  void unlock() { lock_.unlock(); }
  Verdict parse(const WireHeader& header);
  void fail(const WireHeader& header);
  void finalize(TransferRecord& message, ptl_ni_fail_t fail);
  /// The node `peer` is lost: nothing will come from it any more. The lock is not held.
  void lose(NodeId peer);

 private:
  /// Holds the lock while it lives, then does the work that was deferred.
  class Section {
   public:
    Section(Interface& interface, Context context) : interface_(interface), context_(context) {
      interface.lock_.lock();
    }
    Section(Interface& interface, Context context, std::adopt_lock_t)
        : interface_(interface), context_(context) {}
    ~Section();
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;

    void send(TransferRecord& message);
    /// Ends a registration; at most two in a section.
    void retire(MemoryKey memory) { retired_[retired_count_++] = memory; }

   private:
    Interface& interface_;
    Context context_;
    unsigned retired_count_ = 0;
    std::array<MemoryKey, 2> retired_{};
    TransferRecord* first_ = nullptr;
    TransferRecord* last_ = nullptr;
  };

  struct MatchList {
    MatchEntry* first = nullptr;
    MatchEntry* last = nullptr;
    std::uint32_t entries = 0;
  };
  struct Access {
    ptl_process_id_t match_id;
    ptl_uid_t uid;
    ptl_jid_t jid;
    ptl_pt_index_t pt_index;
  };
  struct Failure {
    ptl_nid_t nid;
    unsigned left;
  };
  enum class State : std::uint8_t { kClosed, kOpening, kOpen, kClosing };

  // All below: the lock is held.
  int open_again(ptl_pid_t pid, ptl_ni_limits_t* actual, ptl_handle_ni_t* ni);
  bool is_mine(ptl_handle_ni_t ni) const;
  ptl_handle_any_t handle_of(HandleKind kind, const TableSlot& slot) const;
  template <class Object>
  Object* find(Table<Object>& table, HandleKind kind, ptl_handle_any_t bits);
  MatchEntry* find_entry(ptl_handle_me_t me) { return find(entries_, HandleKind::kEntry, me); }
  Descriptor* find_descriptor(ptl_handle_md_t md) { return find(descriptors_, HandleKind::kDescriptor, md); }
  EventQueue* find_queue(ptl_handle_eq_t eq) { return find(queues_, HandleKind::kQueue, eq); }
  std::uint64_t& counter(unsigned index) { return counters_[index]; }

  int link_entry(MatchList& list, MatchEntry* base, const EntryCriteria& criteria, ptl_ins_pos_t position,
                 ptl_pt_index_t pt_index, ptl_handle_me_t* me);
  void remove_entry(MatchEntry& entry);
  int create_descriptor(ptl_handle_any_t place, bool attach, const ptl_md_t& md, ptl_unlink_t unlink_op,
                        ptl_handle_md_t* handle);
  int may_create(ptl_handle_any_t place, bool attach, const ptl_md_t& md, MatchEntry*& entry,
                 EventQueue*& queue);
  int may_update(ptl_handle_md_t handle, const ptl_md_t* new_md, ptl_handle_eq_t testq,
                 Descriptor*& descriptor, EventQueue*& queue);
  void renew(Descriptor& descriptor, const ptl_md_t& md, Region&& region, EventQueue* queue);
  void remove_descriptor(Descriptor& descriptor, Section& section);
  bool queue_named(ptl_handle_eq_t eq, EventQueue*& queue);

  /// Fills in the fields that all events of a descriptor share.
  void describe(ptl_event_t& event, const Descriptor& descriptor) const;
  ptl_seq_t post(Descriptor& descriptor, ptl_event_t& event, ptl_event_kind_t kind);
  void make_failure(ptl_event_t& event);
  void post_start(TransferRecord& message, ptl_event_kind_t kind);
  ptl_seq_t post_end(TransferRecord& message, ptl_event_kind_t kind, ptl_ni_fail_t fail);
  /// A transfer no longer uses the descriptor; `cause` is the sequence of its last event.
  void release(TransferRecord& message, ptl_seq_t cause, Section& section);
  void unlink_if_finished(Descriptor& descriptor, const ptl_event_t& last, ptl_seq_t cause, Section& section);
  void free_message(TransferRecord& message);

  int resolve(const Descriptor* descriptor, const Extent& extent, const Target& target,
              Extent& resolved) const;
  TransferRecord* request(MessageKind kind, Phase phase, Descriptor& source, Descriptor& answer,
                          const Extent& extent, std::uint64_t local_offset, const Target& target);
  bool fails(ptl_nid_t nid);

  Verdict drop(const WireHeader& header, std::uint32_t walked);
  bool permitted(const WireHeader& header) const;
  Verdict match(const WireHeader& header, Section& section);
  TransferRecord* accept(const WireHeader& header, MatchEntry& entry, const Acceptance& acceptance,
                         Section& section);
  Descriptor* find_for_answer(const WireHeader& header);
  Verdict take_reply(const WireHeader& header);
  void take_ack(const WireHeader& header, ptl_ni_fail_t fail, Section& section);
  void fail_reply(const WireHeader& header, ptl_ni_fail_t fail, Section& section);
  void fail_operation(const WireHeader& header, ptl_ni_fail_t fail, Section& section);
  void fill_answer_event(ptl_event_t& event, const WireHeader& header, const Descriptor& descriptor) const;
  void make_answer(TransferRecord& message, MessageKind kind, std::uint64_t matched);

  // The lock is not held.
  void run_handlers();
  void shut();

  Process& process_;
  Node& node_;
  Bridge& bridge_;
  const ptl_interface_t id_;
  const ptl_pid_t preferred_pid_;
  const unsigned number_;

  SpinLock lock_;
  State state_ = State::kClosed;
  bool changed_ = false;                   ///< this section has changed something that threads may wait for
  bool handlers_wanted_ = false;           ///< a queue with a handler has a new event
  bool handlers_running_ = false;          ///< a thread runs them and will handle new events as well
  const void* handlers_thread_ = nullptr;  ///< which thread that is
  std::uint32_t generation_ = 0;
  std::uint32_t opens_ = 0;
  ptl_process_id_t self_{};
  Identity identity_{};
  NodeId nodes_ = 0;
  ptl_ni_limits_t limits_{};
  Activity activity_{0};

  std::vector<MatchList> portals_;
  std::vector<Access> access_;
  Table<MatchEntry> entries_;
  Table<Descriptor> descriptors_;
  Table<EventQueue> queues_;
  TransferPool messages_;
  Expectations expectations_;
  std::vector<Failure> failures_;
  std::array<std::uint64_t, PTL_SR_COUNT> counters_{};
};

template <class Object>
Object* Interface::find(Table<Object>& table, HandleKind kind, ptl_handle_any_t bits) {
  const Handle handle = Handle::decode(bits);
  if (state_ != State::kOpen || handle.kind != kind || handle.interface != number_) return nullptr;
  return table.find(handle.index, handle.generation);
}

}  // namespace aqueduct::portals3
