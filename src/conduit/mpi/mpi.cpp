#include "conduit/mpi/mpi.hpp"

#include "parts/message_passing/engine.hpp"
#include "parts/message_passing/portals_mpi.hpp"
#include "parts/portals_watch.hpp"

namespace aqueduct::conduit::mpi {
namespace {

class Mpi final : public Conduit, private parts::Engine::Observer {
 public:
  Mpi(const job::Membership& membership, Receiver& receiver)
      : rank_(membership.rank),
        messages_(membership.rank, membership.size, {.context = kContext}),
        engine_(messages_, receiver),
        watch_("mpi", engine_, {static_cast<ptl_pt_index_t>(kContext), parts::PortalsMpi::kNoMessage, 0}) {
    engine_.set_observer(*this);
  }

  Limits limits() const override { return engine_.limits(); }
  Post inject(RankId target, const Message& request) override { return engine_.inject(target, request); }
  Post reply(const Origin& origin, const Message& reply) override { return engine_.reply(origin, reply); }
  unsigned poll(Scope scope) override { return engine_.poll(scope); }
  void segments_attached(std::span<const SegmentBounds> segments) override {
    engine_.set_segment(segments[rank_]);
  }
  Doorbell* doorbell(RankId rank) override { return messages_.doorbell(rank); }
  std::string awaits() override { return parts::awaited_by(engine_); }

 private:
  static constexpr parts::PortalsMpi::Context kContext = parts::PortalsMpi::Context::kConduit;

  void found(unsigned messages) override { watch_.found(messages); }

  RankId rank_;
  parts::PortalsMpi messages_;
  parts::Engine engine_;
  parts::PortalsWatch watch_;
};

const char* why_not(const job::Membership&) { return nullptr; }

std::unique_ptr<Conduit> open(const Opening& opening) {
  return std::make_unique<Mpi>(opening.place, opening.receiver);
}

}  // namespace

const Description kDescription = {
    .name = "mpi",
    .summary = "active messages over message passing: a minimal MPI over Portals",
    .uses_neighbourhood = false,
    .max_ranks = job::kMaxRanks,
    .preference = 0,
    .why_not = why_not,
    .open = open,
    .limits = parts::Engine::limits,
    .nic = "portals3",
};

}  // namespace aqueduct::conduit::mpi
