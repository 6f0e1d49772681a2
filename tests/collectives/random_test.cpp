// Random sequences of collectives, many in flight, against what each rank can compute by itself.
#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <thread>

#include "collectives/model.hpp"

namespace aqueduct::test {
namespace {

using RandomCollectives = Spmd;

// Memory for a source or a result: in the segment, if so asked and some is left, or anywhere.
class Room {
 public:
  Room(std::size_t bytes, bool in_segment) : bytes_(bytes) {
    static std::vector<bool> taken(kPlaces);
    const auto place = std::find(taken.begin(), taken.end(), false);
    if (!in_segment || bytes > kPlaceBytes || place == taken.end()) {
      elsewhere_.resize(bytes);
      return;
    }
    *place = true;
    const auto number = static_cast<std::size_t>(place - taken.begin());
    in_segment_ = std::shared_ptr<std::byte>(local(number * kPlaceBytes),
                                             [number](std::byte*) { taken[number] = false; });
  }
  Room() : Room(0, false) {}

  std::byte* data() { return in_segment_ ? in_segment_.get() : elsewhere_.data(); }
  void fill(const Bytes& from) {
    if (!from.empty()) std::memcpy(data(), from.data(), from.size());
  }
  Bytes content() { return Bytes(data(), data() + bytes_); }

 private:
  static constexpr std::size_t kPlaces = 16, kPlaceBytes = 200'000;
  std::size_t bytes_;
  Bytes elsewhere_;
  std::shared_ptr<std::byte> in_segment_;
};

// A collective on its way: where its result will be, and what it should be.
struct InFlight {
  gex_Event_t event;
  std::string what;
  Room source;
  Room result;
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

// Starts the collective that `random` names, which is the same one on all members. Where its data lies is
// each member's own affair.
InFlight start_new_one(gex_TM_t tm, Random& random, Random& own) {
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
    one.result = Room(bytes, own() % 2 == 0);
    if (!in_place && me == root) one.source = Room(bytes, own() % 2 == 0);
    Room& source = in_place ? one.result : one.source;
    if (me == root) source.fill(one.wanted);
    one.event = gex_Coll_BroadcastNB(tm, root, one.result.data(), source.data(), bytes, 0);
    return one;
  }
  const std::size_t count = std::max<std::size_t>(1, bytes / f.element_bytes);
  std::vector<Bytes> sources;
  for (gex_Rank_t rank = 0; rank < size; ++rank) sources.push_back(f.source(key, rank, count));
  one.wanted = reduced(sources, count, f.combine);
  one.what = f.name + " x " + std::to_string(count);
  one.result = Room(one.wanted.size(), own() % 2 == 0);
  if (!in_place) one.source = Room(one.wanted.size(), own() % 2 == 0);
  Room& source = in_place ? one.result : one.source;
  source.fill(sources[me]);
  if (kind == 1) {
    one.what += " to all";
    one.event = gex_Coll_ReduceToAllNB(tm, one.result.data(), source.data(), f.type, f.element_bytes, count,
                                       f.operation, f.function, f.cdata, 0);
  } else {
    one.what += " to rank " + std::to_string(root);
    if (me != root) one.wanted = one.result.content();
    one.event = gex_Coll_ReduceToOneNB(tm, root, one.result.data(), source.data(), f.type, f.element_bytes,
                                       count, f.operation, f.function, f.cdata, 0);
  }
  return one;
}

// The same for those of GASNet-1, which are for all ranks.
InFlight start_old_one(Random& random, Random& own) {
  const gex_Rank_t size = job().size, me = job().rank;
  const std::uint64_t key = random();
  const auto root = static_cast<gex_Rank_t>(random() % size);
  const auto kind = random() % 4;
  const int ins[] = {GASNET_COLL_IN_NOSYNC, GASNET_COLL_IN_MYSYNC, GASNET_COLL_IN_ALLSYNC};
  const int outs[] = {GASNET_COLL_OUT_NOSYNC, GASNET_COLL_OUT_MYSYNC, GASNET_COLL_OUT_ALLSYNC};
  const int flags = GASNET_COLL_LOCAL | ins[random() % 3] | outs[random() % 3];
  const std::size_t bytes = random_bytes(random) / (1 + size / 2);
  const bool one_for_each = kind == 0 || kind == 3;
  const Bytes mine = contribution(key, me, one_for_each ? size * bytes : bytes);
  const auto append_block = [&](Bytes& to, gex_Rank_t of, std::size_t number) {
    const Bytes all = of == me ? mine : contribution(key, of, mine.size());
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(number * bytes);
    to.insert(to.end(), from, from + static_cast<std::ptrdiff_t>(bytes));
  };
  InFlight one;
  one.source = Room(mine.size(), own() % 2 == 0);
  one.source.fill(mine);
  if (kind == 0) {
    append_block(one.wanted, root, me);
  } else if (kind != 1 || me == root) {
    for (gex_Rank_t rank = 0; rank < size; ++rank) append_block(one.wanted, rank, kind == 3 ? me : 0);
  }
  one.result = Room(one.wanted.size(), own() % 2 == 0);
  void* const to = one.result.data();
  void* const from = one.source.data();
  const char* const names[] = {"scatter", "gather", "gather_all", "exchange"};
  one.what = names[kind] + (" of " + std::to_string(bytes)) + " bytes, root " + std::to_string(root);
  one.event = kind == 0   ? gasnet_coll_scatter_nb(GASNET_TEAM_ALL, to, root, from, bytes, flags)
              : kind == 1 ? gasnet_coll_gather_nb(GASNET_TEAM_ALL, root, to, from, bytes, flags)
              : kind == 2 ? gasnet_coll_gather_all_nb(GASNET_TEAM_ALL, to, from, bytes, flags)
                          : gasnet_coll_exchange_nb(GASNET_TEAM_ALL, to, from, bytes, flags);
  return one;
}

InFlight start(gex_TM_t tm, Random& random, Random& own) {
  if (tm == job().tm && random() % 3 == 0) return start_old_one(random, own);
  return start_new_one(tm, random, own);
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
    ASSERT_EQ(one->result.content(), one->wanted) << one->what << " with seed " << seed();
    flying.erase(one);
  };
  for (std::uint32_t i = 0; i < scaled(120); ++i) {
    if (i % 20 == 0) depth = std::size_t{1} << own() % 6;
    // The order of calls is the same on all members of a team, but each rank mixes its teams as it likes:
    // those of the part come when it feels like it.
    flying.push_back(start(shared() % 3 == 0 ? turned : job().tm, shared, own));
    if (own() % 4 == 0) gasnet_AMPoll();
    while (flying.size() > depth) land_one();
  }
  while (!flying.empty()) land_one();
  for (std::uint32_t i = 0; i < scaled(50); ++i) {
    flying.push_back(start(part, of_part, own));
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
