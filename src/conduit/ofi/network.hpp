// The objects of libfabric that a rank needs, and the calls on them: one domain, one endpoint, one completion
// queue, one address vector in the order of ranks.
//
// Posting answers kRetry where libfabric says to try again. Failures that a lost connection may explain are
// remembered: the supervisor mostly knows better why a peer is gone and ends the job itself, so the conduit
// says so only after ten seconds. Every other failure ends the job with one line.
//
// An operation names its handler, which hears of its completion. The handler keeps it until then: libfabric
// may use its first bytes.
//
// Narrowing (settings.hpp) is done here: completions are held back and come in any order, and buffers that
// are not registered are refused.
//
// Threads: one at a time; the owner has a lock.
#pragma once
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

#include <map>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "conduit/conduit.hpp"
#include "conduit/device_transfers.hpp"
#include "conduit/ofi/pace.hpp"
#include "conduit/ofi/provider.hpp"
#include "conduit/ofi/socket_watch.hpp"

namespace aqueduct::conduit::ofi {

struct CloseFid {
  template <class Object>
  void operator()(Object* object) const {
    fi_close(&object->fid);
  }
};
template <class Object>
using Owned = std::unique_ptr<Object, CloseFid>;

class OperationHandler;

/// What is under way.
struct Operation {
  fi_context2 context;                  ///< libfabric's, while it is under way
  OperationHandler* handler = nullptr;  ///< set before it is posted
  RankId peer = kNoRank;
};

using Completion = fi_cq_data_entry;

/// Who has posted an operation. Called by take_completions().
class OperationHandler {
 public:
  /// What its operations are, for errors: "a message".
  virtual const char* what() const = 0;
  virtual void completed(Operation& operation, const Completion& completion) = 0;
  /// The peer is gone: there will be no completion.
  virtual void abandoned(Operation& operation) { (void)operation; }

 protected:
  ~OperationHandler() = default;
};

/// Who hears of writes of peers that tell this rank's completion queue.
class RemoteWriteHandler {
 public:
  virtual void written(std::uint32_t data) = 0;

 protected:
  ~RemoteWriteHandler() = default;
};

/// Memory that one operation reads or writes here, and by what registration.
struct LocalMemory {
  const void* address = nullptr;
  std::size_t bytes = 0;
  fid_mr* registration = nullptr;
  bool is_device = false;  ///< always by its registration
};

/// Memory of a peer.
struct RemoteMemory {
  std::uint64_t address = 0;
  std::uint64_t key = 0;
};

/// An atomic operation as libfabric calls it, on one element.
struct AtomicCode {
  fi_datatype type;
  fi_op op;
  /// The comparand is given to fi_compare_atomic alone.
  bool compares() const { return op == FI_CSWAP; }
};

class Network {
 public:
  static constexpr std::size_t kAtOnce = 16;  ///< completions that are taken in one call

  /// Exchanges addresses: on all ranks. `receive_bytes`: a receive buffer is finished when less is left.
  Network(const Settings& settings, Provider provider, const Opening& opening, std::size_t receive_bytes);

  const Properties& properties() const { return provider_.properties; }
  const char* provider_name() const { return provider_.name(); }
  /// Why memory of devices is staged, if the provider was not asked for it.
  const std::string& why_staged() const { return provider_.why_staged; }

  /// Sent without a completion; `bytes` are at most inject_bytes.
  Post inject(RankId target, const void* bytes, std::size_t count);
  Post send(RankId target, const LocalMemory& from, Operation& operation);
  Post receive(const LocalMemory& to, Operation& operation);
  /// The completion says that it has arrived, or, if not `must_arrive`, that `from` is free again.
  Post write(RankId target, const LocalMemory& from, const RemoteMemory& to, bool must_arrive,
             Operation& operation);
  /// The target's completion queue tells of it, with `data`. Where the provider turns out not to have that,
  /// kRetry: from then on Properties::completion_data is false.
  Post write_and_tell(RankId target, const LocalMemory& from, const RemoteMemory& to, std::uint32_t data,
                      Operation& operation);
  Post read(RankId target, const LocalMemory& to, const RemoteMemory& from, Operation& operation);

  /// Whether the provider has it, in the form that fetches.
  bool has(const AtomicCode& code);
  /// `operands` are two elements, of which only one that compares has the second, the comparand; what was
  /// there before goes to `before`, one element in the same registration.
  Post atomic(RankId target, const AtomicCode& code, const LocalMemory& operands, void* before,
              const RemoteMemory& to, Operation& operation);

  /// Tells the handlers of what has completed or was abandoned, and answers how many completions there were,
  /// at most kAtOnce; or 1 while data stream in that complete nothing here.
  std::size_t take_completions();
  void tell_of_remote_writes(RemoteWriteHandler& handler) { remote_writes_ = &handler; }

  /// shm keeps a file until its endpoint is closed. Nothing may be posted any more.
  bool leaves_files() const { return provider_.reaches_one_machine_only(); }
  void close() { endpoint_.reset(); }

  int wake_descriptor() const { return wake_descriptor_; }
  bool may_sleep();

  /// Memory that libfabric may read or write, also for peers if `is_remote`. Null, with errno's value in
  /// `*error`, if it is refused.
  fid_mr* register_memory(void* base, std::size_t bytes, bool is_remote, int* error);
  /// The same of a device, for this rank and peers.
  fid_mr* register_device_memory(const DeviceRegion& region, int* error);
  void close_registration(fid_mr* registration);
  fid_domain& domain() { return *domain_; }
  fid_ep& endpoint() { return *endpoint_; }
  fid_cq& queue() { return *queue_; }
  fi_addr_t address_of(RankId rank) const { return addresses_.empty() ? rank : addresses_[rank]; }

  /// True if the connection to that peer was the first that was lost.
  bool has_lost(RankId peer) const { return lost_since_ns_ != 0 && lost_peer_ == peer; }

 private:
  std::size_t completions(std::span<Completion> into);
  void watch_losses();
  void open_queue();
  bool may_watch_sockets() const;
  net::Address listens_at(const void* name) const;
  fi_addr_t towards(RankId target) {
    if (socket_watch_ && !is_contacted_[target]) [[unlikely]]
      note_contact(target);
    return address_of(target);
  }
  void note_contact(RankId target);
  void exchange_addresses(const job::Membership& place, job::Bootstrap& bootstrap);
  Post answer(ssize_t result, const char* what, RankId peer);
  void read_failure();
  void take_failure(const fi_cq_err_entry& failure);
  void fail_some_day(std::span<const Completion> found);
  void note_loss(RankId peer, const std::string& why);
  std::size_t read_queue(std::span<Completion> into);
  std::size_t read_in_pace(std::span<Completion> into);
  std::size_t any_order(std::span<Completion> into);
  void check_registered(const LocalMemory& memory) const;
  void* descriptor(const LocalMemory& memory) const {
    return must_register_ || memory.is_device ? fi_mr_desc(memory.registration) : nullptr;
  }
  fid_mr* enabled(int result, fid_mr* registration, const void* base, std::size_t bytes, int* error);

  Provider provider_;
  Narrowing narrowing_;
  RankId self_;
  Clock& clock_;
  RemoteWriteHandler* remote_writes_ = nullptr;
  bool must_register_;  // libfabric itself asks for it
  Owned<fid_fabric> fabric_;
  Owned<fid_domain> domain_;
  Owned<fid_wait> wait_set_;  // of the queue, if it has one
  Owned<fid_cq> queue_;
  Owned<fid_av> vector_;
  Owned<fid_ep> endpoint_;
  std::vector<fi_addr_t> addresses_;  // empty: they are the ranks
  int wake_descriptor_ = -1;
  std::unique_ptr<SocketWatch> socket_watch_;  // if there is one, the queue has no wait object
  std::vector<bool> is_contacted_;             // for it: ranks that something was posted to
  Pace pace_;                                  // of looks at the queue, where sockets are watched
  bool data_stream_in_ = false;
  std::uint64_t next_key_ = 1;
  std::uint64_t lost_since_ns_ = 0;
  RankId lost_peer_ = kNoRank;
  std::string lost_why_;
  std::vector<Operation*> failed_;
  std::vector<Completion> held_back_;
  std::uint64_t completed_ = 0;  // if it is to fail
  std::minstd_rand shuffle_;
  std::map<fid_mr*, std::pair<std::uintptr_t, std::size_t>> registered_;  // if it is checked
};

}  // namespace aqueduct::conduit::ofi
