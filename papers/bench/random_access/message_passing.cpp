// RandomAccess by message passing: each update is a message of 8 bytes, for which the target has posted a
// receive, as in an MPI program.
//
// Messages without a posted receive take room at the target, which is limited: a sender has a window for each
// target and gets it back in halves, by messages with a separate tag.
#include <algorithm>

#include "papers/bench/random_access/versions.hpp"
#include "papers/parts/message_passing/portals_mpi.hpp"

namespace aqueduct::bench::random_access {
namespace {

constexpr parts::Tag kUpdateTag = 11, kWindowTag = 12;
constexpr unsigned kReceives = 64;  // posted at once
constexpr unsigned kMostWindow = 64;
/// Messages that may be on their way to one rank, over all its peers.
constexpr unsigned kMostComing = 4096;

parts::PortalsMpi::Settings settings_for(gex_Rank_t size, unsigned window) {
  parts::PortalsMpi::Settings settings;
  settings.queue_events = std::max<std::size_t>(settings.queue_events, std::size_t{4} * size * window);
  return settings;
}

class MessagePassing final : public Version {
 public:
  explicit MessagePassing(const Job& job)
      : Version(job),
        window_(std::clamp(kMostComing / job.size, 2u, kMostWindow)),
        mpi_(job.rank, job.size, settings_for(job.size, window_)),
        peers_(job.size),
        updates_(kReceives, kUpdateTag),
        windows_(std::min<std::size_t>(job.size, kReceives), kWindowTag),
        sends_(std::min(look_ahead_.room(), kReceives)) {
    for (Peer& peer : peers_) peer.window = window_;
    updates_.post(mpi_);
    windows_.post(mpi_);
    job.barrier();
  }

  void make_updates() override {
    for_each_update_elsewhere([this](std::uint64_t value, gex_Rank_t owner) { send(value, owner); });
    while (sends_in_use_ != 0) poll();
  }

  void poll() override {
    updates_.take(mpi_, [this](std::uint64_t value, RankId source) {
      job_.share->table.update(value);
      ++job_.share->received;
      if (++peers_[source].taken == window_ / 2) give_back(source);
    });
    windows_.take(mpi_, [this](std::uint64_t count, RankId source) {
      peers_[source].window += static_cast<unsigned>(count);
    });
    settle_sends();
  }

  bool needs_polls() const override { return true; }

 private:
  struct Peer {
    unsigned window = 0;  // messages that may still be sent there
    unsigned taken = 0;   // messages from there that were taken and not given back
  };

  /// Receives of 8 bytes from any source, posted again when they are over.
  class Receives {
   public:
    Receives(std::size_t count, parts::Tag tag) : values_(count), operations_(count), tag_(tag) {}

    void post(parts::PortalsMpi& mpi) {
      for (std::size_t i = 0; i < values_.size(); ++i) post(mpi, i);
    }

    /// Tests them in the order in which they were posted, so that one test shows that nothing has come.
    template <class Take>
    void take(parts::PortalsMpi& mpi, Take&& with) {
      parts::Status status;
      while (mpi.test(operations_[next_], &status)) {
        const std::uint64_t value = values_[next_];
        post(mpi, next_);
        next_ = (next_ + 1) % values_.size();
        with(value, status.source);
      }
    }

   private:
    void post(parts::PortalsMpi& mpi, std::size_t i) {
      operations_[i] = mpi.irecv(&values_[i], sizeof values_[i], parts::kAnySource, tag_);
    }

    std::vector<std::uint64_t> values_;
    std::vector<parts::Operation> operations_;
    parts::Tag tag_;
    std::size_t next_ = 0;
  };

  struct Send {
    std::uint64_t value = 0;
    parts::Operation operation = 0;
    bool is_update = false;
  };

  void send(std::uint64_t value, gex_Rank_t owner) {
    while (peers_[owner].window == 0) poll();
    --peers_[owner].window;
    start(value, owner, kUpdateTag);
    look_ahead_.hold();
    ++sent_;
  }

  void give_back(RankId source) { start(std::exchange(peers_[source].taken, 0), source, kWindowTag); }

  void start(std::uint64_t value, RankId to, parts::Tag tag) {
    while (sends_in_use_ == sends_.size()) settle_sends();
    Send& send = sends_[(oldest_send_ + sends_in_use_++) % sends_.size()];
    send.value = value;
    send.is_update = tag == kUpdateTag;
    send.operation = mpi_.isend(&send.value, sizeof send.value, to, tag);
  }

  void settle_sends() {
    while (sends_in_use_ != 0 && mpi_.test(sends_[oldest_send_].operation, nullptr)) {
      if (sends_[oldest_send_].is_update) look_ahead_.release(1);
      oldest_send_ = (oldest_send_ + 1) % sends_.size();
      --sends_in_use_;
    }
  }

  unsigned window_;
  parts::PortalsMpi mpi_;
  std::vector<Peer> peers_;
  Receives updates_, windows_;
  std::vector<Send> sends_;  // a ring
  std::size_t oldest_send_ = 0;
  std::size_t sends_in_use_ = 0;
};

}  // namespace

std::unique_ptr<Version> make_message_passing(const Job& job) {
  return std::make_unique<MessagePassing>(job);
}

}  // namespace aqueduct::bench::random_access
