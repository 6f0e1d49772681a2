#include "clients/caf/random.hpp"

#include <aqueduct/sim.h>
#include <gasnet_coll.h>

#include <cstdint>
#include <cstdlib>

#include "clients/caf/interface/gfortran8.hpp"
#include "clients/caf/job.hpp"

// The runtime's random_seed(size, put, get), with one argument; an array argument has a descriptor.
extern "C" void _gfortran_random_seed_i4(std::int32_t* size, void* put, void* get) __attribute__((weak));

namespace aqueduct::caf {
namespace {

constexpr int kMostWords = 64;

/// SplitMix64, which spreads close seeds over all bits.
std::uint64_t next(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  std::uint64_t bits = state;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

std::uint64_t unrepeatable_state() {
  if (aqueduct_sim_active()) return aqueduct_sim_seed();
  std::uint64_t state = aqueduct_sim_time_ns() * 0x9e3779b97f4a7c15 + job.rank;
  return next(state);
}

}  // namespace

void random_init(bool repeatable, bool image_distinct) {
  need_job();
  if (!_gfortran_random_seed_i4) return;
  std::uint64_t state = repeatable ? 0 : unrepeatable_state();
  if (!repeatable && !image_distinct)
    gex_Event_Wait(gex_Coll_BroadcastNB(job.team->tm, 0, &state, &state, sizeof state, 0));
  if (image_distinct) state += job.rank * std::uint64_t{0xd1342543de82ef95};
  std::int32_t words = 0;
  _gfortran_random_seed_i4(&words, nullptr, nullptr);
  if (words > kMostWords) words = kMostWords;
  std::int32_t seed[kMostWords];
  for (int i = 0; i < words; ++i) seed[i] = static_cast<std::int32_t>(next(state) >> 32);
  Descriptor array{};
  array.base = seed;
  array.dtype = {sizeof(std::int32_t), 0, 1, TypeCode::kInteger, 0};
  array.span = sizeof(std::int32_t);
  array.dim[0] = {1, 0, words - 1};
  _gfortran_random_seed_i4(nullptr, &array, nullptr);
}

}  // namespace aqueduct::caf
