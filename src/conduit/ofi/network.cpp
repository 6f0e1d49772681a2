#include "conduit/ofi/network.hpp"

#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>

#include "base/fatal.hpp"
#include "conduit/ofi/device_registration.hpp"
#include "net/system_address.hpp"
#include "world/world.hpp"

namespace aqueduct::conduit::ofi {
namespace {

constexpr const char* kWhere = "ofi";
constexpr std::uint64_t kPatienceNs = 10'000'000'000;
constexpr std::size_t kHeldBack = 8;
constexpr std::uint64_t kBeforeFailure = 100;

std::string in_words(ssize_t error) { return fi_strerror(static_cast<int>(error < 0 ? -error : error)); }

void must(int result, const char* what, const Provider& provider) {
  if (result == 0) return;
  fatal(kWhere, "%s of provider %s fails: %s; FI_LOG_LEVEL=warn says more, FI_PROVIDER takes another", what,
        provider.name(), in_words(result).c_str());
}

bool may_be_lost_connection(int error) {
  switch (error) {
    case FI_ECONNRESET:
    case FI_ECONNREFUSED:
    case FI_ECONNABORTED:
    case FI_ENOTCONN:
    case FI_ESHUTDOWN:
    case FI_EHOSTUNREACH:
    case FI_EHOSTDOWN:
    case FI_ENETUNREACH:
    case FI_ETIMEDOUT:
    case FI_ECANCELED:
    case EPIPE:
    case FI_EIO:
    case FI_ENOENT:
      return true;
    default:
      return false;
  }
}

}  // namespace

Network::Network(const Settings& settings, Provider provider, const Opening& opening,
                 std::size_t receive_bytes)
    : provider_(std::move(provider)),
      narrowing_(settings.narrowing),
      self_(opening.place.rank),
      clock_(opening.world.clock()),
      must_register_((provider_.info->domain_attr->mr_mode & FI_MR_LOCAL) != 0),
      shuffle_(self_ + 1) {
  fi_info& info = *provider_.info;
  // Asked for at each write that needs it.
  info.tx_attr->op_flags = properties().always_delivery_complete ? FI_DELIVERY_COMPLETE : 0;
  info.rx_attr->op_flags = 0;
  fid_fabric* fabric;
  must(fi_fabric(info.fabric_attr, &fabric, nullptr), "fi_fabric", provider_);
  fabric_.reset(fabric);
  fid_domain* domain;
  must(fi_domain(fabric, &info, &domain, nullptr), "fi_domain", provider_);
  domain_.reset(domain);
  open_queue();
  fi_av_attr vector_attr{};
  vector_attr.type = FI_AV_TABLE;
  vector_attr.count = opening.place.size;
  fid_av* vector;
  must(fi_av_open(domain, &vector_attr, &vector, nullptr), "fi_av_open", provider_);
  vector_.reset(vector);
  fid_ep* endpoint;
  {
    ChangedEnvironment environment;
    set_up_layers(environment);
    must(fi_endpoint(domain, &info, &endpoint, nullptr), "fi_endpoint", provider_);
  }
  endpoint_.reset(endpoint);
  must(fi_ep_bind(endpoint, &queue_->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind", provider_);
  must(fi_ep_bind(endpoint, &vector->fid, 0), "fi_ep_bind", provider_);
  must(fi_enable(endpoint), "fi_enable", provider_);
  // Now, and not before as is usual: shm of libfabric 1.17 has nothing to set before.
  if (properties().multi_receive) {
    must(fi_setopt(&endpoint->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &receive_bytes,
                   sizeof receive_bytes),
         "FI_OPT_MIN_MULTI_RECV", provider_);
  }
  exchange_addresses(opening.place, opening.bootstrap);
}

// Below rxm every socket is in an epoll set, if the queue has anything to sleep at. Since libfabric 1.18 the
// provider tcp is another one.
bool Network::may_watch_sockets() const {
  const std::uint32_t format = provider_.info->addr_format;
  return !narrowing_.no_wait && std::strcmp(provider_.name(), "tcp;ofi_rxm") == 0 &&
         FI_VERSION_LT(fi_version(), FI_VERSION(1, 18)) &&
         (format == FI_SOCKADDR_IN || format == FI_SOCKADDR_IN6);
}

// A name of libfabric's that is an address of sockets.
net::Address Network::listens_at(const void* name) const {
  net::SocketAddress address{};
  if (provider_.info->addr_format == FI_SOCKADDR_IN) {
    std::memcpy(&address.v4, name, sizeof address.v4);
  } else {
    std::memcpy(&address.v6, name, sizeof address.v6);
  }
  return net::from_system(address);
}

void Network::note_contact(RankId target) {
  is_contacted_[target] = true;
  net::SocketAddress name{};
  std::size_t bytes = sizeof name;
  if (fi_av_lookup(vector_.get(), address_of(target), &name, &bytes) == 0)
    socket_watch_->will_connect(listens_at(&name));
}

// With a wait set where there is one: fi_trywait of the provider net in libfabric 1.17 leaves the descriptor
// readable for ever after the first completion, and a look at the set does not. Else with a descriptor of its
// own, else with none.
void Network::open_queue() {
  const fi_info& info = *provider_.info;
  if (may_watch_sockets()) socket_watch_ = SocketWatch::open();
  fi_cq_attr attr{};
  attr.format = FI_CQ_FORMAT_DATA;
  attr.size = std::max<std::size_t>(1024, info.tx_attr->size + info.rx_attr->size);
  fid_cq* queue = nullptr;
  const auto open_with = [&](fi_wait_obj object, fid_wait* set) {
    attr.wait_obj = object;
    attr.wait_set = set;
    const int result = fi_cq_open(domain_.get(), &attr, &queue, nullptr);
    if (result == 0) queue_.reset(queue);
    return result;
  };
  const auto find_descriptor = [&](fid& object) {
    return fi_control(&object, FI_GETWAIT, static_cast<void*>(&wake_descriptor_)) == 0;
  };
  if (!narrowing_.no_wait && !socket_watch_) {
    fi_wait_attr set_attr{};
    set_attr.wait_obj = FI_WAIT_FD;
    fid_wait* set = nullptr;
    if (fi_wait_open(fabric_.get(), &set_attr, &set) == 0) {
      wait_set_.reset(set);
      if (open_with(FI_WAIT_SET, set) == 0 && find_descriptor(set->fid)) return;
      queue_.reset();
      wait_set_.reset();
    }
    if (open_with(FI_WAIT_FD, nullptr) == 0 && find_descriptor(queue_->fid)) return;
    queue_.reset();
    wake_descriptor_ = -1;
  }
  must(open_with(FI_WAIT_NONE, nullptr), "fi_cq_open", provider_);
  if (socket_watch_) wake_descriptor_ = socket_watch_->descriptor();
}

// Each rank contributes the name of its provider, a zero, and its address.
void Network::exchange_addresses(const job::Membership& place, job::Bootstrap& bootstrap) {
  const std::size_t name_bytes = std::strlen(provider_.name()) + 1;
  std::size_t address_bytes = 0;
  fi_getname(&endpoint_->fid, nullptr, &address_bytes);
  std::vector<std::byte> mine(name_bytes + address_bytes);
  std::memcpy(mine.data(), provider_.name(), name_bytes);
  must(fi_getname(&endpoint_->fid, mine.data() + name_bytes, &address_bytes), "fi_getname", provider_);
  mine.resize(name_bytes + address_bytes);
  if (socket_watch_) {
    socket_watch_->peers_connect_to(listens_at(mine.data() + name_bytes).port);
    is_contacted_.resize(place.size);
  }

  const job::Gathered& all = bootstrap.all_gather(mine);
  std::vector<std::byte> table;
  table.reserve(std::size_t{place.size} * address_bytes);
  for (RankId peer = 0; peer < place.size; ++peer) {
    const job::Bytes theirs = all[peer];
    if (theirs.size() < name_bytes || std::memcmp(theirs.data(), mine.data(), name_bytes) != 0) {
      const auto* const name = reinterpret_cast<const char*>(theirs.data());
      fatal(kWhere, "rank %u uses provider %.*s and rank %u %s; set FI_PROVIDER to one that all hosts have",
            peer, static_cast<int>(strnlen(name, theirs.size())), name, self_, provider_.name());
    }
    if (theirs.size() != mine.size()) {
      fatal(kWhere, "the address of rank %u has %zu bytes and that of rank %u %zu", peer,
            theirs.size() - name_bytes, self_, address_bytes);
    }
    table.insert(table.end(), theirs.begin() + static_cast<std::ptrdiff_t>(name_bytes), theirs.end());
  }
  addresses_.resize(place.size);
  const int inserted = fi_av_insert(vector_.get(), table.data(), place.size, addresses_.data(), 0, nullptr);
  if (inserted != static_cast<int>(place.size)) {
    fatal(kWhere, "provider %s takes %d of %u addresses: %s", provider_.name(), std::max(inserted, 0),
          place.size, inserted < 0 ? in_words(inserted).c_str() : "it does not say why");
  }
  bool are_ranks = true;
  for (RankId peer = 0; peer < place.size; ++peer) are_ranks = are_ranks && addresses_[peer] == peer;
  if (are_ranks) addresses_ = {};
}

Post Network::answer(ssize_t result, const char* what, RankId peer) {
  if (result == 0) [[likely]]
    return Post::kDone;
  if (result == -FI_EAGAIN) return Post::kRetry;
  if (!may_be_lost_connection(static_cast<int>(-result))) {
    fatal(kWhere, "%s for rank %u fails in provider %s: %s", what, peer, provider_.name(),
          in_words(result).c_str());
  }
  note_loss(peer, in_words(result));
  return Post::kRetry;
}

Post Network::inject(RankId target, const void* bytes, std::size_t count) {
  return answer(fi_inject(endpoint_.get(), bytes, count, towards(target)), "fi_inject", target);
}

Post Network::send(RankId target, const LocalMemory& from, Operation& operation) {
  check_registered(from);
  operation.peer = target;
  return answer(fi_send(endpoint_.get(), from.address, from.bytes, descriptor(from), towards(target),
                        &operation.context),
                "fi_send", target);
}

Post Network::receive(const LocalMemory& to, Operation& operation) {
  check_registered(to);
  const iovec memory{const_cast<void*>(to.address), to.bytes};
  void* local = descriptor(to);
  fi_msg message{};
  message.msg_iov = &memory;
  message.desc = local ? &local : nullptr;
  message.iov_count = 1;
  message.addr = FI_ADDR_UNSPEC;
  message.context = &operation.context;
  return answer(fi_recvmsg(endpoint_.get(), &message, properties().multi_receive ? FI_MULTI_RECV : 0),
                "fi_recvmsg", self_);
}

Post Network::write(RankId target, const LocalMemory& from, const RemoteMemory& to, bool must_arrive,
                    Operation& operation) {
  check_registered(from);
  operation.peer = target;
  const iovec memory{const_cast<void*>(from.address), from.bytes};
  const fi_rma_iov remote{to.address, from.bytes, to.key};
  void* local = descriptor(from);
  fi_msg_rma message{};
  message.msg_iov = &memory;
  message.desc = local ? &local : nullptr;
  message.iov_count = 1;
  message.addr = towards(target);
  message.rma_iov = &remote;
  message.rma_iov_count = 1;
  message.context = &operation.context;
  const std::uint64_t flags = FI_COMPLETION | (must_arrive ? properties().arrival : 0);
  return answer(fi_writemsg(endpoint_.get(), &message, flags), "fi_writemsg", target);
}

Post Network::write_and_tell(RankId target, const LocalMemory& from, const RemoteMemory& to,
                             std::uint32_t data, Operation& operation) {
  check_registered(from);
  operation.peer = target;
  const ssize_t result = narrowing_.refuses_write_data
                             ? -FI_ENOSYS
                             : fi_writedata(endpoint_.get(), from.address, from.bytes, descriptor(from), data,
                                            towards(target), to.address, to.key, &operation.context);
  if (result == -FI_ENOSYS && properties().arrival != 0) [[unlikely]] {
    provider_.properties.completion_data = false;
    return Post::kRetry;
  }
  return answer(result, "fi_writedata", target);
}

Post Network::read(RankId target, const LocalMemory& to, const RemoteMemory& from, Operation& operation) {
  check_registered(to);
  operation.peer = target;
  return answer(fi_read(endpoint_.get(), const_cast<void*>(to.address), to.bytes, descriptor(to),
                        towards(target), from.address, from.key, &operation.context),
                "fi_read", target);
}

bool Network::has(const AtomicCode& code) {
  std::size_t most = 0;
  const int result = code.compares() ? fi_compare_atomicvalid(endpoint_.get(), code.type, code.op, &most)
                                     : fi_fetch_atomicvalid(endpoint_.get(), code.type, code.op, &most);
  return result == 0 && most != 0;
}

Post Network::atomic(RankId target, const AtomicCode& code, const LocalMemory& operands, void* before,
                     const RemoteMemory& to, Operation& operation) {
  check_registered(operands);
  operation.peer = target;
  void* const local = descriptor(operands);
  const fi_addr_t address = towards(target);
  const std::size_t element = operands.bytes / 2;
  const ssize_t result =
      code.compares()
          ? fi_compare_atomic(endpoint_.get(), operands.address, 1, local,
                              static_cast<const std::byte*>(operands.address) + element, local, before, local,
                              address, to.address, to.key, code.type, code.op, &operation.context)
          : fi_fetch_atomic(endpoint_.get(), operands.address, 1, local, before, local, address, to.address,
                            to.key, code.type, code.op, &operation.context);
  return answer(result, "an atomic operation", target);
}

std::size_t Network::read_queue(std::span<Completion> into) {
  const ssize_t found = fi_cq_read(queue_.get(), into.data(), into.size());
  if (found > 0) {
    if (narrowing_.fails) [[unlikely]]
      fail_some_day(into.first(static_cast<std::size_t>(found)));
    return static_cast<std::size_t>(found);
  }
  if (found == -FI_EAVAIL) {
    read_failure();
  } else if (found != -FI_EAGAIN && found != 0) {
    fatal(kWhere, "the completion queue of provider %s fails: %s", provider_.name(), in_words(found).c_str());
  }
  return 0;
}

void Network::fail_some_day(std::span<const Completion> found) {
  completed_ += found.size();
  if (completed_ < kBeforeFailure) return;
  fi_cq_err_entry failure{};
  failure.op_context = found[0].op_context;
  failure.err = FI_ETRUNC;
  take_failure(failure);
}

void Network::read_failure() {
  fi_cq_err_entry failure{};
  if (fi_cq_readerr(queue_.get(), &failure, 0) > 0) take_failure(failure);
}

void Network::take_failure(const fi_cq_err_entry& failure) {
  auto* const operation = static_cast<Operation*>(failure.op_context);
  char text[256] = "";
  const char* const words =
      fi_cq_strerror(queue_.get(), failure.prov_errno, failure.err_data, text, sizeof text);
  const std::string why =
      in_words(failure.err) + (words && *words ? std::string(" (") + words + ")" : std::string());
  const RankId peer = operation ? operation->peer : kNoRank;
  if (!may_be_lost_connection(failure.err)) {
    const char* const what = operation ? operation->handler->what() : "something that a peer has begun";
    if (peer == kNoRank) fatal(kWhere, "%s fails in provider %s: %s", what, provider_.name(), why.c_str());
    fatal(kWhere, "%s for rank %u fails in provider %s: %s", what, peer, provider_.name(), why.c_str());
  }
  note_loss(peer, why);
  if (operation) failed_.push_back(operation);
}

void Network::note_loss(RankId peer, const std::string& why) {
  if (lost_since_ns_ != 0) return;
  lost_since_ns_ = clock_.now_ns();
  lost_peer_ = peer;
  lost_why_ = why;
}

// If a connection has been lost for so long that nobody else will say so, ends the job.
void Network::watch_losses() {
  if (lost_since_ns_ == 0 || clock_.now_ns() - lost_since_ns_ < kPatienceNs) [[likely]]
    return;
  if (lost_peer_ == kNoRank) fatal(kWhere, "a connection is lost: %s", lost_why_.c_str());
  fatal_about(lost_peer_, kWhere, "the connection to rank %u has been lost for %u s: %s", lost_peer_,
              static_cast<unsigned>((clock_.now_ns() - lost_since_ns_) / 1'000'000'000), lost_why_.c_str());
}

std::size_t Network::take_completions() {
  if (socket_watch_) socket_watch_->polled();
  Completion found[kAtOnce];
  const std::size_t count = completions(found);
  for (const Completion& completion : std::span(found, count)) {
    if (completion.flags & FI_REMOTE_CQ_DATA) [[unlikely]] {
      remote_writes_->written(static_cast<std::uint32_t>(completion.data));
      continue;
    }
    auto& operation = *static_cast<Operation*>(completion.op_context);
    operation.handler->completed(operation, completion);
  }
  while (!failed_.empty()) {
    Operation& operation = *failed_.back();
    failed_.pop_back();
    operation.handler->abandoned(operation);
  }
  if (count != 0) return count;
  watch_losses();
  return data_stream_in_ ? 1 : 0;
}

std::size_t Network::completions(std::span<Completion> into) {
  if (socket_watch_) return read_in_pace(into);
  return narrowing_.unordered ? any_order(into) : read_queue(into);
}

std::size_t Network::read_in_pace(std::span<Completion> into) {
  std::uint64_t now_ns = clock_.now_ns();
  while (pace_.holds_back(now_ns)) now_ns = clock_.now_ns();
  const std::size_t found = narrowing_.unordered ? any_order(into) : read_queue(into);
  data_stream_in_ = pace_.looked(now_ns, clock_.now_ns());
  return found;
}

// Keeps a few, and shows them in an order of chance; all of them when nothing more comes.
std::size_t Network::any_order(std::span<Completion> into) {
  Completion fresh[kHeldBack];
  const std::size_t found = read_queue(fresh);
  held_back_.insert(held_back_.end(), fresh, fresh + found);
  const std::size_t keep = found != 0 ? std::min(held_back_.size(), kHeldBack / 2) : 0;
  std::size_t shown = 0;
  while (held_back_.size() > keep && shown < into.size()) {
    std::swap(held_back_[shuffle_() % held_back_.size()], held_back_.back());
    into[shown++] = held_back_.back();
    held_back_.pop_back();
  }
  return shown;
}

bool Network::may_sleep() {
  if (!held_back_.empty()) return false;
  if (socket_watch_) {
    socket_watch_->arm(clock_.now_ns());
    const bool finds_nothing = fi_cq_read(queue_.get(), nullptr, 0) == -FI_EAGAIN;
    return finds_nothing && socket_watch_->covers_all();
  }
  if (wait_set_) return fi_wait(wait_set_.get(), 0) != FI_SUCCESS;
  fid* waited_for = &queue_->fid;
  return fi_trywait(fabric_.get(), &waited_for, 1) == FI_SUCCESS;
}

fid_mr* Network::register_memory(void* base, std::size_t bytes, bool is_remote, int* error) {
  if (narrowing_.refuses_registration) {
    *error = FI_ENOMEM;
    return nullptr;
  }
  const std::uint64_t access = FI_SEND | FI_RECV | FI_READ | FI_WRITE |
                               (is_remote ? FI_REMOTE_READ | FI_REMOTE_WRITE : std::uint64_t{0});
  fid_mr* registration = nullptr;
  const int result = fi_mr_reg(domain_.get(), base, bytes, access, 0, next_key_++, 0, &registration, nullptr);
  return enabled(result, registration, base, bytes, error);
}

fid_mr* Network::register_device_memory(const DeviceRegion& region, int* error) {
  fid_mr* registration = nullptr;
  const int result = register_on_device(*domain_, region, next_key_++, &registration);
  return enabled(result, registration, region.base, region.bytes, error);
}

// With what is left to do after a registration.
fid_mr* Network::enabled(int result, fid_mr* registration, const void* base, std::size_t bytes, int* error) {
  if (result == 0 && properties().endpoint_registration) {
    result = fi_mr_bind(registration, &endpoint_->fid, 0);
    if (result == 0) result = fi_mr_enable(registration);
    if (result != 0) fi_close(&registration->fid);
  }
  if (result != 0) {
    *error = -result;
    return nullptr;
  }
  if (narrowing_.local_registration)
    registered_[registration] = {reinterpret_cast<std::uintptr_t>(base), bytes};
  return registration;
}

void Network::close_registration(fid_mr* registration) {
  registered_.erase(registration);
  fi_close(&registration->fid);
}

void Network::check_registered(const LocalMemory& memory) const {
  if (!narrowing_.local_registration) [[likely]]
    return;
  const auto found = registered_.find(memory.registration);
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(memory.address);
  const bool is_covered = found != registered_.end() && address >= found->second.first &&
                          memory.bytes <= found->second.second &&
                          address - found->second.first <= found->second.second - memory.bytes;
  if (!is_covered)
    fatal(kWhere, "memory at %p (%zu bytes) is used but not registered", memory.address, memory.bytes);
}

}  // namespace aqueduct::conduit::ofi
