#include "job/launchers/plain.hpp"

#include <poll.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "job/launchers/root_address.hpp"
#include "job/membership.hpp"
#include "job/place.hpp"
#include "job/tcp_bootstrap.hpp"

namespace aqueduct::job::launchers {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kAll[] =
    "each rank needs AQUEDUCT_RANK, and all of them the same AQUEDUCT_SIZE and AQUEDUCT_ROOT=host:port";

RankId required_number(const char* name, std::int64_t least, std::int64_t most) {
  const std::optional<std::int64_t> value = env::integer({name}, least, most);
  if (!value)
    fatal("start",
          "%s is not set and %s is; %s (a program that starts its ranks itself reads AQUEDUCT_RANKS)", name,
          place::kRank, kAll);
  return static_cast<RankId>(*value);
}

JobKey key_of_environment() {
  const char* const text = std::getenv(place::kKey);
  if (text == nullptr || *text == '\0') return {};
  const std::optional<JobKey> key = JobKey::parse(text);
  if (!key)
    fatal("environment", "%s is malformed; it is %zu hexadecimal digits", place::kKey, 2 * JobKey::kBytes);
  return *key;
}

class Plain final : public Exchange {
 public:
  Plain(RankId rank, RankId size, const char* root_text, const NetAddress& root)
      : root_text_(root_text), root_(root) {
    set_place(rank, size);
    TcpPlace place;
    place.node = rank;
    place.size = size;
    place.key = key_of_environment();
    place.rendezvous = root;
    // What others have lost when a rank ends early says less than that rank has said.
    place.silence = std::chrono::seconds(2);
    place.patience.longest = std::chrono::milliseconds(start_timeout_ms());
    place.patience.advice = kAll;
    if (rank == 0) listen(place.key);
    tree_.emplace(place);
    tree_->set_waiting([this](const std::function<bool()>& condition) { wait(condition); }, {});
  }

  std::vector<std::string> all_gather(const std::string& mine) override {
    const Gathered& gathered = tree_->all_gather(std::as_bytes(std::span(mine)));
    std::vector<std::string> all(size());
    for (RankId peer = 0; peer < size(); ++peer) {
      const Bytes bytes = gathered[peer];
      all[peer].assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    return all;
  }

  NetAddress meeting_address() const override { return root_; }
  void abort(int, const char*) override {}
  void finish() override {
    tree_->barrier();  // nobody's connection closes while another one still reads from it
    tree_.reset();
    rendezvous_.reset();
  }

 private:
  void listen(const JobKey& key) {
    rendezvous_.emplace(key, size());
    if (rendezvous_->open(root_)) return;
    const int reason = errno;
    if (reason == EADDRINUSE)
      fatal(
          "start",
          "rank 0 cannot listen at AQUEDUCT_ROOT=%s: another job, or another rank 0, uses that port; choose "
          "another one",
          root_text_.c_str());
    if (reason == EADDRNOTAVAIL)
      fatal(
          "start",
          "AQUEDUCT_ROOT=%s is not an address of this host, where rank 0 is; start rank 0 there, or tell all "
          "ranks an address of this one",
          root_text_.c_str());
    fatal("start", "rank 0 cannot listen at AQUEDUCT_ROOT=%s: %s; choose another port", root_text_.c_str(),
          std::strerror(reason));
  }

  void wait(const std::function<bool()>& condition) {
    constexpr int kLongestSleepMs = 20;
    const Clock::time_point began = Clock::now();
    while (!condition()) {
      std::vector<pollfd> polled;
      tree_->add_to_poll(polled);
      if (rendezvous_) {
        rendezvous_->serve([this](const Greeting& greeting) { refuse(greeting); });
        if (Clock::now() - began > std::chrono::milliseconds(start_timeout_ms())) name_missing();
        rendezvous_->add_to_poll(polled);
      }
      ::poll(polled.data(), polled.size(), kLongestSleepMs);
    }
  }

  /// A rank of this job that will not come: it ends with a line of its own, and so must we.
  void refuse(const Greeting& greeting) {
    fatal("start", "rank %u has AQUEDUCT_SIZE=%u and rank 0 has %u; %s", greeting.number,
          greeting.participants, size(), kAll);
  }

  void name_missing() {
    constexpr RankId kListed = 8;
    if (rendezvous_->registered() == size()) return;
    std::string missing;
    RankId count = 0;
    for (RankId peer = 0; peer < size(); ++peer) {
      if (rendezvous_->has_registered(peer)) continue;
      if (++count <= kListed) missing += (missing.empty() ? "" : ", ") + std::to_string(peer);
    }
    if (count > kListed) missing += " and " + std::to_string(count - kListed) + " more";
    fatal("start",
          "rank 0 has waited for %g s (AQUEDUCT_START_TIMEOUT) and %u of %u ranks are missing: %s; %s",
          start_timeout_ms() / 1000.0, count, size(), missing.c_str(), kAll);
  }

  std::string root_text_;
  NetAddress root_;
  std::optional<Rendezvous> rendezvous_;  // at rank 0
  std::optional<TcpBootstrap> tree_;
};

}  // namespace

int start_timeout_ms() {
  constexpr std::int64_t kDefaultSeconds = 60, kMostSeconds = 86'400;
  const auto seconds = env::integer({"AQUEDUCT_START_TIMEOUT"}, 1, kMostSeconds).value_or(kDefaultSeconds);
  return static_cast<int>(seconds * 1000);
}

std::unique_ptr<Exchange> open_plain() {
  const RankId size = required_number(place::kSize, 1, kMaxRanks);
  const RankId rank = required_number(place::kRank, 0, size - 1);
  set_reporting_rank(static_cast<int>(rank));
  const char* const text = env::text({"AQUEDUCT_ROOT"});
  if (text == nullptr) fatal("start", "AQUEDUCT_ROOT is not set; %s", kAll);
  std::string why;
  const NetAddress root = resolve_root(text, &why);
  if (!root) fatal("environment", "AQUEDUCT_ROOT=%s %s", text, why.c_str());
  if (root.host == decltype(root.host){})
    fatal("environment", "AQUEDUCT_ROOT=%s is no address that others can reach; use one of rank 0's host",
          text);
  return std::make_unique<Plain>(rank, size, text, root);
}

}  // namespace aqueduct::job::launchers
