// atomics: the time of one remote atomic on a word of the partner, beside the bare instruction on the same
// word.
#include <atomic>

#include "client_parts.hpp"
#include "measure.hpp"
#include "registry.hpp"
#include "stopwatch.hpp"

namespace aqueduct::bench {
namespace {

// Both loops are the same function, instantiated with the operation, so that the compiler sees the same
// context for the bare instruction as for the call.
template <class Once>
[[gnu::noinline]] double time_loop(const Once& given, std::uint64_t count) {
  Once once = given;  // a local copy can stay in registers, as the addresses of a client do
  const Stopwatch watch;
  for (std::uint64_t i = 0; i < count; ++i) {
    once();
    keep_memory();
  }
  gex_NBI_Wait(GEX_EC_ALL, 0);
  return watch.ns();
}

/// What all rows share. `together`: the partner does the same at the same time, so that the line moves
/// between both.
struct Plan {
  Session& session;
  const Parameters& parameters;
  gex_Rank_t owner;
  std::byte* target;  ///< the word, in its owner's addresses
  std::byte* mapped;  ///< in this process's; null if it is not mapped
  bool together;
  std::vector<Row> rows{};

  bool takes_part() const { return session.measures() || (together && session.serves()); }
};

/// A domain for one row.
class Domain {
 public:
  Domain(Session& session, gex_DT_t type, gex_OP_t ops) : session_(session) {
    gex_AD_Create(&handle_, session.team(), type, ops, 0);
  }
  ~Domain() {
    session_.barrier();
    gex_AD_Destroy(handle_);
  }
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;
  operator gex_AD_t() const { return handle_; }

 private:
  Session& session_;
  gex_AD_t handle_{};
};

/// Adds a row: `call` makes the call once, `bare` does the same to the mapped word.
template <class Call, class Bare>
void add_row(Plan& plan, const char* what, Call call, Bare bare) {
  std::vector<Batch> batches{
      [&](std::uint64_t count) { return plan.takes_part() ? time_loop(call, count) : 0.0; }};
  const bool has_limit = plan.session.pair_shares_memory();
  if (has_limit) {
    batches.emplace_back(
        [&](std::uint64_t count) { return plan.takes_part() ? time_loop(bare, count) : 0.0; });
  }
  const auto times = interleave(plan.session, plan.parameters.repetitions, batches);
  plan.rows.push_back({.size = 8,
                       .value = times[0],
                       .limit = has_limit ? std::optional(times[1]) : std::nullopt,
                       .what = what});
}

void measure_integers(Plan& plan) {
  const gex_OP_t kOps = GEX_OP_FADD | GEX_OP_ADD | GEX_OP_FCAS | GEX_OP_SWAP | GEX_OP_GET | GEX_OP_SET |
                        GEX_OP_FXOR | GEX_OP_MAX;
  const Domain domain(plan.session, GEX_DT_U64, kOps);
  const gex_AD_t ad = domain;
  const gex_Rank_t owner = plan.owner;
  void* const target = plan.target;
  auto* const word = reinterpret_cast<std::uint64_t*>(plan.mapped);
  const auto bare = [word] { return std::atomic_ref<std::uint64_t>(*word); };
  std::uint64_t got = 0;
  std::uint64_t* const result = &got;
  add_row(
      plan, "fetch-add U64", [=] { gex_AD_OpNBI_U64(ad, result, owner, target, GEX_OP_FADD, 1, 0, 0); },
      [=] { *result = bare().fetch_add(1); });
  const volatile gex_OP_t chosen_later = GEX_OP_FADD;
  const gex_OP_t opcode = chosen_later;
  add_row(
      plan, "fetch-add U64, opcode not known to the compiler",
      [=] { gex_AD_OpNBI_U64(ad, result, owner, target, opcode, 1, 0, 0); },
      [=] { *result = bare().fetch_add(1); });
  add_row(
      plan, "fetch-add U64, by an event",
      [=] { gex_Event_Wait(gex_AD_OpNB_U64(ad, result, owner, target, GEX_OP_FADD, 1, 0, 0)); },
      [=] { *result = bare().fetch_add(1); });
  add_row(
      plan, "add U64", [=] { gex_AD_OpNBI_U64(ad, nullptr, owner, target, GEX_OP_ADD, 1, 0, 0); },
      [=] { bare().fetch_add(1); });
  add_row(
      plan, "swap U64", [=] { gex_AD_OpNBI_U64(ad, result, owner, target, GEX_OP_SWAP, 1, 0, 0); },
      [=] { *result = bare().exchange(1); });
  add_row(
      plan, "compare-and-swap U64",
      [=] { gex_AD_OpNBI_U64(ad, result, owner, target, GEX_OP_FCAS, *result, 1, 0); },
      [=] { bare().compare_exchange_strong(*result, 1); });
  add_row(
      plan, "fetch-xor U64", [=] { gex_AD_OpNBI_U64(ad, result, owner, target, GEX_OP_FXOR, 5, 0, 0); },
      [=] { *result = bare().fetch_xor(5); });
  add_row(
      plan, "get U64", [=] { gex_AD_OpNBI_U64(ad, result, owner, target, GEX_OP_GET, 0, 0, 0); },
      [=] { *result = bare().load(std::memory_order_acquire); });
  add_row(
      plan, "set U64", [=] { gex_AD_OpNBI_U64(ad, nullptr, owner, target, GEX_OP_SET, 3, 0, 0); },
      [=] { bare().store(3, std::memory_order_release); });
}

void measure_reals(Plan& plan) {
  const Domain domain(plan.session, GEX_DT_DBL, GEX_OP_FADD);
  const gex_AD_t ad = domain;
  const gex_Rank_t owner = plan.owner;
  void* const target = plan.target;
  auto* const word = reinterpret_cast<double*>(plan.mapped);
  double got = 0;
  double* const result = &got;
  add_row(
      plan, "fetch-add DBL", [=] { gex_AD_OpNBI_DBL(ad, result, owner, target, GEX_OP_FADD, 1, 0, 0); },
      [=] { *result = std::atomic_ref<double>(*word).fetch_add(1); });
}

}  // namespace

Result run_atomics(Session& session, const Parameters& parameters) {
  const bool together = parameters.kind == "both";
  const gex_Rank_t owner = session.size() / 2;
  Plan plan{.session = session,
            .parameters = parameters,
            .owner = owner,
            .target = session.data_of(owner),
            .mapped = session.mapped_data_of(owner),
            .together = together};
  measure_integers(plan);
  measure_reals(plan);
  return {.title = together ? "remote atomic on a word that the partner uses at the same time"
                            : "remote atomic on a word of the partner",
          .unit = "ns",
          .limit_name = session.pair_shares_memory() ? "the bare atomic instruction on the same word" : "",
          .rows = std::move(plan.rows)};
}

}  // namespace aqueduct::bench
