#include "papers/conduit/mpi_portals/mpi_portals.hpp"

#include "papers/parts/am_over_message_passing.hpp"
#include "papers/parts/message_passing/portals_mpi.hpp"
#include "papers/parts/portals_watch.hpp"

namespace aqueduct::conduit::mpi_portals {
namespace {

class Mpi final : public Conduit {
 public:
  Mpi(const job::Membership& membership, Receiver& receiver)
      : rank_(membership.rank),
        messages_(membership.rank, membership.size, {.context = kContext}),
        am_("mpi-portals", messages_, receiver),
        watch_("mpi-portals", am_,
               {static_cast<ptl_pt_index_t>(kContext), parts::PortalsMpi::kNoMessage, 0}) {
    am_.set_observer([this](unsigned messages) { watch_.found(messages); });
  }

  Limits limits() const override { return am_.limits(); }
  Post inject(RankId target, const Message& request) override { return am_.inject(target, request); }
  Post reply(const Origin& origin, const Message& reply) override { return am_.reply(origin, reply); }
  unsigned poll(Scope scope) override { return am_.poll(scope); }
  void segments_attached(std::span<const SegmentBounds> segments) override {
    am_.set_segment(segments[rank_]);
  }
  Doorbell* doorbell(RankId rank) override { return messages_.doorbell(rank); }
  std::vector<observe::Missing> awaits() override { return parts::missing_answers(am_); }
  void count_resources(observe::ResourceCounts& counts) override {
    am_.count_resources(counts);
    messages_.count_resources(counts);
  }

 private:
  static constexpr parts::PortalsMpi::Context kContext = parts::PortalsMpi::Context::kConduit;

  RankId rank_;
  parts::PortalsMpi messages_;
  parts::AmOverMessagePassing am_;
  parts::PortalsWatch watch_;
};

std::unique_ptr<Conduit> open(const Opening& opening) {
  return std::make_unique<Mpi>(opening.place, opening.receiver);
}

}  // namespace

const Description kDescription = {
    .name = "mpi-portals",
    .summary = "active messages over message passing: a minimal MPI over Portals",
    .uses_neighbourhood = false,
    .max_ranks = job::kMaxRanks,
    .preference = 0,
    .open = open,
    .limits = parts::AmOverMessagePassing::limits,
    .nic = "portals3",
};

}  // namespace aqueduct::conduit::mpi_portals
