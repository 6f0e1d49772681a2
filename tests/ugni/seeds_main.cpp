// test_ugni_seeds --seeds FIRST..END: random uGNI programs on simulated Aries machines with networks that
// lose, damage, double, delay and reorder, and with few resources. On the first failure prints the command
// that shows it again, and exits with 1.
//
// Each process posts at random to the others: puts by FMA and BTE into places of their own, puts with sync
// flag, gets, atomic additions, CQ writes, and pairs of puts in order. In the end every event has come once,
// every byte is in its place, all sums are right, and of a pair in order the second was never seen before the
// first.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>

#include "stage.hpp"
#include "support/random.hpp"

namespace aqueduct::ugni::aries::test {
namespace {

using aqueduct::test::Random;

constexpr std::uint32_t kPosts = 24;
constexpr std::size_t kPlace = 4096;
constexpr std::size_t kPlaces = 32;      // of each source in a window
constexpr std::size_t kFlags = 1 << 19;  // bytes from the beginning of the window
constexpr std::size_t kCounter = kFlags + (1 << 16);
constexpr std::size_t kSource = 1 << 19;  // from there on `local` is what puts send and gets bring

/// How often the rare places were reached.
std::map<std::string, std::uint64_t> reached{
    {"overtaken", 0}, {"refused", 0}, {"retried below", 0}, {"in order", 0}};

std::byte pattern(std::uint64_t name, std::size_t i) {
  return static_cast<std::byte>(name * 29 + i * 7 + i / 251);
}

/// What all processes know of each other, because they live in one.
struct Book {
  explicit Book(std::size_t parties) : announced(parties), additions(parties) {}

  std::vector<std::multiset<std::uint64_t>>
      announced;                         ///< by target: data of the remote events that must come
  std::vector<std::uint64_t> additions;  ///< by target
};

class Program {
 public:
  Program(Stage& stage, Book& book, Party& party, std::uint64_t seed)
      : stage_(stage), book_(book), party_(party), random_(seed * 1000 + party.self) {}

  void run() {
    // What gets find: the last quarter of every window never changes.
    auto* const window = bytes(party_.window);
    for (std::size_t i = kGetArea; i < Party::kWindowBytes; ++i) window[i] = pattern(party_.self, i);
    stage_.meet();
    for (std::uint32_t i = 0; i < kPosts; ++i) post_something(i);
    while (!waiting_.empty()) take_own();
    stage_.meet();
    take_remote();
    EXPECT_EQ(party_.window[kCounter / 8], book_.additions[party_.self]);
    stage_.meet();
  }

 private:
  static constexpr std::size_t kGetArea = Party::kWindowBytes / 4 * 3;

  struct Post {
    gni_post_descriptor_t descriptor{};
    std::uint64_t name = 0;
    std::uint32_t number = 0;
  };
  struct Check {
    const std::byte* place;
    std::uint64_t name;
    std::size_t length;
  };

  static std::byte* bytes(std::vector<std::uint64_t>& words) {
    return reinterpret_cast<std::byte*>(words.data());
  }
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  void post_something(std::uint32_t number) {
    const auto peer = static_cast<NodeId>(below(party_.all.size()));
    switch (below(6)) {
      case 0:
        return put(number, peer, GNI_POST_FMA_PUT, 1 + below(1000), 0);
      case 1:
        return put(number, peer, GNI_POST_RDMA_PUT, 1 + below(kPlace), 0);
      case 2:
        return put(number, peer, GNI_POST_FMA_PUT_W_SYNCFLAG, below(200), 0);
      case 3:
        return get(number, peer);
      case 4:
        return add_or_write(number, peer);
      default: {
        // A pair in order.
        const std::uint32_t pair = ++pairs_;
        ordered_first_ = true;
        put(number, peer, GNI_POST_RDMA_PUT, 1 + below(kPlace), pair);
        ordered_first_ = false;
        put(number + kPosts, peer, GNI_POST_FMA_PUT, 1 + below(64), pair);
      }
    }
  }

  void put(std::uint32_t number, NodeId peer, gni_post_type_t type, std::size_t length, std::uint32_t pair) {
    const std::size_t slot = slots_[peer]++;
    if (slot >= kPlaces) return;
    Post& post = *new Post;
    post.name = static_cast<std::uint64_t>(party_.self) * 1000 + number;
    const std::uint16_t own = below(3) == 0 ? GNI_CQMODE_DUAL_EVENTS : GNI_CQMODE_GLOBAL_EVENT;
    post.descriptor =
        party_.post(type, peer, length, static_cast<std::uint16_t>(own | GNI_CQMODE_REMOTE_EVENT));
    const std::size_t place = (party_.self * kPlaces + slot) * kPlace;
    post.descriptor.remote_addr += place;
    std::byte* const source = bytes(party_.local) + number * kPlace;
    for (std::size_t i = 0; i < length; ++i) source[i] = pattern(post.name, i);
    post.descriptor.local_addr = reinterpret_cast<std::uint64_t>(source);
    if (type == GNI_POST_FMA_PUT_W_SYNCFLAG) {
      const std::size_t flag = kFlags + (party_.self * kPlaces + slot) * 8;
      post.descriptor.sync_flag_addr =
          reinterpret_cast<std::uint64_t>(party_.all[peer]->window.data()) + flag;
      post.descriptor.sync_flag_value = post.name + 1;
    }
    if (pair != 0) post.descriptor.dlvr_mode = GNI_DLVMODE_IN_ORDER;
    // 8 bits of source, 1 of order, 7 of the pair, 16 of the number.
    const std::uint64_t data = static_cast<std::uint64_t>(party_.self) << 24 |
                               static_cast<std::uint64_t>(ordered_first_ && pair != 0) << 23 |
                               static_cast<std::uint64_t>(pair) << 16 | number;
    start(post, peer, static_cast<std::uint32_t>(data));
    book_.announced[peer].insert(data);
    places_[peer].push_back({bytes(party_.all[peer]->window) + place, post.name, length});
  }

  void get(std::uint32_t number, NodeId peer) {
    Post& post = *new Post;
    const std::size_t length = 4 * (1 + below(kPlace / 4));
    const std::size_t from = kGetArea + 4 * below((Party::kWindowBytes - kGetArea - kPlace) / 4);
    const bool rdma = length > 1000;
    post.name = from;
    post.number = number;
    post.descriptor = party_.post(rdma ? GNI_POST_RDMA_GET : GNI_POST_FMA_GET, peer, length);
    post.descriptor.remote_addr += from;
    post.descriptor.local_addr =
        reinterpret_cast<std::uint64_t>(bytes(party_.local) + kSource + number * kPlace);
    post.descriptor.post_id = 1 + peer;
    start(post, peer, 0);
  }

  void add_or_write(std::uint32_t number, NodeId peer) {
    Post& post = *new Post;
    if (below(2) == 0) {
      post.descriptor = party_.post(GNI_POST_AMO, peer, 8);
      post.descriptor.remote_addr += kCounter;
      post.descriptor.amo_cmd = GNI_FMA_ATOMIC2_IADD;
      post.descriptor.first_operand = 1 + below(100);
      book_.additions[peer] += post.descriptor.first_operand;
      return start(post, peer, 0);
    }
    post.descriptor = party_.post(GNI_POST_CQWRITE, peer, 0);
    post.descriptor.cqwrite_value =
        std::uint64_t{1} << 47 | static_cast<std::uint64_t>(party_.self) << 24 | number;
    book_.announced[peer].insert(post.descriptor.cqwrite_value);
    start(post, peer, 0);
  }

  void start(Post& post, NodeId peer, std::uint32_t data) {
    waiting_[&post.descriptor] = &post;
    EXPECT_EQ(GNI_EpSetEventData(party_.to[peer], 0, data), GNI_RC_SUCCESS);
    for (;;) {
      gni_return_t code;
      if (post.descriptor.type == GNI_POST_RDMA_PUT || post.descriptor.type == GNI_POST_RDMA_GET) {
        code = GNI_PostRdma(party_.to[peer], &post.descriptor);
      } else if (post.descriptor.type == GNI_POST_CQWRITE) {
        code = GNI_PostCqWrite(party_.to[peer], &post.descriptor);
      } else {
        code = GNI_PostFma(party_.to[peer], &post.descriptor);
      }
      if (code != GNI_RC_ERROR_RESOURCE) {
        EXPECT_EQ(code, GNI_RC_SUCCESS) << gni_err_str[code];
        return;
      }
      ++reached["refused"];
      take_own();
    }
  }

  /// One event of a post of ours.
  void take_own() {
    gni_post_descriptor_t* const done = party_.wait_completed();
    const auto found = waiting_.find(done);
    ASSERT_NE(found, waiting_.end()) << "an event of nothing that was posted";
    Post* const post = found->second;
    if ((done->cq_mode & GNI_CQMODE_LOCAL_EVENT) != 0) {
      EXPECT_EQ(done->cq_mode_complete, GNI_CQMODE_LOCAL_EVENT);
      done->cq_mode &= static_cast<std::uint16_t>(~GNI_CQMODE_LOCAL_EVENT);
      return;
    }
    if (done->post_id != 0) {
      const auto* const brought = reinterpret_cast<const std::byte*>(done->local_addr);
      for (std::size_t i = 0; i < done->length; ++i)
        ASSERT_EQ(brought[i], pattern(done->post_id - 1, post->name + i));
    }
    waiting_.erase(found);
    delete post;
  }

  /// All remote events, each once.
  void take_remote() {
    std::multiset<std::uint64_t>& due = book_.announced[party_.self];
    std::set<std::uint64_t> firsts;
    std::map<std::uint64_t, std::uint64_t> last;
    while (!due.empty()) {
      const gni_cq_entry_t entry = party_.wait(party_.target);
      const std::uint64_t data = GNI_CQ_GET_DATA(entry);
      const auto found = due.find(data);
      ASSERT_NE(found, due.end()) << "an event that nobody made, or twice: " << data;
      due.erase(found);
      const std::uint64_t source = data >> 24 & 0xff, number = data & 0xffff, pair = data >> 16 & 0x7f;
      if (number < last[source]) ++reached["overtaken"];
      last[source] = number;
      if (data >> 47 != 0 || pair == 0) continue;
      const std::uint64_t key = source << 8 | pair;
      if ((data >> 23 & 1) != 0) {
        firsts.insert(key);
      } else {
        EXPECT_TRUE(firsts.contains(key)) << "the second of a pair in order came first";
        ++reached["in order"];
      }
    }
    gni_cq_entry_t entry;
    EXPECT_EQ(GNI_CqGetEvent(party_.target, &entry), GNI_RC_NOT_DONE);
    // All is there that was announced: also what this process has put elsewhere.
    for (const auto& [peer, places] : places_) {
      for (const Check& check : places) check_place(check.place, check.name, check.length);
    }
  }

  static void check_place(const std::byte* place, std::uint64_t name, std::size_t length) {
    for (std::size_t i = 0; i < length; ++i)
      ASSERT_EQ(place[i], pattern(name, i)) << "of " << name << " at " << i;
  }

  Stage& stage_;
  Book& book_;
  Party& party_;
  Random random_;
  std::uint32_t pairs_ = 0;
  bool ordered_first_ = false;
  std::map<NodeId, std::size_t> slots_;
  std::map<NodeId, std::vector<Check>> places_;
  std::map<gni_post_descriptor_t*, Post*> waiting_;
};

void run_seed(std::uint64_t seed) {
  Random random(seed);
  StageSetup setup;
  setup.seed = seed;
  setup.nodes.clear();
  for (std::uint64_t i = 0, parties = 2 + random() % 3; i < parties; ++i)
    setup.nodes.push_back(static_cast<fabric::NodeId>(random() % 500));
  constexpr const char* kFaults[] = {"",
                                     "drop=20000",
                                     "corrupt=20000",
                                     "duplicate=50000",
                                     "delay=200000 delay-by=30us",
                                     "reorder=200000 delay-by=30us",
                                     "drop=10000 duplicate=10000 reorder=100000"};
  setup.faults = kFaults[random() % std::size(kFaults)];
  setup.source_entries = 2u << random() % 6;
  if (random() % 3 == 0) setup.changes.push_back("nic.bte_channels=1");
  Stage stage(setup);
  Book book(setup.nodes.size());
  for (NodeId port = 0; port < setup.nodes.size(); ++port)
    stage.start(port, [&](Party& party) { Program(stage, book, party, seed).run(); });
  stage.run();
  reached["retried below"] += stage.simulation().faults().count(sim::FaultProbe::kRetried);
}

}  // namespace
}  // namespace aqueduct::ugni::aries::test

int main(int argc, char** argv) {
  namespace test = aqueduct::ugni::aries::test;
  unsigned long long first = 0, end = 0;
  if (argc != 3 || std::strcmp(argv[1], "--seeds") != 0 ||
      std::sscanf(argv[2], "%llu..%llu", &first, &end) != 2 || first >= end) {
    std::fprintf(stderr, "usage: %s --seeds FIRST..END\n", argv[0]);
    return 2;
  }
  for (unsigned long long seed = first; seed < end; ++seed) {
    test::run_seed(seed);
    if (!testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed()) continue;
    std::printf("seed %llu failed\nto see it again: %s --seeds %llu..%llu\n", seed, argv[0], seed, seed + 1);
    return 1;
  }
  std::printf("%llu seeds passed\n", end - first);
  bool everywhere = true;
  for (const auto& [place, times] : test::reached) {
    std::printf("  %-16s %llu\n", place.c_str(), static_cast<unsigned long long>(times));
    everywhere &= times != 0;
  }
  // So many seeds must have seen everything, or they test less than they say.
  if (end - first >= 50 && !everywhere) {
    std::printf("some places were never reached\n");
    return 1;
  }
  return 0;
}
