// libfabric as barely as can be, beside the conduit: `aqueduct bench --against raw`
// (conduit/plugin/bare_interface.hpp). An endpoint of its own with the same provider, busy-polled.
#include "conduit/ofi/ofi.hpp"

#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <vector>

#include "base/fatal.hpp"
#include "conduit/ofi/bare.hpp"
#include "conduit/ofi/network.hpp"
#include "conduit/plugin/bare_interface.hpp"

namespace aqueduct::conduit::ofi {
namespace {

using plugin::BareRun;

constexpr std::size_t kShort = 24;           // as long as a short active message with a head
constexpr std::size_t kLeastWritten = 4096;  // from here on a stream consists of writes
constexpr std::uint64_t kUnderWay = 16;

const Opening* opened = nullptr;

double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

class Bare {
 public:
  Bare(const Settings& settings, std::size_t most_bytes)
      : network_(settings, provider_for(settings, opened->place), *opened, most_bytes),
        endpoint_(network_.endpoint()),
        queue_(network_.queue()),
        bytes_(std::max(most_bytes, kShort)),
        memory_(2 * bytes_) {
    int error = 0;
    registration_ = network_.register_memory(memory_.data(), memory_.size(), true, &error);
    if (!registration_)
      fatal("ofi", "memory for the bare interface is not registered: %s", fi_strerror(error));
    const bool is_virtual = network_.properties().virtual_addresses;
    const RemoteMemory mine{is_virtual ? reinterpret_cast<std::uint64_t>(memory_.data()) : 0,
                            fi_mr_key(registration_)};
    opened->bootstrap.all_gather(mine,
                                 [&](RankId, const RemoteMemory& theirs) { remote_.push_back(theirs); });
    post_receive();
  }

  double ping_pong(const BareRun& run) {
    return timed(run, [&] {
      if (run.leads) send(run);
      receive();
      if (!run.leads) send(run);
    });
  }

  double put(const BareRun& run) {
    if (!run.leads) {
      receive();
      return 0;
    }
    const double ns = timed(run, [&] {
      write(run, 0);
      while (written_ != begun_) progress();
    });
    send({run.partner, true, 0, 0, 0});
    while (sent_ != sending_) progress();
    return ns;
  }

  double stream(const BareRun& run) {
    const bool writes = run.bytes >= kLeastWritten;
    if (!run.leads) {
      for (std::uint64_t i = 0; !writes && i < run.count; ++i) receive();
      if (writes) receive();
      send({run.partner, true, 0, 0, 0});
      return 0;
    }
    const double start = now_ns();
    for (std::uint64_t i = 0; i < run.count; ++i) {
      writes ? write(run, kUnderWay - 1) : send(run);
    }
    while (written_ != begun_) progress();
    if (writes) send({run.partner, true, 0, 0, 0});
    receive();
    return now_ns() - start;
  }

 private:
  static double timed(const BareRun& run, const auto& operation) {
    for (std::uint64_t i = 0; i < run.warm_up; ++i) operation();
    const double start = now_ns();
    for (std::uint64_t i = 0; i < run.count; ++i) operation();
    return now_ns() - start;
  }

  void progress() {
    fi_cq_data_entry entry;
    const ssize_t found = fi_cq_read(&queue_, &entry, 1);
    if (found == 1) {
      if (entry.flags & FI_RECV) ++received_;
      if (entry.flags & FI_SEND) ++sent_;
      if (entry.flags & FI_WRITE) ++written_;
    } else if (found != -FI_EAGAIN) {
      fatal("ofi", "the bare interface fails: %s", fi_strerror(static_cast<int>(-found)));
    }
  }

  template <class Post>
  void insist(Post&& post) {
    ssize_t result;
    while ((result = post()) == -FI_EAGAIN) progress();
    if (result != 0) fatal("ofi", "the bare interface fails: %s", fi_strerror(static_cast<int>(-result)));
  }

  void send(const BareRun& run) {
    const std::size_t bytes = std::max(run.bytes, kShort);
    const fi_addr_t to = network_.address_of(run.partner);
    if (bytes <= network_.properties().inject_bytes) {
      insist([&] { return fi_inject(&endpoint_, memory_.data(), bytes, to); });
      return;
    }
    while (sending_ - sent_ >= kUnderWay) progress();
    insist([&] {
      return fi_send(&endpoint_, memory_.data(), bytes, fi_mr_desc(registration_), to,
                     &sends_[sending_ % kUnderWay]);
    });
    ++sending_;
  }

  void post_receive() {
    insist([&] {
      return fi_recv(&endpoint_, memory_.data() + bytes_, bytes_, fi_mr_desc(registration_), FI_ADDR_UNSPEC,
                     &receives_);
    });
  }
  void receive() {
    while (received_ == taken_) progress();
    ++taken_;
    post_receive();
  }

  void write(const BareRun& run, std::uint64_t most_before) {
    while (begun_ - written_ > most_before) progress();
    const iovec local{memory_.data(), run.bytes};
    const RemoteMemory& remote = remote_[run.partner];
    const fi_rma_iov there{remote.address, run.bytes, remote.key};
    void* registration = fi_mr_desc(registration_);
    fi_msg_rma message{};
    message.msg_iov = &local;
    message.desc = registration ? &registration : nullptr;
    message.iov_count = 1;
    message.addr = network_.address_of(run.partner);
    message.rma_iov = &there;
    message.rma_iov_count = 1;
    message.context = &writes_[begun_ % kUnderWay];
    insist([&] { return fi_writemsg(&endpoint_, &message, FI_COMPLETION | network_.properties().arrival); });
    ++begun_;
  }

  Network network_;
  fid_ep& endpoint_;
  fid_cq& queue_;
  std::size_t bytes_;
  std::vector<std::byte> memory_;  // to send from, and to receive in
  fid_mr* registration_ = nullptr;
  std::vector<RemoteMemory> remote_;
  std::uint64_t received_ = 0, taken_ = 0, sending_ = 0, sent_ = 0, begun_ = 0, written_ = 0;
  fi_context2 sends_[kUnderWay], receives_, writes_[kUnderWay];
};

std::optional<Bare> bare;

void open(std::size_t most_bytes) {
  Settings settings = Settings::from_environment();
  settings.narrowing = {};
  settings.narrowing.no_wait = true;
  bare.emplace(settings, most_bytes);
}

}  // namespace

void offer_bare_interface(const Opening& opening) {
  static std::optional<Opening> kept;
  kept.emplace(opening);
  opened = &*kept;
}

}  // namespace aqueduct::conduit::ofi

using aqueduct::conduit::plugin::BareRun;
const aqueduct::conduit::plugin::BareInterface aqueduct_bare_interface = {
    .open = aqueduct::conduit::ofi::open,
    .ping_pong_name = "messages of libfabric to and fro",
    .stream_name = "messages of libfabric, from 4 KiB on writes",
    .put_name = "fi_write, complete at the target",
    .ping_pong = [](const BareRun& run) { return aqueduct::conduit::ofi::bare->ping_pong(run); },
    .stream = [](const BareRun& run) { return aqueduct::conduit::ofi::bare->stream(run); },
    .put = [](const BareRun& run) { return aqueduct::conduit::ofi::bare->put(run); },
};
