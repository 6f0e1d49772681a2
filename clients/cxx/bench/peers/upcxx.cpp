// What clients/cxx/bench/calls.cpp measures, in UPC++: the ways of its guide for many operations, a promise
// that counts them. Prints the same names.
#include <upcxx/upcxx.hpp>

#include "../figure.hpp"

using namespace bench;

namespace {

constexpr int kBetweenProgress = 32;

std::vector<double> round_trips(int peer, int count) {
  std::vector<double> times;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    const double start = now_ns();
    std::uint64_t value = 0;
    for (int i = 0; i < count; ++i)
      value = upcxx::rpc(
                  peer, [](std::uint64_t given) { return given + 1; }, value)
                  .wait();
    times.push_back((now_ns() - start) / count);
    if (value != static_cast<std::uint64_t>(count)) std::puts("wrong answers");
  }
  return times;
}

std::vector<double> call_flood(int peer, int count) {
  std::vector<double> times;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    const double start = now_ns();
    upcxx::promise<> all;
    for (int i = 0; i < count; ++i) {
      upcxx::rpc(
          peer, upcxx::operation_cx::as_promise(all), [](std::uint64_t) {}, std::uint64_t(i));
      if (i % kBetweenProgress == 0) upcxx::progress();
    }
    all.finalize().wait();
    times.push_back((now_ns() - start) / count);
  }
  return times;
}

std::vector<double> put_flood(upcxx::global_ptr<char> to, std::size_t bytes, int count) {
  const Source from(to.is_local() ? to.local() : nullptr, bytes);
  std::vector<double> times;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    const double start = now_ns();
    upcxx::promise<> all;
    for (int i = 0; i < count; ++i) {
      upcxx::rput(from.begin(), to, bytes, upcxx::operation_cx::as_promise(all));
      if (i % kBetweenProgress == 0) upcxx::progress();
    }
    all.finalize().wait();
    times.push_back((now_ns() - start) / count);
  }
  return times;
}

}  // namespace

int main(int argc, char** argv) {
  const int calls = argc > 1 ? std::atoi(argv[1]) : 20'000;
  upcxx::init();
  {
    const int peer = upcxx::rank_n() - 1;
    upcxx::dist_object<upcxx::global_ptr<char>> memory(upcxx::new_array<char>(std::size_t{1} << 20));
    const auto theirs = memory.fetch(peer).wait();
    upcxx::barrier();
    if (upcxx::rank_me() == 0) {
      round_trips(peer, calls / 10);
      figure("rpc-round-trip", round_trips(peer, calls), true);
      call_flood(peer, calls / 10);
      figure("rpc-flood", call_flood(peer, 2 * calls), true);
      for (const std::size_t bytes : {8, 64, 512, 4096, 65536}) {
        const int count = bytes > 4096 ? calls / 10 : 2 * calls;
        put_flood(theirs, bytes, count / 10);
        figure("put-flood-" + std::to_string(bytes), put_flood(theirs, bytes, count), true);
      }
    }
    upcxx::barrier();
    upcxx::delete_array(*memory);
  }
  upcxx::finalize();
}
