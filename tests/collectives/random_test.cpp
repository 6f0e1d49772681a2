// Random sequences of collectives, many in flight, against what each rank can compute by itself.
#include <algorithm>
#include <atomic>
#include <deque>
#include <thread>

#include "collectives/model.hpp"

namespace aqueduct::test {
namespace {

using RandomCollectives = Spmd;

// A collective on its way: where its result will be, and what it should be.
struct InFlight {
  gex_Event_t event;
  std::string what;
  Bytes source;
  Bytes result;
  Bytes wanted;
};

std::size_t random_bytes(Random& random) {
  switch (random() % 8) {
    case 0:
      return random() % 200'000;
    case 1:
      return 32'000 + random() % 2'000;
    case 2:
      return random() % 10'000;
    case 3:
      return 8;
    default:
      return random() % 200;
  }
}

// Starts the collective that `random` names, which is the same one on all members.
InFlight start(gex_TM_t tm, Random& random) {
  const gex_Rank_t size = gex_TM_QuerySize(tm), me = gex_TM_QueryRank(tm);
  const std::uint64_t key = random();
  const auto root = static_cast<gex_Rank_t>(random() % size);
  const unsigned kind = static_cast<unsigned>(random() % 3);
  const bool in_place = random() % 4 == 0;
  const Flavour& f = flavours()[random() % flavours().size()];
  const std::size_t bytes = random_bytes(random);
  InFlight one;
  if (kind == 0) {
    one.what = "broadcast of " + std::to_string(bytes) + " bytes from " + std::to_string(root);
    one.wanted = contribution(key, root, bytes);
    one.result = Bytes(bytes);
    if (me == root) (in_place ? one.result : one.source) = one.wanted;
    one.event = gex_Coll_BroadcastNB(tm, root, one.result.data(),
                                     in_place ? one.result.data() : one.source.data(), bytes, 0);
    return one;
  }
  const std::size_t count = std::max<std::size_t>(1, bytes / f.element_bytes);
  std::vector<Bytes> sources;
  for (gex_Rank_t rank = 0; rank < size; ++rank) sources.push_back(f.source(key, rank, count));
  one.wanted = reduced(sources, count, f.combine);
  one.what = f.name + " x " + std::to_string(count);
  one.source = sources[me];
  one.result = Bytes(one.wanted.size());
  std::byte* src = one.source.data();
  if (in_place) {
    one.result = one.source;
    src = one.result.data();
  }
  if (kind == 1) {
    one.what += " to all";
    one.event = gex_Coll_ReduceToAllNB(tm, one.result.data(), src, f.type, f.element_bytes, count,
                                       f.operation, f.function, f.cdata, 0);
  } else {
    one.what += " to rank " + std::to_string(root);
    one.event = gex_Coll_ReduceToOneNB(tm, root, one.result.data(), src, f.type, f.element_bytes, count,
                                       f.operation, f.function, f.cdata, 0);
    if (me != root) one.wanted = one.result;
  }
  return one;
}

void run_random_collectives() {
  Random shared = shared_random();
  Random own = own_random();
  gex_TM_t turned;
  gex_TM_Split(&turned, job().tm, 0, static_cast<int>((job().rank + 1) % job().size), nullptr, 0,
               GEX_FLAG_TM_NO_SCRATCH);
  gex_TM_t part;
  gex_TM_Split(&part, job().tm, static_cast<int>(job().rank / 3), 0, nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
  Random of_part(key_of(shared(), job().rank / 3));
  std::deque<InFlight> flying;
  std::size_t depth = 1;
  const auto land_one = [&] {
    auto one = flying.begin() + static_cast<std::ptrdiff_t>(own() % flying.size());
    if (own() % 2 == 0) {
      gex_Event_Wait(one->event);
    } else {
      poll_until([&] { return gex_Event_Test(one->event) == GASNET_OK; });
    }
    ASSERT_EQ(one->result, one->wanted) << one->what << " with seed " << seed();
    flying.erase(one);
  };
  for (std::uint32_t i = 0; i < scaled(120); ++i) {
    if (i % 20 == 0) depth = std::size_t{1} << own() % 6;
    // The order of calls is the same on all members of a team, but each rank mixes its teams as it likes:
    // those of the part come when it feels like it.
    flying.push_back(start(shared() % 3 == 0 ? turned : job().tm, shared));
    if (own() % 4 == 0) gasnet_AMPoll();
    while (flying.size() > depth) land_one();
  }
  while (!flying.empty()) land_one();
  for (std::uint32_t i = 0; i < scaled(50); ++i) {
    flying.push_back(start(part, of_part));
    while (flying.size() > depth) land_one();
  }
  while (!flying.empty()) land_one();
  gex_TM_Destroy(part, nullptr, 0);
  gex_TM_Destroy(turned, nullptr, 0);
}

TEST_F(RandomCollectives, InFlightOnSeveralTeamsComeOutRight) { run_random_collectives(); }

#ifdef GASNET_PAR
TEST_F(RandomCollectives, ComeOutRightWhileOtherThreadsMakeThemAdvance) {
  std::atomic<bool> over{false};
  std::vector<std::thread> others;
  for (int i = 0; i < 2; ++i) {
    others.emplace_back([&] { poll_until([&] { return over.load(); }); });
  }
  run_random_collectives();
  over = true;
  for (std::thread& other : others) other.join();
}
#endif

}  // namespace
}  // namespace aqueduct::test
