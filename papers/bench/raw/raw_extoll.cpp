// Bare VELO, for comparison with extoll. A message of more than one slot goes in packets of 56 bytes, like
// the conduit's, without head, credits and handlers.
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <vector>

#include "raw/raw_interface.hpp"
#include "stopwatch.hpp"
#include "velo2.h"

namespace aqueduct::bench {
namespace {

/// As long as a short active message with its head.
constexpr std::size_t kLeastBytes = 16;
constexpr unsigned kLooksBetweenYields = 1U << 10;

void must(velo2_ret_t code, const char* what) {
  if (code == VELO2_RET_SUCCESS) return;
  fmt::print(stderr, "aqueduct bench: bare {}: {}\n", what, velo2_strerror(code));
  gasnet_exit(1);
}

class RawExtoll final : public RawInterface {
 public:
  explicit RawExtoll(Session& session) : session_(session) {
    must(velo2_open(&port_), "velo2_open");
    const std::uint64_t vpid = session_.gather(velo2_get_vpid(&port_))[session_.partner()];
    must(velo2_connect(&port_, &partner_, static_cast<velo2_nodeid_t>(session_.partner()),
                       static_cast<velo2_vpid_t>(vpid)),
         "velo2_connect");
  }

  std::string ping_pong_name() const override { return "bare VELO packets of up to 56 bytes"; }
  std::string stream_name() const override { return "a bare stream of VELO packets of up to 56 bytes"; }
  Batch ping_pong(std::size_t bytes) override {
    return batch(bytes, [this](std::size_t message, std::uint64_t count) { return bounce(message, count); });
  }
  Batch stream(std::size_t bytes) override {
    return batch(bytes, [this](std::size_t message, std::uint64_t count) { return pour(message, count); });
  }

 private:
  template <class Run>
  Batch batch(std::size_t bytes, Run run) {
    const std::size_t message = std::max(bytes, kLeastBytes);
    buffer_.resize(std::max(buffer_.size(), message + VELO2_MAX_MSG_SIZE));
    return [this, message, run](std::uint64_t count) {
      return session_.measures() || session_.serves() ? run(message, count) : 0.0;
    };
  }

  void send(std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += VELO2_SLOT_PAYLOAD) {
      const auto part = static_cast<unsigned>(std::min<std::size_t>(bytes - at, VELO2_SLOT_PAYLOAD));
      velo2_ret_t code;
      while ((code = velo2_send(&partner_, buffer_.data() + at, part, 0, 0)) == VELO2_RET_TRY_AGAIN) {
      }
      must(code, "velo2_send");
    }
  }

  /// Polls; yields the core now and then, because the partner may need it.
  void receive(std::size_t bytes) {
    for (std::size_t at = 0; at < bytes;) {
      velo2_ret_t code;
      std::uint32_t length = 0;
      for (unsigned looks = 1;; ++looks) {
        code = velo2_probe_recv(&port_, buffer_.data() + at, VELO2_MAX_MSG_SIZE, &length, nullptr, nullptr,
                                nullptr);
        if (code != VELO2_RET_NO_MSG) break;
        if (looks % kLooksBetweenYields == 0) ::sched_yield();
      }
      must(code, "velo2_probe_recv");
      at += length;
    }
  }

  double bounce(std::size_t bytes, std::uint64_t count) {
    Stopwatch watch;
    for (std::uint64_t i = 0; i < kWarmUp + count; ++i) {
      if (i == kWarmUp) watch = Stopwatch{};
      if (session_.measures()) send(bytes);
      receive(bytes);
      if (!session_.measures()) send(bytes);
    }
    return watch.ns();
  }

  /// The partner answers when the last has come.
  double pour(std::size_t bytes, std::uint64_t count) {
    const Stopwatch watch;
    for (std::uint64_t i = 0; i < count; ++i) session_.measures() ? send(bytes) : receive(bytes);
    session_.measures() ? receive(kLeastBytes) : send(kLeastBytes);
    return watch.ns();
  }

  Session& session_;
  velo2_port_t port_{};
  velo2_connection_t partner_{};
  std::vector<std::byte> buffer_;
};

}  // namespace

std::unique_ptr<RawInterface> open_further_raw(Session& session, const Parameters& parameters) {
  if (parameters.conduit != "extoll") return nullptr;
  return std::make_unique<RawExtoll>(session);
}

}  // namespace aqueduct::bench
