#include "job/launchers/plain.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "job/bootstrap/tcp_bootstrap.hpp"
#include "job/launchers/given_key.hpp"
#include "job/launchers/local_key.hpp"
#include "job/launchers/root_address.hpp"
#include "job/place/membership.hpp"
#include "job/place/variables.hpp"

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

[[noreturn]] void refuse_without_key(const char* root) {
  fatal(
      "start",
      "AQUEDUCT_ROOT=%s is on a network and the job has no key: whoever reaches that port could take the "
      "place of a rank; make a key, (umask 077; od -An -vtx1 -N32 /dev/urandom | tr -d ' \\n' >job.key), and "
      "set AQUEDUCT_JOB_KEY_FILE=job.key for all ranks, or AQUEDUCT_JOB_KEY=none where nobody else can "
      "reach it",
      root);
}

class Plain final : public LauncherExchange {
 public:
  Plain(RankId rank, RankId size, const char* root_text, const net::Address& root)
      : root_text_(root_text), root_(root) {
    set_place(rank, size);
    TcpPlace place;
    place.node = rank;
    place.size = size;
    place.rendezvous = root;
    // When a rank ends early, its own line says more than those of ranks that lose a connection to it.
    place.silence = std::chrono::seconds(2);
    place.patience.longest = std::chrono::milliseconds(start_timeout_ms());
    place.patience.advice = kAll;
    if (const std::optional<net::JobKey> given = given_key()) {
      key_ = *given;
    } else if (size > 1 && !root.is_loopback()) {
      refuse_without_key(root_text);
    } else if (rank == 0) {
      local_key_.emplace();
      if (!local_key_->open(root)) refuse_root(errno);
      key_ = local_key_->key();
    } else {
      const Clock::time_point began = Clock::now();
      key_ = fetch_local_key(root, start_timeout_ms());
      const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began);
      place.patience.longest = std::max(place.patience.longest - waited, std::chrono::milliseconds(0));
    }
    place.key = key_;
    if (rank == 0) listen();
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

  net::Address meeting_address() const override { return root_; }
  net::JobKey key() const override { return key_; }
  void abort(int, const char*) override {}
  void finish() override {
    tree_->barrier();  // nobody's connection closes while another one still reads from it
    tree_.reset();
    rendezvous_.reset();
    local_key_.reset();
  }

 private:
  void listen() {
    rendezvous_.emplace(key_, size());
    if (!rendezvous_->open(root_)) refuse_root(errno);
  }

  [[noreturn]] void refuse_root(int reason) {
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
        if (local_key_) local_key_->serve();
        if (local_key_) local_key_->add_to_poll(polled);
      }
      ::poll(polled.data(), polled.size(), kLongestSleepMs);
    }
  }

  /// A rank of this job has been refused and ends with a line of its own; this one must end too.
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
          "rank 0 has waited for %g s (AQUEDUCT_START_TIMEOUT) and %u of %u ranks are missing: %s%s; %s",
          start_timeout_ms() / 1000.0, count, size(), missing.c_str(),
          rendezvous_->describe_wrong_keys().c_str(), kAll);
  }

  std::string root_text_;
  net::Address root_;
  net::JobKey key_;
  std::optional<LocalKeyServer> local_key_;  // at rank 0, if the user has given no key
  std::optional<Rendezvous> rendezvous_;     // at rank 0
  std::optional<TcpBootstrap> tree_;
};

}  // namespace

int start_timeout_ms() {
  constexpr std::int64_t kDefaultSeconds = 60, kMostSeconds = 86'400;
  const auto seconds = env::integer({"AQUEDUCT_START_TIMEOUT"}, 1, kMostSeconds).value_or(kDefaultSeconds);
  return static_cast<int>(seconds * 1000);
}

std::unique_ptr<LauncherExchange> open_plain() {
  const RankId size = required_number(place::kSize, 1, kMaxRanks);
  const RankId rank = required_number(place::kRank, 0, size - 1);
  set_reporting_rank(static_cast<int>(rank));
  const char* const text = env::text({"AQUEDUCT_ROOT"});
  if (text == nullptr) fatal("start", "AQUEDUCT_ROOT is not set; %s", kAll);
  std::string why;
  const net::Address root = resolve_root(text, &why);
  if (!root) fatal("environment", "AQUEDUCT_ROOT=%s %s", text, why.c_str());
  if (root.host == decltype(root.host){})
    fatal("environment", "AQUEDUCT_ROOT=%s is no address that others can reach; use one of rank 0's host",
          text);
  return std::make_unique<Plain>(rank, size, text, root);
}

}  // namespace aqueduct::job::launchers
