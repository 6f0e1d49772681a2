// RandomAccess by put and get: a round takes as many updates as the rules allow, gets all their words,
// changes them locally and puts them back.
//
// Another rank may change a word between the get and the put, and a round may take a word twice: such updates
// are lost, for which the rules allow 1 % of errors.
#include "version.hpp"

namespace aqueduct::bench::random_access {
namespace {

class GetPut final : public Version {
 public:
  explicit GetPut(const Job& job) : Version(job), parts_(job.size), round_(look_ahead_.room()) {
    for (gex_Rank_t rank = 0; rank < job.size; ++rank) parts_[rank] = job.part_of(rank);
  }

  void make_updates() override {
    Stream stream = job_.stream_of(job_.rank);
    for (std::uint64_t i = 0; i < job_.updates; ++i) {
      world::spend(*job_.made);
      if (look_ahead_.is_full()) finish_round();
      start(stream.next());
    }
    finish_round();
  }

  void poll() override { gasnet_AMPoll(); }

 private:
  struct Update {
    std::uint64_t value;
    std::uint64_t word;  // as it was got
    gex_Rank_t owner;
    std::uint64_t* address;
  };

  void start(std::uint64_t value) {
    const gex_Rank_t owner = job_.partition.owner(value);
    Update& update = round_[count_++];
    update = {.value = value,
              .word = 0,
              .owner = owner,
              .address = parts_[owner] + (job_.partition.index(value) - job_.partition.first(owner))};
    gex_RMA_GetNBI(job_.team, &update.word, owner, update.address, sizeof update.word, 0);
    look_ahead_.hold();
  }

  void finish_round() {
    gex_NBI_Wait(GEX_EC_GET, 0);
    for (unsigned i = 0; i < count_; ++i) {
      Update& update = round_[i];
      world::spend(kTableUpdate);
      update.word ^= update.value;
      gex_RMA_PutNBI(job_.team, update.owner, update.address, &update.word, sizeof update.word,
                     GEX_EVENT_DEFER, 0);
    }
    gex_NBI_Wait(GEX_EC_PUT, 0);
    look_ahead_.release(count_);
    count_ = 0;
  }

  std::vector<std::uint64_t*> parts_;  // by rank
  std::vector<Update> round_;
  unsigned count_ = 0;
};

}  // namespace

std::unique_ptr<Version> make_get_put(const Job& job) { return std::make_unique<GetPut>(job); }

}  // namespace aqueduct::bench::random_access
