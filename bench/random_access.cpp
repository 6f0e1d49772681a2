// random-access: every rank updates random words of a table that is spread over all ranks, by the rules of
// the HPC Challenge (random_access/rules.hpp), in one of several versions (random_access/version.hpp), beside
// the bare machine.
//
// Each repetition is a complete run by the rules: it sets the table, makes and applies all updates, and the
// verification counts wrong words.
#include <fmt/format.h>
#include <gasnet_tools.h>

#include <algorithm>
#include <numeric>

#include "measure.hpp"
#include "random_access/bare.hpp"
#include "random_access/rules.hpp"
#include "registry.hpp"

namespace aqueduct::bench {
namespace {

using namespace random_access;

std::uint64_t sum_of(const std::vector<std::uint64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

std::vector<std::uint64_t*> mapped_parts(const Session& session) {
  std::vector<std::uint64_t*> parts;
  for (gex_Rank_t rank = 0; rank < session.size(); ++rank)
    parts.push_back(reinterpret_cast<std::uint64_t*>(session.mapped_data_of(rank)));
  return parts;
}

class RandomAccess {
 public:
  RandomAccess(Session& session, std::size_t table_bytes, const Parameters& parameters)
      : session_(session),
        kind_(*find_version(parameters.kind)),
        job_{.team = session.team(),
             .rank = session.rank(),
             .size = session.size(),
             .partition = {words_of(table_bytes, session.size()), session.size()},
             .updates = words_of(table_bytes, session.size()) * kUpdatesPerWord / session.size(),
             .look_ahead = parameters.look_ahead,
             .share = &share_,
             .part_of =
                 [&session](gex_Rank_t rank) {
                   return reinterpret_cast<std::uint64_t*>(session.data_of(rank));
                 }},
        bare_(job_, mapped_parts(session)) {
    share_.table.attach(job_.part_of(job_.rank), job_.partition, job_.rank, job_.look_ahead);
    announce(&share_);
    session.barrier();
    version_ = kind_.make(job_);
  }

  const Job& job() const { return job_; }
  const VersionKind& kind() const { return kind_; }
  const Bare& bare() const { return bare_; }

  double timed_pass_ns() {
    reset();
    return run_pass(job_, *version_);
  }
  double bare_pass_ns() {
    reset();
    return bare_.run_pass();
  }

  /// Wrong words over all ranks after a pass. With `spoils` the last rank spoils one first.
  std::uint64_t verify(bool spoils) {
    Table* const table = &share_.table;
    if (spoils && job_.rank == job_.size - 1) table->words()[table->count() / 2] ^= 1;
    apply_again(job_, {&table, 1});
    return sum_of(session_.gather(table->wrong_words()));
  }

  /// The most updates that any rank has held.
  std::uint64_t most_held() { return std::ranges::max(session_.gather(version_->look_ahead().most())); }

 private:
  void reset() {
    share_.table.reset();
    session_.barrier();
  }

  Session& session_;
  const VersionKind& kind_;
  Share share_;
  Job job_;
  Bare bare_;
  std::unique_ptr<Version> version_;
};

void judge_errors(const RandomAccess& run, std::uint64_t worst, Result& result) {
  if (worst == 0) return;
  const auto words = static_cast<double>(run.job().partition.words());
  if (run.kind().is_exact) {
    result.failure = "the self-check of random-access failed";
  } else if (static_cast<double>(worst) > kMostErrors * words) {
    result.failure = fmt::format(
        "random-access: {} of {} words are wrong, and 1 % may be; take a larger table or less --look-ahead",
        worst, run.job().partition.words());
  }
}

}  // namespace

std::string complaint_about_random_access(const Parameters& parameters) {
  for (const std::size_t size : parameters.sizes) {
    const std::string complaint = complaint_about_table(size, parameters.ranks, gasnett_getPhysMemSz(1));
    if (!complaint.empty()) return complaint;
    if (words_of(size, parameters.ranks) < parameters.ranks)
      return fmt::format("--sizes: a table of {} ranks has a word for each of them at least",
                         parameters.ranks);
  }
  return "";
}

std::vector<std::string> random_access_versions() {
  std::vector<std::string> names;
  for (const VersionKind& kind : versions()) names.emplace_back(kind.name);
  return names;
}

Result run_random_access(Session& session, const Parameters& parameters) {
  std::vector<gex_AM_Entry_t> handlers = handlers_of_updates();
  session.register_handlers(handlers);
  Result result{.unit = "GUP/s", .better = Better::kHigher};
  for (const std::size_t size : parameters.sizes) {
    RandomAccess run(session, size, parameters);
    result.title = fmt::format("RandomAccess: {}", run.kind().summary);
    result.limit_name = run.bare().is_shared() ? Bare::kNameOfShared : Bare::kNameOfOwn;
    std::vector<double> times, bare_times;
    std::uint64_t worst = 0;
    for (unsigned pass = 0; pass < parameters.repetitions; ++pass) {
      times.push_back(run.timed_pass_ns());
      worst = std::max(worst, run.verify(parameters.inject_error && pass == 0));
      bare_times.push_back(run.bare_pass_ns());
    }
    const std::uint64_t updates = run.job().updates * session.size();
    const auto per_ns = static_cast<double>(updates);  // updates per nanosecond are giga-updates per second
    const Spread total = spread_of(times).inverted(per_ns);
    const Spread bare = spread_of(bare_times).inverted(per_ns);
    const std::uint64_t held = run.most_held();
    Row all{.size = size, .value = total, .limit = bare, .what = "all ranks"};
    all.more["errors"] = worst;
    all.more["updates"] = updates * parameters.repetitions;
    all.more["look_ahead"] = held;
    result.rows.push_back(std::move(all));
    const double share = 1.0 / session.size();
    result.rows.push_back(
        {.size = size, .value = total.scaled(share), .limit = bare.scaled(share), .what = "each rank"});
    result.notes.push_back(fmt::format(
        "By the rules: {} updates on {} words in each repetition, at most {} held by a rank, wrong words {} "
        "(worst repetition).",
        updates, run.job().partition.words(), held, worst));
    result.notes.push_back(
        fmt::format("{:.2f} of the bare machine's updates, by medians.", total.median / bare.median));
    judge_errors(run, worst, result);
  }
  return result;
}

}  // namespace aqueduct::bench
