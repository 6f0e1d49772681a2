// RandomAccess on the bare interface of EXTOLL: each update is a VELO message of 8 bytes, and the owner of
// its word applies it when it takes the message from its mailbox. The library's own messages are not used
// until all updates have been made.
//
// A sender without credit empties its own mailbox meanwhile; otherwise two ranks that send to each other
// could wait for each other.
#include <velo2.h>

#include <unordered_map>

#include "base/fatal.hpp"
#include "papers/bench/random_access/versions.hpp"

namespace aqueduct::bench::random_access {
namespace {

void must(velo2_ret_t code, const char* call) {
  if (code != VELO2_RET_SUCCESS) fatal("random-access", "%s failed: %s", call, velo2_strerror(code));
}

class Velo final : public Version {
 public:
  explicit Velo(const Job& job) : Version(job) {
    must(velo2_open(&port_), "velo2_open");
    job.barrier();  // all ports are open before anybody sends
  }
  ~Velo() override {
    job_.barrier();
    velo2_close(&port_);
  }

  void make_updates() override {
    for_each_update_elsewhere([this](std::uint64_t value, gex_Rank_t owner) {
      velo2_connection_t& target = connection_to(owner);
      velo2_ret_t code;
      while ((code = velo2_send(&target, &value, sizeof value, 0, 0)) == VELO2_RET_TRY_AGAIN) poll();
      must(code, "velo2_send");
      ++sent_;
      poll();  // as a request of active messages does: updates are applied while others are under way
    });
  }

  void poll() override {
    std::uint64_t value = 0;
    velo2_ret_t code;
    while ((code = velo2_probe_recv(&port_, &value, sizeof value, nullptr, nullptr, nullptr, nullptr)) ==
           VELO2_RET_SUCCESS) {
      job_.share->table.update(value);
      ++job_.share->received;
    }
    if (code != VELO2_RET_NO_MSG) must(code, "velo2_probe_recv");
  }

  bool needs_polls() const override { return true; }

 private:
  /// Made when first needed: a rank of a large job talks to few others.
  velo2_connection_t& connection_to(gex_Rank_t owner) {
    const auto [found, is_new] = connections_.try_emplace(owner);
    if (is_new) {
      must(velo2_connect(&port_, &found->second, static_cast<velo2_nodeid_t>(owner), velo2_get_vpid(&port_)),
           "velo2_connect");
    }
    return found->second;
  }

  velo2_port_t port_{};
  std::unordered_map<gex_Rank_t, velo2_connection_t> connections_;
};

}  // namespace

std::unique_ptr<Version> make_velo(const Job& job) { return std::make_unique<Velo>(job); }

}  // namespace aqueduct::bench::random_access
