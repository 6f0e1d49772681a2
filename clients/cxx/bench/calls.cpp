// Remote calls and puts between rank 0 and the last rank: the round trip of a call, calls that are all under
// way, and puts that are all under way. bench/peers/upcxx.cpp does the same in UPC++.
#include <aqueduct.hpp>
#include <cstdlib>

#include "figure.hpp"

using namespace bench;

namespace {

std::uint64_t increment(std::uint64_t value) { return value + 1; }

aqueduct::task<std::vector<double>> round_trips(aqueduct::rank_t peer, int count) {
  std::vector<double> times;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    const double start = now_ns();
    std::uint64_t value = 0;
    for (int i = 0; i < count; ++i) value = co_await aqueduct::call<increment>(peer, value);
    times.push_back((now_ns() - start) / count);
    if (value != static_cast<std::uint64_t>(count)) std::puts("wrong answers");
  }
  co_return times;
}

aqueduct::task<std::vector<double>> call_flood(aqueduct::rank_t peer, int count) {
  std::vector<double> times;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    const double start = now_ns();
    aqueduct::batch all;
    for (int i = 0; i < count; ++i)
      all.call(
          peer, [](std::uint64_t value) { return value + 1; }, std::uint64_t(i));
    co_await all;
    times.push_back((now_ns() - start) / count);
  }
  co_return times;
}

aqueduct::task<std::vector<double>> put_flood(aqueduct::global_ptr<char> to, std::size_t bytes, int count) {
  const Source from(to.local(), bytes);
  std::vector<double> times;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    const double start = now_ns();
    aqueduct::batch all;
    for (int i = 0; i < count; ++i) all.rput(std::span(from.begin(), bytes), to);
    co_await all;
    times.push_back((now_ns() - start) / count);
  }
  co_return times;
}

aqueduct::task<> body(aqueduct::job& job, int calls) {
  const aqueduct::rank_t peer = job.size() - 1;
  const auto memory = aqueduct::allocate<char>(std::size_t{1} << 20);
  const auto everyones = co_await job.gather_all(memory.data());
  const bool first = job.rank() == 0;
  if (first) {
    co_await round_trips(peer, calls / 10);
    figure("rpc-round-trip", co_await round_trips(peer, calls), true);
    co_await call_flood(peer, calls / 10);
    figure("rpc-flood", co_await call_flood(peer, 2 * calls), true);
    for (const std::size_t bytes : {8, 64, 512, 4096, 65536}) {
      const int count = bytes > 4096 ? calls / 10 : 2 * calls;
      co_await put_flood(everyones[peer], bytes, count / 10);
      figure("put-flood-" + std::to_string(bytes), co_await put_flood(everyones[peer], bytes, count), true);
    }
  }
  co_await job.barrier();
  aqueduct::deallocate(memory);
}

}  // namespace

// The argument: how many calls (20,000).
int main(int argc, char** argv) {
  aqueduct::job job{argc, argv};
  aqueduct::run(body(job, argc > 1 ? std::atoi(argv[1]) : 20'000));
}
