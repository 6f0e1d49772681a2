// The ranks of this host, which are children of this process: tells their ends, announcements and output.
//
// A process descriptor becomes readable when its rank has ended, a control socket when an announcement has
// come; both are in the owner's set of events. The object must not move.
#pragma once
#include <optional>
#include <vector>

#include "job/bootstrap/rendezvous_service.hpp"
#include "job/inspection/inspection.hpp"
#include "job/supervision/host_memory.hpp"
#include "job/supervision/oom_killer.hpp"
#include "job/supervision/output.hpp"
#include "job/supervision/rank_source.hpp"
#include "job/supervision/reaping.hpp"
#include "job/supervision/spawn.hpp"

namespace aqueduct::job {

class LocalRanks final : public RankSource {
 public:
  /// Serves `rendezvous` until it is over; there is none on one host. `host` is the name of this host in
  /// reports; empty if there is no other.
  LocalRanks(Spawned spawned, RankId size, std::string host, std::optional<Rendezvous> rendezvous, bool tag,
             Adoption& adoption, net::EventSet& events, RankWatcher& watcher);

  void child_has_ended() override;
  void signal(int number) override;
  bool hears_terminal() const override { return true; }
  void hold(Channel channel, bool is_held) override;
  void look_who_waits() override;
  void inspect(const InspectOptions& look) override;
  void tell_failed(RankId rank) override { memory_.tell_failed(rank); }
  void finish() override;
  bool is_finished() const override { return is_finished_; }

  bool have_all_ended() const { return alive_ == 0; }

 private:
  /// Carries what one rank writes to one stream to the watcher.
  struct Stream final : TextTarget {
    Stream(RankWatcher& to, Channel which, net::Descriptor from, RankId rank, bool tag)
        : watcher(to), channel(which), fd(std::move(from)), lines(rank, tag) {}
    void append(RankId rank, std::string_view text) override { watcher.take_output(rank, channel, text); }

    RankWatcher& watcher;
    Channel channel;
    net::Descriptor fd;
    LineSource lines;
  };
  struct Rank {
    RankProcess process;
    std::vector<Stream> streams;     ///< indexed by Channel
    std::optional<int> wait_status;  ///< once reaped
    bool is_judged = false;
  };

  void tell(RankEvent::Kind kind, const Rank& rank, int number = 0, std::string text = {});
  void serve_control(Rank& rank, std::uint32_t flags);
  void serve_process(Rank& rank);
  void serve_stream(Stream& stream);
  void watch_stream(std::uint32_t index, std::uint32_t channel);
  void judge(Rank& rank);

  std::vector<Rank> ranks_;
  std::size_t alive_;
  Adoption& adoption_;
  net::EventSet& events_;
  RankWatcher& watcher_;
  HostMemory memory_;
  Inspection inspection_;
  RendezvousService rendezvous_;
  OomKiller oom_killer_;
  bool is_finished_ = false;
};

}  // namespace aqueduct::job
