// mpi: a conduit over a real MPI (engine.hpp). One plug-in for each that it was built with: mpi-openmpi,
// mpi-mpich.
#include "conduit/mpi/bare.hpp"
#include "conduit/mpi/engine.hpp"
#include "conduit/mpi/session.hpp"
#include "conduit/mpi/start.hpp"
#include "conduit/plugin/plugin.hpp"

namespace aqueduct::conduit::mpi {
namespace {

class Mpi final : public Conduit {
 public:
  explicit Mpi(const Opening& opening)
      : place_(opening.place),
        session_(opening),
        engine_(session_, opening.place.rank, opening.place.size, opening.receiver) {
    offer_bare_interface(session_);
  }

  Limits limits() const override { return engine_.limits(); }
  Post inject(RankId target, const Message& request) override { return engine_.inject(target, request); }
  Post reply(const Origin& origin, const Message& reply) override { return engine_.reply(origin, reply); }
  unsigned poll(Scope scope) override { return engine_.poll(scope); }
  void segments_attached(std::span<const SegmentBounds> segments) override {
    engine_.set_segments(segments, place_.neighbourhoods(kDescription.uses_neighbourhood));
  }
  std::vector<observe::Missing> awaits() override { return parts::missing_answers(engine_); }
  Rma* rma() override { return &engine_; }

 private:
  const job::Membership& place_;
  Session session_;
  Engine engine_;
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
    .limits = Engine::limits,
};

}  // namespace aqueduct::conduit::mpi

AQUEDUCT_CONDUIT_PLUGIN(aqueduct::conduit::mpi::kDescription);
