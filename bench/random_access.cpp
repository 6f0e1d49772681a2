// random-access: every rank updates random words of a table that is spread over all ranks.
//
// As in the HPC Challenge: table[i] starts as i, an update is table[r] ^= r for pseudo-random r. An update
// goes to the owner of its word as one short active message, so none is lost to a race, and applying the same
// stream twice restores the table. That is the self-check, exact to the bit: after an even number of passes
// every word must be its index; after the first pass the xor over all words must be the xor over all updates.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <utility>

#include "measure.hpp"
#include "registry.hpp"
#include "stopwatch.hpp"

namespace aqueduct::bench {
namespace {

enum Handler : gex_AM_Index_t { kUpdate = GEX_AM_INDEX_BASE };

/// This rank's part of the table. Handlers find it here; one thread of each rank runs them.
///
/// A word of a large table is rarely in a cache, so an update first asks for its word and is applied some
/// updates later, when the word has come. (The HPC Challenge allows to hold back 1024.) An update of 0
/// changes nothing, so the queue starts full of those.
class Table {
 public:
  std::uint64_t updates_received = 0;

  void attach(std::uint64_t* words, std::uint64_t count) {
    words_ = words;
    mask_ = count - 1;
  }
  std::uint64_t* words() const { return words_; }

  void update(std::uint64_t value) {
    __builtin_prefetch(&words_[value & mask_], 1);
    apply(std::exchange(held_back_[next_++ % kHeldBack], value));
  }

  void apply_all() {
    for (std::uint64_t& value : held_back_) apply(std::exchange(value, 0));
  }

 private:
  static constexpr std::size_t kHeldBack = 32;

  void apply(std::uint64_t value) { words_[value & mask_] ^= value; }

  std::uint64_t* words_ = nullptr;
  std::uint64_t mask_ = 0;
  std::uint64_t held_back_[kHeldBack] = {};
  std::size_t next_ = 0;
};

Table table;

void update(gex_Token_t, gex_AM_Arg_t high, gex_AM_Arg_t low) {
  table.update(std::uint64_t{static_cast<std::uint32_t>(high)} << 32 | static_cast<std::uint32_t>(low));
  ++table.updates_received;
}

/// splitmix64: every rank's stream is the same in every pass.
class Stream {
 public:
  explicit Stream(gex_Rank_t rank) : state_(0x5851f42d4c957f2dULL * (rank + 1)) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

std::uint64_t xor_of(const std::vector<std::uint64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0}, std::bit_xor<>{});
}

class RandomAccess {
 public:
  RandomAccess(Session& session, std::size_t table_bytes)
      : session_(session),
        words_(std::bit_floor(table_bytes / sizeof(std::uint64_t))),
        bits_(static_cast<unsigned>(std::bit_width(words_) - 1)) {
    table.attach(reinterpret_cast<std::uint64_t*>(session.data()), words_);
    for (std::uint64_t i = 0; i < words_; ++i) table.words()[i] = initial(i);
    session.barrier();
  }

  std::uint64_t words() const { return words_; }
  /// As many as there are words, but not so many that a pass of many ranks on few cores takes seconds.
  std::uint64_t updates_per_rank() const {
    constexpr std::uint64_t kMostUpdates = std::uint64_t{1} << 21;
    return std::min(words_, std::max<std::uint64_t>(1, kMostUpdates / session_.size()));
  }

  /// Applies the stream once, on all ranks together; returns when every update has been applied everywhere.
  double pass_ns() {
    session_.barrier();
    const Stopwatch watch;
    send_all();
    drain();
    session_.barrier();
    return watch.ns();
  }

  /// The same number of updates by every rank on its own part alone, all ranks at once, without any message.
  double plain_pass_ns() {
    session_.barrier();
    const Stopwatch watch;
    Stream stream(session_.rank());
    for (std::uint64_t i = 0; i < updates_per_rank(); ++i) table.update(stream.next());
    table.apply_all();
    session_.barrier();
    return watch.ns();
  }

  /// Whether the xor over the table has moved by the xor over all updates, as it must after an odd number of
  /// passes.
  bool checksum_moved_as_it_should() {
    Stream stream(session_.rank());
    std::uint64_t mine = 0;
    for (std::uint64_t i = 0; i < updates_per_rank(); ++i) mine ^= stream.next();
    for (std::uint64_t i = 0; i < words_; ++i) mine ^= table.words()[i] ^ initial(i);
    return xor_of(session_.gather(mine)) == 0;
  }

  /// Words that are not what they were at the start, over all ranks.
  std::uint64_t wrong_words() {
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < words_; ++i) wrong += table.words()[i] != initial(i) ? 1 : 0;
    const auto all = session_.gather(wrong);
    return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
  }

 private:
  std::uint64_t initial(std::uint64_t i) const { return (std::uint64_t{session_.rank()} << bits_) | i; }

  void send_all() {
    constexpr std::uint64_t kUpdatesBetweenPolls = 64;
    const gex_TM_t team = session_.team();
    const gex_Rank_t self = session_.rank();
    sent_.assign(session_.size(), 0);
    Stream stream(self);
    for (std::uint64_t i = 0; i < updates_per_rank(); ++i) {
      const std::uint64_t value = stream.next();
      const auto owner = static_cast<gex_Rank_t>((value >> bits_) % session_.size());
      if (owner == self) {
        table.update(value);
      } else {
        gex_AM_RequestShort2(team, owner, kUpdate, 0, static_cast<gex_AM_Arg_t>(value >> 32),
                             static_cast<gex_AM_Arg_t>(value));
        ++sent_[owner];
      }
      if (i % kUpdatesBetweenPolls == 0) gasnet_AMPoll();
    }
  }

  /// Everybody tells everybody how many updates to expect, then waits for its own.
  void drain() {
    const auto coming = session_.exchange(sent_);
    expected_ += std::accumulate(coming.begin(), coming.end(), std::uint64_t{0});
    GASNET_BLOCKUNTIL(table.updates_received >= expected_);
    table.apply_all();
  }

  Session& session_;
  std::uint64_t words_;
  unsigned bits_;
  std::vector<std::uint64_t> sent_;
  std::uint64_t expected_ = 0;
};

}  // namespace

Result run_random_access(Session& session, const Parameters& parameters) {
  gex_AM_Entry_t handler{
      kUpdate, reinterpret_cast<gex_AM_Fn_t>(update), GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 2, nullptr,
      nullptr};
  session.register_handlers({&handler, 1});

  Result result{.title = "RandomAccess, updates as short active messages",
                .unit = "GUP/s",
                .limit_name = "as many updates of its own part by every rank, without messages",
                .better = Better::kHigher};
  for (const std::size_t size : parameters.sizes) {
    if (size < sizeof(std::uint64_t))
      throw Unsuitable("--sizes: a table needs at least 8 bytes in each rank");
    RandomAccess run(session, size);
    // An even number of passes of both kinds, so that the last ones restore the table.
    const unsigned passes = (parameters.repetitions + 1) / 2 * 2;
    std::vector<double> times;
    std::vector<double> plain_times;
    bool checksum_right = false;
    for (unsigned pass = 0; pass < passes; ++pass) {
      times.push_back(run.pass_ns());
      if (pass == 0) checksum_right = run.checksum_moved_as_it_should();
      plain_times.push_back(run.plain_pass_ns());
    }
    if (parameters.inject_error && session.rank() == session.size() - 1) table.words()[run.words() / 2] ^= 1;
    const std::uint64_t wrong = run.wrong_words();

    const std::uint64_t updates = run.updates_per_rank() * session.size();
    const auto per_ns = static_cast<double>(updates);  // updates per nanosecond are giga-updates per second
    const Spread total = spread_of(times).inverted(per_ns);
    const Spread plain = spread_of(plain_times).inverted(per_ns);
    Row all{.size = size, .value = total, .limit = plain, .what = "all ranks"};
    all.more["errors"] = wrong;
    all.more["updates"] = updates * passes;
    result.rows.push_back(std::move(all));
    const double share = 1.0 / session.size();
    result.rows.push_back(
        {.size = size, .value = total.scaled(share), .limit = plain.scaled(share), .what = "each rank"});
    result.notes.push_back(fmt::format(
        "Self-check: {} updates on {} words in {} passes: wrong words {}, checksum after the first pass {}.",
        updates * passes, run.words() * session.size(), passes, wrong, checksum_right ? "right" : "wrong"));
    if (wrong != 0 || !checksum_right) result.failure = "the self-check of random-access failed";
  }
  return result;
}

}  // namespace aqueduct::bench
