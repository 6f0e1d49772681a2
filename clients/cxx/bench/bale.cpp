// Histogram and index gather by the rules of bale: 5,000,000 updates, or requests, of each rank on tables of
// 10,000 words a rank, at random places that are packed beforehand as word and rank; a request
// says where its answer belongs. bench/peers/conveyors.c does the same with bale's conveyors. Nanoseconds are
// of one item of one rank.
#include <aqueduct.hpp>
#include <cstdlib>

#include "figure.hpp"

using namespace bench;

namespace {

using Word = std::int64_t;

std::vector<Word> packed_places(aqueduct::job& job, Word count, Word each) {
  std::vector<Word> places(static_cast<std::size_t>(count));
  std::uint64_t state = (job.rank() + 1) * 0x9e3779b97f4a7c15;
  for (Word& place : places) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    const auto index = static_cast<Word>(
        static_cast<unsigned __int128>(state) * static_cast<std::uint64_t>(each * job.size()) >> 64);
    place = index / job.size() << 20 | index % job.size();
  }
  return places;
}

aqueduct::rank_t rank_at(Word place) { return static_cast<aqueduct::rank_t>(place & 0xfffff); }

// Loops in functions of their own: what a coroutine has in a loop is in memory.
template <class Aggregator>
void send_updates(const std::vector<Word>& places, Aggregator& add) {
  for (const Word place : places) add.send(rank_at(place), place >> 20);
}
struct Request {
  Word place;
  std::uint32_t answer_to;
  aqueduct::rank_t from;
};
template <class Aggregator>
void send_requests(const std::vector<Word>& places, Aggregator& requests, aqueduct::rank_t me) {
  std::uint32_t number = 0;
  for (const Word place : places) requests.send(rank_at(place), Request{place >> 20, number++, me});
}

aqueduct::task<> histogram(aqueduct::job& job, Word count, Word each) {
  const std::vector<Word> places = packed_places(job, count, each);
  std::vector<Word> counts(static_cast<std::size_t>(each));
  Word* const mine = counts.data();
  aqueduct::aggregator add(job, [mine](Word at) { ++mine[at]; });
  std::vector<double> times;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    co_await job.barrier();
    const double start = now_ns();
    send_updates(places, add);
    co_await add.quiesce();
    times.push_back((now_ns() - start) / static_cast<double>(count));
  }
  Word sum = 0;
  for (const Word value : counts) sum += value;
  sum = co_await job.reduce_all(sum, std::plus<>());
  if (job.rank() == 0 && sum != kRepetitions * count * job.size()) std::puts("updates are missing");
  figure("histogram", times, job.rank() == 0);
}

aqueduct::task<> index_gather(aqueduct::job& job, Word count, Word each) {
  const std::vector<Word> places = packed_places(job, count, each);
  std::vector<Word> table(static_cast<std::size_t>(each)), found(static_cast<std::size_t>(count));
  for (Word i = 0; i < each; ++i) table[static_cast<std::size_t>(i)] = 3 * (i * job.size() + job.rank());
  Word* const results = found.data();
  const Word* const mine = table.data();
  aqueduct::aggregator answers(job, [results](std::uint32_t at, Word value) { results[at] = value; });
  aqueduct::aggregator requests(
      job, [mine, &answers](Request r) { answers.send(r.from, r.answer_to, mine[r.place]); });
  std::vector<double> times;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    co_await job.barrier();
    const double start = now_ns();
    send_requests(places, requests, job.rank());
    co_await requests.quiesce();
    co_await answers.quiesce();
    times.push_back((now_ns() - start) / static_cast<double>(count));
  }
  int wrong = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Word place = places[i];
    wrong += found[i] != 3 * ((place >> 20) * job.size() + (place & 0xfffff));
  }
  wrong = co_await job.reduce_all(wrong, std::plus<>());
  if (job.rank() == 0 && wrong) std::printf("%d elements are wrong\n", wrong);
  figure("index-gather", times, job.rank() == 0);
}

aqueduct::task<> both(aqueduct::job& job, Word count) {
  co_await histogram(job, count, 10'000);
  co_await index_gather(job, count, 10'000);
}

}  // namespace

int main(int argc, char** argv) {
  aqueduct::job job{argc, argv};
  aqueduct::run(both(job, argc > 1 ? std::strtol(argv[1], nullptr, 10) : 5'000'000));
}
