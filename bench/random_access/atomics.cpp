// RandomAccess by remote atomics: each update is an xor of the owner's word, started without waiting for it.
// As many are under way as the rules allow; then the rank waits for all of them.
//
// Updates of a rank's own words are atomics as well: others may change the same word.
#include "client_parts.hpp"
#include "version.hpp"

namespace aqueduct::bench::random_access {
namespace {

class Atomics final : public Version {
 public:
  explicit Atomics(const Job& job) : Version(job), parts_(job.size) {
    for (gex_Rank_t rank = 0; rank < job.size; ++rank) parts_[rank] = job.part_of(rank);
    gex_AD_Create(&domain_, job.team, GEX_DT_U64, GEX_OP_XOR, 0);
  }
  ~Atomics() override { gex_AD_Destroy(domain_); }

  void make_updates() override {
    Stream stream = job_.stream_of(job_.rank);
    for (std::uint64_t i = 0; i < job_.updates; ++i) {
      world::spend(*job_.made);
      if (look_ahead_.is_full()) finish();
      update(stream.next());
      look_ahead_.hold();
      ++started_;
    }
    finish();
  }

  void poll() override { gasnet_AMPoll(); }

 private:
  void update(std::uint64_t value) {
    const gex_Rank_t owner = job_.partition.owner(value);
    std::uint64_t* const word = parts_[owner] + (job_.partition.index(value) - job_.partition.first(owner));
    gex_AD_OpNBI_U64(domain_, nullptr, owner, word, GEX_OP_XOR, value, 0, 0);
  }

  void finish() {
    gex_NBI_Wait(GEX_EC_RMW, 0);
    look_ahead_.release(started_);
    started_ = 0;
  }

  gex_AD_t domain_{};
  std::vector<std::uint64_t*> parts_;  // by rank
  unsigned started_ = 0;
};

}  // namespace

std::unique_ptr<Version> make_atomics(const Job& job) { return std::make_unique<Atomics>(job); }

}  // namespace aqueduct::bench::random_access
