#include "conduit/ofi/device_trial.hpp"

#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>

#include "base/changed_environment.hpp"
#include "conduit/ofi/device_registration.hpp"
#include "conduit/ofi/network.hpp"
#include "conduit/ofi/ofi.hpp"

namespace aqueduct::conduit::ofi {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Bytes = std::vector<std::byte>;

constexpr auto kPatience = std::chrono::seconds(5);
constexpr std::size_t kSizes[] = {1, 4099, std::size_t{1} << 20};
constexpr std::size_t kMost = std::size_t{1} << 20;
constexpr std::size_t kOffset = 61;  // what lies before and behind must stay as it is
constexpr std::size_t kBufferBytes = kMost + kPage;
constexpr auto kUntouched = std::byte{0xa5};

/// What went wrong; empty: nothing.
using Why = std::string;

Bytes pattern(std::size_t bytes, unsigned seed) {
  Bytes made(bytes);
  for (std::size_t i = 0; i < bytes; ++i) made[i] = static_cast<std::byte>(i * 7 + (i >> 8) + seed * 31);
  return made;
}

/// One side of the transfers.
struct Memory {
  std::byte* base = nullptr;
  bool is_device = false;
  Owned<fid_mr> registration;
  const char* name() const { return is_device ? "the device" : "the host"; }
};

struct End {
  Owned<fid_cq> queue;
  Owned<fid_av> vector;
  Owned<fid_ep> endpoint;
  fi_addr_t other = 0;
};

class Trial {
 public:
  Trial(Provider provider, device::Driver& driver, device::Context device, device::Family family, int ordinal)
      : provider_(std::move(provider)),
        driver_(driver),
        device_(device),
        family_(family),
        ordinal_(ordinal) {}

  Why run();

 private:
  bool failed(int result, const char* what) {
    if (result >= 0) return false;
    why_ = std::string(what) + " of provider " + provider_.name() + " fails: " + fi_strerror(-result);
    return true;
  }
  bool failed(const device::Outcome& outcome) {
    if (!outcome.failed()) return false;
    why_ = std::string(outcome.call) + ": " + driver_.meaning(outcome.code);
    return true;
  }

  /// In the device's context, which nobody has entered when the provider is called: so it is in a job.
  template <class Call>
  bool failed_on_device(const Call& call) {
    const device::Entered entered(driver_, device_);
    return failed(entered.outcome) || failed(call());
  }

  bool open_network();
  bool open(End& end);
  bool connect(End& from, End& to);
  bool make(Memory& memory, bool is_device);
  bool set(const Memory& memory, const Bytes& content);
  bool look(const Memory& memory, Bytes* content);
  bool transfer(bool is_get, const Memory& local, const Memory& remote, std::size_t bytes);
  bool check(bool is_get, const Memory& local, const Memory& remote, std::size_t bytes, unsigned seed);
  bool copy(void* to, const void* from, std::size_t bytes);
  /// The completion has come, or something is wrong.
  bool progress(bool* is_over);

  Provider provider_;
  device::Driver& driver_;
  const device::Context device_;
  const device::Family family_;
  const int ordinal_;
  Why why_;
  device::Stream stream_ = nullptr;
  Owned<fid_fabric> fabric_;
  Owned<fid_domain> domain_;
  End here_, there_;
  std::uint64_t next_key_ = 1;
  fi_context2 context_{};
};

bool Trial::open_network() {
  fi_info& info = *provider_.info;
  info.tx_attr->op_flags = 0;
  info.rx_attr->op_flags = 0;
  fid_fabric* fabric = nullptr;
  if (failed(fi_fabric(info.fabric_attr, &fabric, nullptr), "fi_fabric")) return false;
  fabric_.reset(fabric);
  fid_domain* domain = nullptr;
  if (failed(fi_domain(fabric, &info, &domain, nullptr), "fi_domain")) return false;
  domain_.reset(domain);
  return open(here_) && open(there_) && connect(here_, there_) && connect(there_, here_);
}

bool Trial::open(End& end) {
  fi_cq_attr queue_attr{};
  queue_attr.format = FI_CQ_FORMAT_DATA;
  queue_attr.wait_obj = FI_WAIT_NONE;
  fid_cq* queue = nullptr;
  if (failed(fi_cq_open(domain_.get(), &queue_attr, &queue, nullptr), "fi_cq_open")) return false;
  end.queue.reset(queue);
  fi_av_attr vector_attr{};
  vector_attr.type = FI_AV_TABLE;
  vector_attr.count = 1;
  fid_av* vector = nullptr;
  if (failed(fi_av_open(domain_.get(), &vector_attr, &vector, nullptr), "fi_av_open")) return false;
  end.vector.reset(vector);
  fid_ep* endpoint = nullptr;
  ChangedEnvironment environment;
  set_up_layers(environment);
  if (failed(fi_endpoint(domain_.get(), provider_.info.get(), &endpoint, nullptr), "fi_endpoint"))
    return false;
  end.endpoint.reset(endpoint);
  return !failed(fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind") &&
         !failed(fi_ep_bind(endpoint, &vector->fid, 0), "fi_ep_bind") &&
         !failed(fi_enable(endpoint), "fi_enable");
}

bool Trial::connect(End& from, End& to) {
  std::size_t bytes = 0;
  fi_getname(&to.endpoint->fid, nullptr, &bytes);
  Bytes name(bytes);
  if (failed(fi_getname(&to.endpoint->fid, name.data(), &bytes), "fi_getname")) return false;
  const int inserted = fi_av_insert(from.vector.get(), name.data(), 1, &from.other, 0, nullptr);
  return !failed(inserted == 1 ? 0 : -FI_EOTHER, "fi_av_insert");
}

bool Trial::make(Memory& memory, bool is_device) {
  void* base = nullptr;
  fid_mr* registration = nullptr;
  int result = 0;
  memory.is_device = is_device;
  if (is_device) {
    if (failed_on_device([&] { return driver_.allocate(kBufferBytes, &base); })) return false;
    result =
        register_on_device(*domain_, {family_, ordinal_, base, kBufferBytes}, next_key_++, &registration);
  } else {
    base = ::operator new (kBufferBytes, std::align_val_t{kPage});
    result =
        fi_mr_reg(domain_.get(), base, kBufferBytes, FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE, 0,
                  next_key_++, 0, &registration, nullptr);
  }
  memory.base = static_cast<std::byte*>(base);
  if (failed(result, is_device ? "registering memory of the device by fi_mr_regattr" : "fi_mr_reg"))
    return false;
  memory.registration.reset(registration);
  if (!provider_.properties.endpoint_registration) return true;
  return !failed(fi_mr_bind(registration, &there_.endpoint->fid, 0), "fi_mr_bind") &&
         !failed(fi_mr_enable(registration), "fi_mr_enable");
}

bool Trial::copy(void* to, const void* from, std::size_t bytes) {
  return !failed_on_device([&] {
    const device::Outcome outcome = driver_.copy(to, from, bytes, stream_);
    return outcome.failed() ? outcome : driver_.wait(stream_);
  });
}

bool Trial::set(const Memory& memory, const Bytes& content) {
  if (memory.is_device) return copy(memory.base, content.data(), content.size());
  std::memcpy(memory.base, content.data(), content.size());
  return true;
}

bool Trial::look(const Memory& memory, Bytes* content) {
  content->resize(kBufferBytes);
  if (memory.is_device) return copy(content->data(), memory.base, kBufferBytes);
  std::memcpy(content->data(), memory.base, kBufferBytes);
  return true;
}

bool Trial::progress(bool* is_over) {
  for (End* const end : {&here_, &there_}) {
    Completion completion;
    const ssize_t found = fi_cq_read(end->queue.get(), &completion, 1);
    if (found == 1) {
      *is_over |= completion.op_context == &context_;
    } else if (found == -FI_EAVAIL) {
      fi_cq_err_entry failure{};
      fi_cq_readerr(end->queue.get(), &failure, 0);
      return !failed(-failure.err, "a transfer");
    } else if (found != -FI_EAGAIN && found != 0) {
      return !failed(static_cast<int>(found), "fi_cq_read");
    }
  }
  return true;
}

bool Trial::transfer(bool is_get, const Memory& local, const Memory& remote, std::size_t bytes) {
  const Properties& properties = provider_.properties;
  const iovec part{local.base + kOffset, bytes};
  const std::uint64_t base = properties.virtual_addresses ? reinterpret_cast<std::uint64_t>(remote.base) : 0;
  const fi_rma_iov target{base + kOffset, bytes, fi_mr_key(remote.registration.get())};
  void* descriptor = fi_mr_desc(local.registration.get());
  fi_msg_rma message{};
  message.msg_iov = &part;
  message.desc = descriptor ? &descriptor : nullptr;
  message.iov_count = 1;
  message.addr = here_.other;
  message.rma_iov = &target;
  message.rma_iov_count = 1;
  message.context = &context_;
  const auto until = SteadyClock::now() + kPatience;
  bool is_over = false;
  bool is_posted = false;
  while (!is_over) {
    if (!is_posted) {
      const ssize_t result =
          is_get ? fi_readmsg(here_.endpoint.get(), &message, FI_COMPLETION)
                 : fi_writemsg(here_.endpoint.get(), &message, FI_COMPLETION | properties.arrival);
      if (result != -FI_EAGAIN && failed(static_cast<int>(result), is_get ? "fi_readmsg" : "fi_writemsg"))
        return false;
      is_posted = result == 0;
    }
    if (!progress(&is_over)) return false;
    if (!is_over && SteadyClock::now() > until) return !failed(-FI_ETIMEDOUT, "a transfer");
  }
  return true;
}

bool Trial::check(bool is_get, const Memory& local, const Memory& remote, std::size_t bytes, unsigned seed) {
  const Memory& from = is_get ? remote : local;
  const Memory& to = is_get ? local : remote;
  Bytes before(kBufferBytes, kUntouched), source(kBufferBytes, kUntouched), after;
  const Bytes sent = pattern(bytes, seed);
  std::ranges::copy(sent, source.begin() + kOffset);
  if (!set(from, source) || !set(to, before) || !transfer(is_get, local, remote, bytes) || !look(to, &after))
    return false;
  if (after == source) return true;
  const auto wrong = std::ranges::mismatch(after, source).in1 - after.begin();
  why_ = std::string("provider ") + provider_.name() + " has moved wrong bytes: a " +
         (is_get ? "get" : "put") + " of " + std::to_string(bytes) + " from " + from.name() + " to " +
         to.name() + ", at byte " + std::to_string(wrong - static_cast<std::ptrdiff_t>(kOffset));
  return false;
}

Why Trial::run() {
  Memory host_here, host_there, device_here, device_there;
  if (!open_network() || failed_on_device([&] { return driver_.make_stream(&stream_); }) ||
      !make(host_here, false) || !make(host_there, false) || !make(device_here, true) ||
      !make(device_there, true))
    return why_;
  unsigned seed = 0;
  for (const std::size_t size : kSizes) {
    const std::size_t bytes = std::min(size, provider_.properties.max_message_bytes);
    for (const bool is_get : {false, true}) {
      if (!check(is_get, host_here, device_there, bytes, ++seed) ||
          !check(is_get, device_here, device_there, bytes, ++seed) ||
          !check(is_get, device_here, host_there, bytes, ++seed))
        return why_;
    }
  }
  return {};
}

}  // namespace

std::string try_device(const job::Membership& membership, device::Family family, int ordinal) {
  // Both ends are in this process, where efa would not use its card.
  ChangedEnvironment environment;
  environment.set_default("FI_EFA_ENABLE_SHM_TRANSFER", "0");
  Provider provider = provider_for(Settings::from_environment(), membership);
  if (!provider.info) return provider.reason;
  if (!provider.properties.device_memory) return provider.why_staged;
  std::string why;
  device::Driver* const driver = device::driver(family, &why);
  if (!driver) return why;
  device::Context context = nullptr;
  if (const device::Outcome outcome = driver->open({.ordinal = ordinal}, &context); outcome.failed())
    return std::string(outcome.call) + ": " + driver->meaning(outcome.code);
  // Nobody waits for what libraries do at the end: the process ends when it has answered.
  auto* const trial = new Trial(std::move(provider), *driver, context, family, ordinal);
  return trial->run();
}

}  // namespace aqueduct::conduit::ofi
