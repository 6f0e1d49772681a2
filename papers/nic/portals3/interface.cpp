#include "papers/nic/portals3/interface.hpp"

#include <algorithm>
#include <climits>
#include <utility>

#include "base/context.hpp"
#include "papers/nic/portals3/process.hpp"

namespace aqueduct::portals3 {
namespace {

constexpr ptl_ni_limits_t kLibraryLimits{.max_mes = kMaxIndex + 1,
                                         .max_mds = kMaxIndex + 1,
                                         .max_eqs = 1024,
                                         .max_ac_index = 15,
                                         .max_pt_index = 63,
                                         .max_md_iovecs = 64,
                                         .max_me_list = kMaxIndex + 1,
                                         .max_getput_md = kMaxSwap};

constexpr int ptl_ni_limits_t::*kEachLimit[] = {
    &ptl_ni_limits_t::max_mes,      &ptl_ni_limits_t::max_mds,       &ptl_ni_limits_t::max_eqs,
    &ptl_ni_limits_t::max_ac_index, &ptl_ni_limits_t::max_pt_index,  &ptl_ni_limits_t::max_md_iovecs,
    &ptl_ni_limits_t::max_me_list,  &ptl_ni_limits_t::max_getput_md,
};

}  // namespace

ptl_ni_limits_t Nal::limits() const {
  ptl_ni_limits_t none;
  for (auto limit : kEachLimit) none.*limit = INT_MAX;
  return none;
}

Interface::Interface(Process& process, Node& node, Bridge& bridge, ptl_interface_t id, ptl_pid_t pid,
                     unsigned number)
    : process_(process), node_(node), bridge_(bridge), id_(id), preferred_pid_(pid), number_(number) {}

Interface::~Interface() { node_.release(*this); }

int Interface::open(ptl_pid_t pid, const ptl_ni_limits_t* desired, ptl_ni_limits_t* actual,
                    ptl_handle_ni_t* ni) {
  for (bool opening = true; opening;) {
    Section section{*this, Context::kCall};
    if (state_ == State::kClosing) return PTL_IFACE_INVALID;
    if (state_ == State::kOpen) return open_again(pid, actual, ni);
    opening = state_ == State::kOpening;  // another thread opens it; that takes a moment
    state_ = State::kOpening;
  }
  // Without this lock, because the node takes its own lock first.
  if (pid == PTL_PID_ANY) pid = preferred_pid_;
  const bool claimed = node_.claim(*this, pid);
  const ptl_ni_limits_t hardware = nal().limits();
  const Identity identity = bridge_.identity();
  const NodeId self = nal().self();
  const NodeId nodes = nal().nodes();

  Section section{*this, Context::kCall};
  state_ = State::kClosed;
  if (!claimed) return PTL_PID_INVALID;
  for (auto limit : kEachLimit) {
    limits_.*limit = std::min(hardware.*limit, kLibraryLimits.*limit);
    if (desired != nullptr && desired->*limit >= 0)
      limits_.*limit = std::min(limits_.*limit, desired->*limit);
  }
  identity_ = identity;
  nodes_ = nodes;
  self_ = {self, pid};
  portals_.assign(limits_.max_pt_index + 1, MatchList{});
  access_.assign(limits_.max_ac_index + 1,
                 Access{{PTL_NID_ANY, PTL_PID_ANY}, identity.uid, PTL_JID_ANY, PTL_PT_INDEX_ANY});
  counters_.fill(0);
  ++generation_;
  state_ = State::kOpen;
  return open_again(PTL_PID_ANY, actual, ni);
}

int Interface::open_again(ptl_pid_t pid, ptl_ni_limits_t* actual, ptl_handle_ni_t* ni) {
  if (pid != PTL_PID_ANY && pid != self_.pid) return PTL_PID_INVALID;
  ++opens_;
  if (actual != nullptr) *actual = limits_;
  *ni = handle_of(HandleKind::kInterface, TableSlot{.index = 0, .generation = generation_});
  return PTL_OK;
}

int Interface::close(ptl_handle_ni_t ni) {
  {
    Section section{*this, Context::kCall};
    if (!is_mine(ni)) return PTL_NI_INVALID;
    // A handler cannot end the life that it runs in.
    if (opens_ == 1 && handlers_running_ && handlers_thread_ == &current_context) return PTL_FAIL;
    if (--opens_ != 0) return PTL_OK;
    state_ = State::kClosing;
  }
  shut();
  return PTL_OK;
}

void Interface::close_whatever_is_open() {
  {
    Section section{*this, Context::kCall};
    if (state_ != State::kOpen) return;
    opens_ = 0;
    state_ = State::kClosing;
  }
  shut();
}

void Interface::shut() {
  node_.release(*this);
  // The network may still use the user's memory, which must be free when this returns.
  for (;;) {
    const std::uint64_t seen = activity_.load(std::memory_order_acquire);
    {
      Section section{*this, Context::kCall};
      if (messages_.taken() == 0 && !handlers_running_) break;
    }
    bridge_.wait(nal(), activity_, seen, kForever);
  }
  std::vector<MemoryKey> registrations;
  {
    Section section{*this, Context::kCall};
    descriptors_.for_each_live([&](Descriptor& descriptor) {
      if (descriptor.validated) registrations.push_back(descriptor.memory);
      descriptor.region = {};
      descriptors_.give_back(descriptor);
    });
    entries_.for_each_live([&](MatchEntry& entry) { entries_.give_back(entry); });
    queues_.for_each_live([&](EventQueue& queue) {
      queue.clear();
      queues_.give_back(queue);
    });
    failures_.clear();
    expectations_.clear();
    state_ = State::kClosed;
    changed_ = true;  // threads may wait at a queue that is gone
    activity_.store(activity_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  for (const MemoryKey memory : registrations) bridge_.invalidate(memory);
}

bool Interface::is_mine(ptl_handle_ni_t ni) const {
  return state_ == State::kOpen &&
         ni == handle_of(HandleKind::kInterface, TableSlot{.index = 0, .generation = generation_});
}

ptl_handle_any_t Interface::handle_of(HandleKind kind, const TableSlot& slot) const {
  return Handle{kind, number_, slot.generation, slot.index}.encode();
}

int Interface::status(ptl_handle_ni_t ni, ptl_sr_index_t index, ptl_sr_value_t* value) {
  Section section{*this, Context::kCall};
  if (!is_mine(ni)) return PTL_NI_INVALID;
  switch (index) {
    case PTL_SR_MALFORMED_COUNT:
      *value = node_.malformed();
      return PTL_OK;
    case PTL_SR_STRAY_COUNT:
      *value = node_.strays();
      return PTL_OK;
    default:
      if (index >= PTL_SR_COUNT) return PTL_SR_INDEX_INVALID;
      *value = counters_[index];
      return PTL_OK;
  }
}

int Interface::distance(ptl_handle_ni_t ni, ptl_process_id_t process, unsigned long* distance) {
  {
    Section section{*this, Context::kCall};
    if (!is_mine(ni)) return PTL_NI_INVALID;
    if (process.nid >= nodes_) return PTL_PROCESS_INVALID;
  }
  *distance = nal().distance(process.nid);
  return PTL_OK;
}

int Interface::identity(ptl_handle_ni_t ni, ptl_process_id_t* id, Identity* identity) {
  Section section{*this, Context::kCall};
  if (!is_mine(ni)) return PTL_NI_INVALID;
  if (id != nullptr) *id = self_;
  if (identity != nullptr) *identity = identity_;
  return PTL_OK;
}

int Interface::name(ptl_handle_any_t any, ptl_handle_ni_t* ni) {
  Section section{*this, Context::kCall};
  bool known = false;
  switch (Handle::decode(any).kind) {
    case HandleKind::kInterface:
      known = is_mine(any);
      break;
    case HandleKind::kEntry:
      known = find_entry(any) != nullptr;
      break;
    case HandleKind::kQueue:
      known = find_queue(any) != nullptr;
      break;
    case HandleKind::kDescriptor:
      known = find_descriptor(any) != nullptr;
      break;
  }
  if (!known) return PTL_HANDLE_INVALID;
  *ni = handle_of(HandleKind::kInterface, TableSlot{.index = 0, .generation = generation_});
  return PTL_OK;
}

int Interface::fail_node(ptl_handle_ni_t ni, ptl_nid_t nid, unsigned threshold) {
  Section section{*this, Context::kCall};
  if (!is_mine(ni)) return PTL_NI_INVALID;
  std::erase_if(failures_, [&](const Failure& failure) { return failure.nid == nid; });
  if (threshold != 0) failures_.push_back({nid, threshold});
  return PTL_OK;
}

bool Interface::fails(ptl_nid_t nid) {
  for (Failure& failure : failures_) {
    if (failure.nid != PTL_NID_ANY && failure.nid != nid) continue;
    if (failure.left != ~0u && --failure.left == 0)
      failures_.erase(failures_.begin() + (&failure - failures_.data()));
    return true;
  }
  return false;
}

void Interface::Section::send(TransferRecord& message) {
  message.doomed = !interface_.failures_.empty() && interface_.fails(message.peer);
  (last_ != nullptr ? last_->link : first_) = &message;
  last_ = &message;
}

Interface::Section::~Section() {
  Interface& interface = interface_;
  const bool changed = std::exchange(interface.changed_, false);
  const bool handlers = interface.handlers_wanted_ && !interface.handlers_running_;
  // Running handlers keeps the interface open.
  if (handlers) interface.handlers_running_ = true;
  interface.lock_.unlock();
  while (first_ != nullptr) {
    TransferRecord& message = *first_;
    first_ = std::exchange(message.link, nullptr);
    if (message.doomed) {
      interface.finalize(message, PTL_NI_FAIL);
    } else {
      message.context = context_;
      interface.nal().send(message);
    }
  }
  for (unsigned i = 0; i < retired_count_; ++i) interface.bridge_.invalidate(retired_[i]);
  if (changed) interface.bridge_.posted();
  if (handlers) interface.run_handlers();
}

void Interface::run_handlers() {
  Process::Current current{&process_};
  lock_.lock();
  handlers_thread_ = &current_context;
  while (std::exchange(handlers_wanted_, false)) {
    queues_.for_each_live([&](EventQueue& queue) {
      ptl_event_t event;
      while (queue.live && queue.next_for_handler(event)) {
        const ptl_eq_handler_t handler = queue.handler;
        lock_.unlock();
        handler(&event);
        lock_.lock();
      }
    });
  }
  handlers_running_ = false;
  activity_.store(activity_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  lock_.unlock();
  bridge_.posted();
}

}  // namespace aqueduct::portals3
