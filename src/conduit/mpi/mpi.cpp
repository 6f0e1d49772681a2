// mpi: a conduit over a real MPI. Active messages by message passing (parts/am_over_message_passing.hpp).
// One plug-in for each MPI that it was built with: mpi-openmpi, mpi-mpich.
#include "conduit/mpi/messages.hpp"
#include "conduit/mpi/session.hpp"
#include "conduit/mpi/start.hpp"
#include "conduit/plugin/plugin.hpp"
#include "parts/am_over_message_passing.hpp"

namespace aqueduct::conduit::mpi {
namespace {

class Mpi final : public Conduit {
 public:
  explicit Mpi(const Opening& opening)
      : rank_(opening.place.rank),
        session_(opening),
        messages_(session_),
        am_("mpi", messages_, opening.receiver) {}

  Limits limits() const override { return am_.limits(); }
  Post inject(RankId target, const Message& request) override { return am_.inject(target, request); }
  Post reply(const Origin& origin, const Message& reply) override { return am_.reply(origin, reply); }
  unsigned poll(Scope scope) override { return am_.poll(scope); }
  void segments_attached(std::span<const SegmentBounds> segments) override {
    am_.set_segment(segments[rank_]);
  }
  std::string awaits() override { return parts::missing_answers(am_); }

 private:
  RankId rank_;
  Session session_;
  Messages messages_;
  parts::AmOverMessagePassing am_;
};

std::unique_ptr<Conduit> open(const Opening& opening) { return std::make_unique<Mpi>(opening); }

}  // namespace

const Description kDescription = {
    .name = AQUEDUCT_CONDUIT_NAME,
    .summary = AQUEDUCT_CONDUIT_SUMMARY,
    .uses_neighbourhood = true,
    .max_ranks = job::kMaxRanks,
    .preference = 0,
    .open = open,
    .limits = parts::AmOverMessagePassing::limits,
};

}  // namespace aqueduct::conduit::mpi

AQUEDUCT_CONDUIT_PLUGIN(aqueduct::conduit::mpi::kDescription);
