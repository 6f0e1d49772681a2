// Remote atomics: every operation on every type, from everybody at once, against what the specification says.
// With AQUEDUCT_TEST_FAVOR_REMOTE domains favour remote ranks, so that networks with atomics have them.
#include <gasnet_ratomic.h>
#include <gasnet_tools.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "support/look_at.hpp"
#include "support/random.hpp"
#include "support/rma.hpp"
#include "support/split_team.hpp"
#include "support/spmd.hpp"

#if GASNET_PAR
#include <thread>
#endif

namespace aqueduct::test {
namespace {

using Atomics = Spmd;

constexpr gex_OP_t kBitwise = GEX_OP_AND | GEX_OP_OR | GEX_OP_XOR | GEX_OP_FAND | GEX_OP_FOR | GEX_OP_FXOR;
constexpr gex_OP_t kArithmetic = GEX_OP_ADD | GEX_OP_SUB | GEX_OP_MULT | GEX_OP_MIN | GEX_OP_MAX |
                                 GEX_OP_INC | GEX_OP_DEC | GEX_OP_SET | GEX_OP_CAS;
constexpr gex_OP_t kForAll = kArithmetic | GEX_OP_TO_FETCHING(kArithmetic) | GEX_OP_GET;

// One interface to the six types.
template <class T>
struct Of;
#define AQT_TYPE(T, NAME)                                                                           \
  template <>                                                                                       \
  struct Of<T> {                                                                                    \
    static constexpr gex_DT_t type = GEX_DT_##NAME;                                                 \
    static gex_Event_t nb(gex_AD_t ad, T* result, gex_Rank_t rank, void* to, gex_OP_t op, T a, T b, \
                          gex_Flags_t flags) {                                                      \
      return gex_AD_OpNB_##NAME(ad, result, rank, to, op, a, b, flags);                             \
    }                                                                                               \
    static int nbi(gex_AD_t ad, T* result, gex_Rank_t rank, void* to, gex_OP_t op, T a, T b,        \
                   gex_Flags_t flags) {                                                             \
      return gex_AD_OpNBI_##NAME(ad, result, rank, to, op, a, b, flags);                            \
    }                                                                                               \
    template <gex_OP_t op>                                                                          \
    static gex_Event_t constant(gex_AD_t ad, T* result, gex_Rank_t rank, void* to, T a, T b) {      \
      return gex_AD_OpNB_##NAME(ad, result, rank, to, op, a, b, 0);                                 \
    }                                                                                               \
  };
AQT_TYPE(std::int32_t, I32)
AQT_TYPE(std::uint32_t, U32)
AQT_TYPE(std::int64_t, I64)
AQT_TYPE(std::uint64_t, U64)
AQT_TYPE(float, FLT)
AQT_TYPE(double, DBL)
#undef AQT_TYPE

template <class T>
constexpr gex_OP_t all_operations() {
  return std::is_integral_v<T> ? kForAll | kBitwise : kForAll;
}
constexpr gex_EC_t category(gex_OP_t op) {
  return op == GEX_OP_SET ? GEX_EC_PUT : op == GEX_OP_GET ? GEX_EC_GET : GEX_EC_RMW;
}
constexpr bool fetches(gex_OP_t op) { return op >= GEX_OP_FAND; }

gex_Flags_t favoured() {
  return std::getenv("AQUEDUCT_TEST_FAVOR_REMOTE") ? gex_Flags_t{GEX_FLAG_AD_FAVOR_REMOTE} : gex_Flags_t{0};
}

class Domain {
 public:
  Domain(gex_DT_t type, gex_OP_t ops, gex_Flags_t flags = favoured(), gex_TM_t tm = job().tm) {
    gex_AD_Create(&handle_, tm, type, ops, flags);
  }
  ~Domain() {
    barrier();
    gex_AD_Destroy(handle_);
  }
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;
  operator gex_AD_t() const { return handle_; }

 private:
  gex_AD_t handle_ = GEX_AD_INVALID;
};

// What the specification says about `op`: the value of the target after it.
template <class T>
T expected(gex_OP_t op, T before, T a, T b) {
  const gex_OP_t plain = fetches(op) && op != GEX_OP_GET ? GEX_OP_TO_NONFETCHING(op) : op;
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    const U x = static_cast<U>(before), y = static_cast<U>(a);
    switch (plain) {
      case GEX_OP_AND:
        return static_cast<T>(x & y);
      case GEX_OP_OR:
        return static_cast<T>(x | y);
      case GEX_OP_XOR:
        return static_cast<T>(x ^ y);
      case GEX_OP_ADD:
        return static_cast<T>(x + y);
      case GEX_OP_SUB:
        return static_cast<T>(x - y);
      case GEX_OP_MULT:
        return static_cast<T>(x * y);
      case GEX_OP_INC:
        return static_cast<T>(x + 1);
      case GEX_OP_DEC:
        return static_cast<T>(x - 1);
      default:
        break;
    }
  }
  switch (plain) {
    case GEX_OP_ADD:
      return before + a;
    case GEX_OP_SUB:
      return before - a;
    case GEX_OP_MULT:
      return before * a;
    case GEX_OP_INC:
      return before + 1;
    case GEX_OP_DEC:
      return before - 1;
    case GEX_OP_MIN:
      return before < a ? before : a;
    case GEX_OP_MAX:
      return before > a ? before : a;
    case GEX_OP_SET:
      return a;
    case GEX_OP_CAS:
      return before == a ? b : before;
    default:
      return before;  // GET
  }
}

// Small numbers meet often, so that comparisons come out both ways; large ones reach the edges of the type.
template <class T>
T any_value(Random& random) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(random() % 3 == 0 ? random() : random() % 5);
  } else {
    return static_cast<T>(static_cast<int>(random() % 9) - 4) / 2;
  }
}

// Runs every operation of the type on a location of every rank that only this rank uses.
template <class T>
void every_operation_does_what_it_says(gex_OP_t operations = all_operations<T>()) {
  const Domain domain(Of<T>::type, operations);
  auto random = own_random();
  for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
    std::byte* to = window(rank, job().rank) + 64;
    T model = any_value<T>(random);
    gex_Event_Wait(Of<T>::nb(domain, nullptr, rank, to, GEX_OP_SET, model, 0, 0));
    for (std::uint32_t round = scaled(40); round > 0; --round) {
      for (gex_OP_t op = 1; op <= GEX_OP_GET; op <<= 1) {
        if (!(operations & op)) continue;
        const T a = any_value<T>(random), b = any_value<T>(random);
        const T untouched = static_cast<T>(99);
        T fetched = untouched;
        if (random() % 2 == 0) {
          gex_Event_Wait(Of<T>::nb(domain, &fetched, rank, to, op, a, b, 0));
        } else {
          ASSERT_EQ(Of<T>::nbi(domain, &fetched, rank, to, op, a, b, 0), 0);
          gex_NBI_Wait(category(op), 0);
        }
        ASSERT_EQ(fetched, fetches(op) ? model : untouched) << "opcode " << op;
        model = expected(op, model, a, b);
        T now = 0;
        gex_Event_Wait(Of<T>::nb(domain, &now, rank, to, GEX_OP_GET, 0, 0, 0));
        ASSERT_EQ(now, model) << "opcode " << op << " with " << a << ", " << b;
        if (model != model || model - model != 0) {  // a floating-point value that left the numbers
          model = 1;
          gex_Event_Wait(Of<T>::nb(domain, nullptr, rank, to, GEX_OP_SET, model, 0, 0));
        }
      }
    }
  }
}
TEST_F(Atomics, I32) { every_operation_does_what_it_says<std::int32_t>(); }
TEST_F(Atomics, U32) { every_operation_does_what_it_says<std::uint32_t>(); }
TEST_F(Atomics, I64) { every_operation_does_what_it_says<std::int64_t>(); }
TEST_F(Atomics, U64) { every_operation_does_what_it_says<std::uint64_t>(); }
TEST_F(Atomics, Flt) { every_operation_does_what_it_says<float>(); }
TEST_F(Atomics, Dbl) { every_operation_does_what_it_says<double>(); }
TEST_F(Atomics, DblWithoutCompareAndSwap) {
  every_operation_does_what_it_says<double>(kForAll & ~(GEX_OP_CAS | GEX_OP_FCAS));
}

// With an opcode that the compiler knows, the header does the work.
template <class T, gex_OP_t op>
void constant_opcode(gex_AD_t domain, std::byte* to, T before, T a, T b) {
  if constexpr ((all_operations<T>() & op) != 0) {
    T fetched = 77, now = 0;
    gex_Event_Wait(Of<T>::template constant<GEX_OP_SET>(domain, nullptr, right(), to, before, 0));
    gex_Event_Wait(Of<T>::template constant<op>(domain, &fetched, right(), to, a, b));
    gex_Event_Wait(Of<T>::template constant<GEX_OP_GET>(domain, &now, right(), to, 0, 0));
    EXPECT_EQ(fetched, fetches(op) ? before : T{77}) << "opcode " << op;
    EXPECT_EQ(now, expected(op, before, a, b)) << "opcode " << op;
  }
}
template <class T, unsigned... bit>
void constant_opcodes(std::integer_sequence<unsigned, bit...>) {
  const Domain domain(Of<T>::type, all_operations<T>());
  std::byte* to = window(right(), job().rank) + 64;
  for (const T before : {T{3}, T{12}}) {
    (constant_opcode<T, gex_OP_t{1} << bit>(domain, to, before, T{12}, T{5}), ...);
  }
}
TEST_F(Atomics, OpcodesThatTheCompilerKnows) {
  constant_opcodes<std::uint32_t>(std::make_integer_sequence<unsigned, 28>{});
  constant_opcodes<std::int64_t>(std::make_integer_sequence<unsigned, 28>{});
  constant_opcodes<double>(std::make_integer_sequence<unsigned, 28>{});
}

TEST_F(Atomics, LeaveTheBytesBesideTheirTargetAlone) {
  const Domain domain(GEX_DT_U32, GEX_OP_SET | GEX_OP_FADD);
  std::byte* to = window(right(), job().rank);
  const std::uint32_t guards[3] = {0xa5a5a5a5, 0, 0xa5a5a5a5};
  put(Style::kBlocking, right(), to, guards, sizeof guards);
  std::uint32_t fetched = 0, back[3];
  gex_Event_Wait(gex_AD_OpNB_U32(domain, nullptr, right(), to + 4, GEX_OP_SET, 0xffffffff, 0, 0));
  gex_Event_Wait(gex_AD_OpNB_U32(domain, &fetched, right(), to + 4, GEX_OP_FADD, 3, 0, 0));
  get(Style::kBlocking, back, right(), to, sizeof back);
  EXPECT_EQ(back[0], guards[0]);
  EXPECT_EQ(back[1], 2u);
  EXPECT_EQ(back[2], guards[2]);
}

#if GASNET_PAR
constexpr unsigned kThreadsPerRank = 3;
#else
constexpr unsigned kThreadsPerRank = 1;
#endif

// A part of `count` for each of all threads of all ranks: the more there are, the slower each is.
std::uint32_t share_of(std::uint32_t count) {
  return std::max(scaled(count) / (kThreadsPerRank * job().size), 10u);
}

// Calls `work(thread)` on as many threads as this client may have, at once. Each leaves when all are done,
// and serves others meanwhile.
template <class Work>
void on_all_threads(Work work) {
  std::atomic<unsigned> working{kThreadsPerRank};
  auto run = [&](unsigned thread) {
    work(thread);
    --working;
    GASNET_BLOCKUNTIL(working == 0);
  };
#if GASNET_PAR
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < kThreadsPerRank; ++i) threads.emplace_back(run, i);
  run(0);
  for (std::thread& thread : threads) thread.join();
#else
  run(0);
#endif
}

// Every rank and thread draws tickets from one counter; nobody may get one twice, and none is left out.
TEST_F(Atomics, TicketsOfAllRanksAndThreadsAreDistinct) {
  const Domain domain(GEX_DT_U64, GEX_OP_FADD | GEX_OP_FINC);
  const std::uint32_t draws = share_of(4000);
  constexpr std::size_t kWords = 8192;
  auto* counter = reinterpret_cast<std::uint64_t*>(local());
  std::memset(counter, 0, 64 + kWords * 8);
  barrier();
  const std::uint64_t tickets = std::uint64_t{draws} * kThreadsPerRank * job().size;
  std::vector<std::vector<std::uint64_t>> drawn(kThreadsPerRank);
  on_all_threads([&](unsigned thread) {
    for (std::uint32_t i = 0; i < draws; ++i) {
      std::uint64_t ticket = ~std::uint64_t{0};
      gex_Event_Wait(i % 2 == 0 ? gex_AD_OpNB_U64(domain, &ticket, 0, remote(0), GEX_OP_FADD, 1, 0, 0)
                                : Of<std::uint64_t>::nb(domain, &ticket, 0, remote(0), GEX_OP_FINC, 0, 0, 0));
      drawn[thread].push_back(ticket);
    }
  });
  barrier();
  // Each ticket is ticked off in a map of bits on rank 0; a bit that was set before is a ticket drawn twice.
  const Domain map(GEX_DT_U64, GEX_OP_FXOR | GEX_OP_FOR);
  ASSERT_LE(tickets, kWords * 64);
  for (const auto& mine : drawn)
    for (const std::uint64_t ticket : mine) {
      ASSERT_LT(ticket, tickets);
      std::uint64_t before = 0;
      const std::uint64_t bit = std::uint64_t{1} << ticket % 64;
      gex_Event_Wait(
          gex_AD_OpNB_U64(map, &before, 0, remote(0, 64 + ticket / 64 * 8), GEX_OP_FOR, bit, 0, 0));
      ASSERT_EQ(before & bit, 0u) << "ticket " << ticket << " was drawn twice";
    }
  barrier();
  if (job().rank == 0) {
    EXPECT_EQ(*counter, tickets);
  }
}

// Sums by every means, of every type, to every rank, from everybody at once.
template <class T>
void sums_add_up() {
  const Domain domain(Of<T>::type, all_operations<T>());
  auto* totals = reinterpret_cast<T*>(local());
  for (int i = 0; i < 4; ++i) totals[i] = 0;
  barrier();
  const std::uint32_t rounds = share_of(500);
  on_all_threads([&](unsigned thread) {
    std::vector<T> results(rounds * job().size);
    std::size_t next = 0;
    for (std::uint32_t i = 0; i < rounds; ++i)
      for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
        auto* to = reinterpret_cast<T*>(remote(rank));
        EXPECT_EQ(Of<T>::nbi(domain, nullptr, rank, to, GEX_OP_ADD, 2, 0, 0), 0);
        EXPECT_EQ(Of<T>::nbi(domain, &results[next++], rank, to + 1, GEX_OP_FSUB, 1, 0, 0), 0);
        EXPECT_EQ(Of<T>::nbi(domain, nullptr, rank, to + 2, GEX_OP_MAX,
                             static_cast<T>(i + 1000 * thread + 10000 * job().rank), 0, 0),
                  0);
        // An increment by hand: compare and swap until nobody came between.
        T seen = 0;
        while (i % 4 == 0) {
          const T before = seen;
          gex_Event_Wait(
              Of<T>::nb(domain, &seen, rank, to + 3, GEX_OP_FCAS, before, static_cast<T>(before + 1), 0));
          if (seen == before) break;
        }
      }
    gex_NBI_Wait(GEX_EC_ALL, 0);
  });
  barrier();
  const auto all = static_cast<T>(std::uint64_t{rounds} * kThreadsPerRank * job().size);
  EXPECT_EQ(totals[0], static_cast<T>(2 * all));
  EXPECT_EQ(totals[1], static_cast<T>(T{0} - all));
  EXPECT_EQ(totals[2], static_cast<T>(rounds - 1 + 1000 * (kThreadsPerRank - 1) + 10000 * (job().size - 1)));
  EXPECT_EQ(totals[3], static_cast<T>((rounds + 3) / 4 * kThreadsPerRank * job().size));
}
TEST_F(Atomics, SumsOfAllRanksAndThreadsAddUp) {
  sums_add_up<std::int32_t>();
  sums_add_up<std::uint64_t>();
  sums_add_up<float>();
  sums_add_up<double>();
}

// The owner's processor and the handler that serves a message do the same thing to the same memory.
TEST_F(Atomics, TheOwnersInstructionsAndMessagesOfOthersMix) {
  const Domain domain(GEX_DT_DBL, GEX_OP_ADD, 0);
  auto* total = reinterpret_cast<double*>(local());
  *total = 0;
  barrier();
  const std::uint32_t rounds = scaled(2000);
  for (std::uint32_t i = 0; i < rounds; ++i) {
    ASSERT_EQ(gex_AD_OpNBI_DBL(domain, nullptr, right(), remote(right()), GEX_OP_ADD, 1, 0, 0), 0);
    aq_apply_DBL_(total, GEX_OP_ADD, 1, 0);
  }
  gex_NBI_Wait(GEX_EC_RMW, 0);
  barrier();
  EXPECT_EQ(*total, 2.0 * rounds);
}

TEST_F(Atomics, FloatingPointComparesAsNumbers) {
  const Domain domain(GEX_DT_DBL, kForAll);
  std::byte* to = window(right(), job().rank);
  auto after = [&](gex_OP_t op, double before, double a, double b = 0) {
    double result = 0;
    gex_Event_Wait(gex_AD_OpNB_DBL(domain, nullptr, right(), to, GEX_OP_SET, before, 0, 0));
    gex_Event_Wait(Of<double>::nb(domain, nullptr, right(), to, op, a, b, 0));
    gex_Event_Wait(gex_AD_OpNB_DBL(domain, &result, right(), to, GEX_OP_GET, 0, 0, 0));
    return result;
  };
  EXPECT_EQ(after(GEX_OP_MIN, -1.5, -2.5), -2.5);
  EXPECT_EQ(after(GEX_OP_MIN, -1.5, 1e300), -1.5);
  EXPECT_EQ(after(GEX_OP_MAX, -1.5, -2.5), -1.5);
  EXPECT_EQ(after(GEX_OP_MAX, -1.5, 1e-300), 1e-300);
  EXPECT_EQ(after(GEX_OP_MULT, 0.5, -3), -1.5);
  EXPECT_EQ(after(GEX_OP_CAS, 0.5, 0.5, 7.25), 7.25);
  EXPECT_EQ(after(GEX_OP_CAS, 0.5, 0.25, 7.25), 0.5);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(after(GEX_OP_MIN, infinity, 3), 3);
  EXPECT_EQ(after(GEX_OP_ADD, infinity, -3), infinity);
}

TEST_F(Atomics, IntegersWrapAround) {
  std::byte* to = window(right(), job().rank);
  {
    const Domain domain(GEX_DT_I32, kForAll);
    const auto most = std::numeric_limits<std::int32_t>::max(),
               least = std::numeric_limits<std::int32_t>::min();
    std::int32_t before = 0;
    gex_Event_Wait(gex_AD_OpNB_I32(domain, nullptr, right(), to, GEX_OP_SET, most, 0, 0));
    gex_Event_Wait(gex_AD_OpNB_I32(domain, &before, right(), to, GEX_OP_FINC, 0, 0, 0));
    EXPECT_EQ(before, most);
    gex_Event_Wait(gex_AD_OpNB_I32(domain, &before, right(), to, GEX_OP_FMIN, 0, 0, 0));
    EXPECT_EQ(before, least);
    gex_Event_Wait(gex_AD_OpNB_I32(domain, &before, right(), to, GEX_OP_FMULT, 3, 0, 0));
    EXPECT_EQ(before, least);
    gex_Event_Wait(gex_AD_OpNB_I32(domain, &before, right(), to, GEX_OP_GET, 0, 0, 0));
    EXPECT_EQ(before, least);
  }
  const Domain domain(GEX_DT_U64, kForAll);
  std::uint64_t before = 0;
  gex_Event_Wait(gex_AD_OpNB_U64(domain, nullptr, right(), to, GEX_OP_SET, 0, 0, 0));
  gex_Event_Wait(gex_AD_OpNB_U64(domain, &before, right(), to, GEX_OP_FDEC, 0, 0, 0));
  gex_Event_Wait(gex_AD_OpNB_U64(domain, &before, right(), to, GEX_OP_FMAX, 1, 0, 0));
  EXPECT_EQ(before, ~std::uint64_t{0}) << "unsigned numbers compare as such";
}

TEST_F(Atomics, WhatWasPutBeforeAReleaseIsSeenAfterAnAcquire) {
  const Domain domain(GEX_DT_U32, GEX_OP_SET | GEX_OP_GET);
  auto* flag = reinterpret_cast<std::uint32_t*>(local());
  *flag = 0;
  barrier();
  const std::size_t data = 4096;
  for (std::uint32_t round = 1; round <= share_of(200); ++round) {
    put(Style::kBlocking, right(), remote(right(), data), &round, sizeof round);
    gex_Event_Wait(
        gex_AD_OpNB_U32(domain, nullptr, right(), remote(right()), GEX_OP_SET, round, 0, GEX_FLAG_AD_REL));
    std::uint32_t seen = 0;
    while (seen < round) {
      gex_Event_Wait(gex_AD_OpNB_U32(domain, &seen, job().rank, flag, GEX_OP_GET, 0, 0,
                                     GEX_FLAG_AD_ACQ | GEX_FLAG_AD_MY_RANK));
      gasnet_AMPoll();
      gasnett_sched_yield();
    }
    // The neighbour may already put that of the next round.
    ASSERT_GE(look_at(reinterpret_cast<const std::uint32_t*>(local(data))), round);
  }
}

TEST_F(Atomics, FlagsThatPromiseOrAskForNothingNewMakeNoDifference) {
  const Domain domain(GEX_DT_I64, GEX_OP_FADD | GEX_OP_SET, GEX_FLAG_AD_FAVOR_REMOTE);
  std::byte* to = window(right(), job().rank);
  gex_Event_Wait(gex_AD_OpNB_I64(domain, nullptr, right(), to, GEX_OP_SET, 0, 0, 0));
  std::int64_t expected_value = 0;
  for (const gex_Flags_t flags : {gex_Flags_t{0}, gex_Flags_t{GEX_FLAG_AD_ACQ | GEX_FLAG_AD_REL},
                                  gex_Flags_t{GEX_FLAG_AD_MY_NBRHD}, gex_Flags_t{GEX_FLAG_RANK_IS_JOBRANK}}) {
    std::int64_t before = -1;
    gex_Event_Wait(gex_AD_OpNB_I64(domain, &before, right(), to, GEX_OP_FADD, 1, 0, flags));
    EXPECT_EQ(before, expected_value++);
    EXPECT_EQ(gex_AD_OpNBI_I64(domain, &before, right(), to, GEX_OP_FADD, 1, 0, flags), 0);
    gex_NBI_Wait(GEX_EC_RMW, 0);
    EXPECT_EQ(before, expected_value++);
  }
}

TEST_F(Atomics, RanksAreThoseOfTheDomainsTeam) {
  const ReversedTeam team;
  const Domain domain(GEX_DT_U64, GEX_OP_FADD | GEX_OP_GET, 0, team);
  EXPECT_EQ(gex_AD_QueryTM(domain), gex_TM_t{team});
  auto* words = reinterpret_cast<std::uint64_t*>(local());
  for (gex_Rank_t rank = 0; rank < job().size; ++rank) words[rank] = 0;
  barrier();
  for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
    std::byte* to = remote(rank, 8 * job().rank);
    const std::uint64_t mark = 1000 * rank + job().rank;
    std::uint64_t before = 1;
    gex_Event_Wait(gex_AD_OpNB_U64(domain, &before, team.rank_of(rank), to, GEX_OP_FADD, mark, 0, 0));
    EXPECT_EQ(before, 0u);
    gex_Event_Wait(
        gex_AD_OpNB_U64(domain, &before, rank, to, GEX_OP_FADD, mark, 0, GEX_FLAG_RANK_IS_JOBRANK));
    EXPECT_EQ(before, mark);
  }
  barrier();
  for (gex_Rank_t rank = 0; rank < job().size; ++rank)
    EXPECT_EQ(words[rank], 2 * (std::uint64_t{1000} * job().rank + rank));
}

TEST_F(Atomics, AnImmediateOneHappensOnceOrNotAtAll) {
  const Domain domain(GEX_DT_U32, GEX_OP_INC | GEX_OP_SET | GEX_OP_GET);
  std::byte* to = window(right(), job().rank);
  gex_Event_Wait(gex_AD_OpNB_U32(domain, nullptr, right(), to, GEX_OP_SET, 0, 0, 0));
  std::uint32_t done = 0;
  for (std::uint32_t i = 0; i < scaled(500); ++i) {
    const gex_Event_t event =
        gex_AD_OpNB_U32(domain, nullptr, right(), to, GEX_OP_INC, 0, 0, GEX_FLAG_IMMEDIATE);
    if (event != GEX_EVENT_NO_OP) {
      ++done;
      gex_Event_Wait(event);
    }
    if (gex_AD_OpNBI_U32(domain, nullptr, right(), to, GEX_OP_INC, 0, 0, GEX_FLAG_IMMEDIATE) == 0) ++done;
  }
  gex_NBI_Wait(GEX_EC_RMW, 0);
  std::uint32_t counted = 0;
  gex_Event_Wait(gex_AD_OpNB_U32(domain, &counted, right(), to, GEX_OP_GET, 0, 0, 0));
  EXPECT_EQ(counted, done);
}

TEST_F(Atomics, AnAccessRegionGathersThemIntoOneEvent) {
  const Domain domain(GEX_DT_I32, GEX_OP_FADD | GEX_OP_GET | GEX_OP_SET);
  std::byte* to = window(right(), job().rank);
  std::int32_t before[3] = {-1, -1, -1};
  gex_Event_Wait(gex_AD_OpNB_I32(domain, nullptr, right(), to, GEX_OP_SET, 10, 0, 0));
  gex_NBI_BeginAccessRegion(0);
  gex_AD_OpNBI_I32(domain, nullptr, right(), to + 4, GEX_OP_SET, 5, 0, 0);
  gex_AD_OpNBI_I32(domain, &before[0], right(), to, GEX_OP_FADD, 1, 0, 0);
  gex_AD_OpNBI_I32(domain, &before[1], right(), to, GEX_OP_GET, 0, 0, 0);
  gex_Event_Wait(gex_NBI_EndAccessRegion(0));
  EXPECT_EQ(before[0], 10);
  EXPECT_TRUE(before[1] == 10 || before[1] == 11) << before[1];
  gex_Event_Wait(gex_AD_OpNB_I32(domain, &before[2], right(), to + 4, GEX_OP_GET, 0, 0, 0));
  EXPECT_EQ(before[2], 5);
}

TEST_F(Atomics, ManyMayBeInFlight) {
  const Domain domain(GEX_DT_U64, GEX_OP_FADD | GEX_OP_SET);
  const std::uint32_t count = scaled(1000);
  std::byte* to = window(right(), job().rank);
  gex_Event_Wait(gex_AD_OpNB_U64(domain, nullptr, right(), to, GEX_OP_SET, 0, 0, 0));
  std::vector<std::uint64_t> before(count, ~std::uint64_t{0});
  std::vector<gex_Event_t> events;
  for (std::uint64_t& result : before)
    events.push_back(gex_AD_OpNB_U64(domain, &result, right(), to, GEX_OP_FADD, 1, 0, 0));
  gex_Event_WaitAll(events.data(), events.size(), 0);
  std::vector<bool> seen(count);
  for (const std::uint64_t result : before) {
    ASSERT_LT(result, count);
    EXPECT_FALSE(seen[result]);
    seen[result] = true;
  }
}

TEST_F(Atomics, DomainsKeepWhatTheyWereMadeFor) {
  std::vector<gex_AD_t> domains(200);
  int data = 0;
  for (std::size_t i = 0; i < domains.size(); ++i) {
    const gex_DT_t type = gex_DT_t{1} << i % 6;
    const gex_OP_t ops = i % 2 == 0 ? GEX_OP_ADD | GEX_OP_CSWAP : gex_OP_t{GEX_OP_GET};
    const gex_Flags_t flags = i % 3 == 0   ? gex_Flags_t{GEX_FLAG_AD_FAVOR_MY_RANK}
                              : i % 3 == 1 ? gex_Flags_t{GEX_FLAG_AD_FAVOR_MY_NBRHD}
                                           : favoured();
    gex_AD_Create(&domains[i], job().tm, type, ops, flags);
    ASSERT_NE(domains[i], GEX_AD_INVALID);
    EXPECT_EQ(gex_AD_QueryTM(domains[i]), job().tm);
    EXPECT_EQ(gex_AD_QueryDT(domains[i]), type);
    EXPECT_EQ(gex_AD_QueryOps(domains[i]), ops);
    EXPECT_EQ(gex_AD_QueryFlags(domains[i]), flags);
    EXPECT_EQ(gex_AD_QueryCData(domains[i]), nullptr);
    gex_AD_SetCData(domains[i], i % 2 == 0 ? &data : nullptr);
  }
  for (std::size_t i = 0; i < domains.size(); ++i)
    EXPECT_EQ(gex_AD_QueryCData(domains[i]), i % 2 == 0 ? &data : nullptr);
  barrier();
  for (gex_AD_t domain : domains) gex_AD_Destroy(domain);
}

}  // namespace
}  // namespace aqueduct::test
