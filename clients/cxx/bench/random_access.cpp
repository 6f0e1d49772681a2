// RandomAccess: updates of random words of a table that all ranks share, in turns by loads and stores of the
// bare machine, by aggregated messages, and by a message for each. Nanoseconds are of one update of one rank,
// while all ranks make theirs. Says how many words are wrong.
//
//   aqueduct run -n 2 random_access [MiB of each rank's table, a power of two] [single]
//
// Ranks are a power of two, at most 1024 updates are held by a rank, as the HPC Challenge asks; the bare
// machine may lose updates that meet, messages lose none.
#include <aqueduct.hpp>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "figure.hpp"

using namespace bench;

namespace {

using Word = std::uint64_t;

// The stream of the HPC Challenge: powers of x modulo x^64 + x^2 + x + 1.
struct Stream {
  Word state;
  Word next() { return state = state << 1 ^ (static_cast<std::int64_t>(state) < 0 ? 7 : 0); }
};
// Somewhere in the stream, for each rank.
Stream stream_of(aqueduct::rank_t rank) {
  Word state = (rank + 1) * 0x9e3779b97f4a7c15;
  return {state ^ state >> 31};
}

struct Table {
  Word* mine;
  Word each;  // words of a rank
  Word mask;
  int shift;  // from the number of a word to its rank
  Word updates;
};

// At most so many are held by a rank: in its buffers, and while their words are fetched.
constexpr std::size_t kLookAhead = 1024;
constexpr std::size_t kFetched = 32;

void make_updates_bare(const Table& table, const std::vector<Word*>& parts, aqueduct::rank_t rank) {
  struct Held {
    Word* word;
    Word value;
  };
  Held held[kFetched];
  std::fill_n(held, kFetched, Held{table.mine, 0});
  const auto apply = [](const Held& one) {
    const std::atomic_ref<Word> word(*one.word);
    word.store(word.load(std::memory_order_relaxed) ^ one.value, std::memory_order_relaxed);
  };
  Stream stream = stream_of(rank);
  for (Word i = 0; i < table.updates; ++i) {
    const Word value = stream.next();
    Word* const word = parts[(value & table.mask) >> table.shift] + (value & (table.each - 1));
    __builtin_prefetch(word, 1);
    apply(std::exchange(held[i % kFetched], {word, value}));
  }
  std::for_each_n(held, kFetched, apply);
}

// A function of its own: what a coroutine has in a loop is in memory.
template <class Aggregator>
void make_updates(const Table& table, Aggregator& update, aqueduct::rank_t rank) {
  Stream stream = stream_of(rank);
  for (Word i = 0; i < table.updates; ++i) {
    const Word value = stream.next();
    update.send(static_cast<aqueduct::rank_t>((value & table.mask) >> table.shift), value);
  }
}

Word wrong_words(const Table& table, aqueduct::rank_t rank) {
  Word wrong = 0;
  for (Word i = 0; i < table.each; ++i) wrong += table.mine[i] != rank * table.each + i;
  return wrong;
}

aqueduct::task<> body(aqueduct::job& job, std::size_t mib, bool single) {
  const aqueduct::rank_t ranks = job.size(), me = job.rank();
  if (!std::has_single_bit(ranks) || !std::has_single_bit(mib)) {
    if (me == 0) std::puts("random-access wants powers of two");
    co_return;
  }
  const Word each = mib << 17;
  const auto memory = aqueduct::allocate<Word>(each);
  const Table table{memory.data().local(), each, each * ranks - 1, std::countr_zero(each), each * 4};
  std::vector<Word*> parts;
  bool is_shared = true;
  for (const auto& part : co_await job.gather_all(memory.data())) {
    parts.push_back(part.local());
    is_shared = is_shared && parts.back();
  }
  if (!is_shared) parts.assign(ranks, table.mine);  // as many updates of its own part
  for (Word i = 0; i < each; ++i) table.mine[i] = me * each + i;

  Word* const mine = table.mine;
  const Word local = each - 1;
  const std::size_t buffer_bytes = std::max<std::size_t>((kLookAhead - kFetched) / ranks * sizeof(Word), 256);
  aqueduct::aggregator update(
      job,
      aqueduct::with_prefetch([=](Word value) { mine[value & local] ^= value; },
                              [=](Word value) { return &mine[value & local]; }),
      {.buffer_bytes = buffer_bytes, .buffers = (kLookAhead - kFetched) * sizeof(Word) / buffer_bytes});
  std::vector<double> bare_ns, aggregated_ns, single_ns;
  aqueduct::distributed<Word*> part(job, mine);
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    co_await job.barrier();
    double start = now_ns();
    make_updates_bare(table, parts, me);
    co_await job.barrier();
    bare_ns.push_back((now_ns() - start) / static_cast<double>(table.updates));
    for (Word i = 0; i < each; ++i) mine[i] = me * each + i;
    for (int time = 0; time < 2; ++time) {  // the second time undoes the first
      co_await job.barrier();
      start = now_ns();
      make_updates(table, update, me);
      co_await update.quiesce();
      aggregated_ns.push_back((now_ns() - start) / static_cast<double>(table.updates));
    }
    if (!single) continue;
    for (int time = 0; time < 2; ++time) {
      const Word few = std::min<Word>(table.updates, 20'000);
      co_await job.barrier();
      start = now_ns();
      Stream stream = stream_of(me);
      aqueduct::batch all;
      for (Word i = 0; i < few; ++i) {
        const Word value = stream.next();
        const auto owner = static_cast<aqueduct::rank_t>((value & table.mask) >> table.shift);
        all.call(
            owner, [](Word*& words, Word at, Word with) { words[at] ^= with; }, part, value & local, value);
      }
      co_await all;
      co_await job.barrier();
      single_ns.push_back((now_ns() - start) / static_cast<double>(few));
    }
  }
  const Word wrong = co_await job.reduce_all(wrong_words(table, me), std::plus<>());
  const std::string name = "random-access-" + std::to_string(mib) + "MiB-";
  const double as_bare = figure(name + "bare", bare_ns, me == 0);
  const double aggregated = figure(name + "aggregated", aggregated_ns, me == 0);
  if (single) figure(name + "single", single_ns, me == 0);
  if (me == 0) {
    std::printf("# aggregated reaches %.2f of the bare machine's updates%s; %lu words are wrong\n",
                as_bare / aggregated, is_shared ? "" : ", which are of its own part",
                static_cast<unsigned long>(wrong));
  }
  co_await job.barrier();
  aqueduct::deallocate(memory);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t mib = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 8;
  const bool single = argc > 2 && std::strcmp(argv[2], "single") == 0;
  aqueduct::job job{argc, argv, {.segment = (mib << 20) + (std::size_t{4} << 20)}};
  aqueduct::run(body(job, mib, single));
}
