#include "random_access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/fatal.hpp"
#include "conduit/registry/registry.hpp"
#include "random_access/rules.hpp"
#include "random_access/version.hpp"
#include "round_clock.hpp"

namespace aqueduct::scenarios {
namespace {

using namespace bench::random_access;

constexpr std::size_t kTableBytes = 1024;  // of each rank
/// A place in the stream where numbers have many bits; each seed has its own place.
constexpr std::uint64_t kDenseStart = 0x1e3779b97f4a7c15;
constexpr const char* kUsual = "active-messages";

RandomAccessFigures figures;
/// All parts of the table that are in this process, so that the verification needs no messages: of a
/// simulated job those of all ranks, of a live one that of this rank.
std::vector<std::unique_ptr<Share>> shares;
std::uint32_t at_work = 0;  // ranks of this process that have not finished yet; the last one verifies

const VersionKind& version_of(const Parameters& parameters) {
  return *find_version(parameters.version.empty() ? kUsual : parameters.version);
}

std::uint64_t first_update_ns() {
  std::uint64_t first = ~std::uint64_t{0};
  for (const auto& share : shares) first = std::min(first, share->begun_ns);
  return first;
}

/// When the last update of all ranks was applied. The time until all ranks know that does not count.
std::uint64_t last_update_ns() {
  std::uint64_t last = 0;
  for (const auto& share : shares) last = std::max({last, share->made_ns, share->table.last_update_ns()});
  return last;
}

void verify(const Job& job) {
  std::vector<Table*> tables;
  tables.reserve(shares.size());
  for (const auto& share : shares) tables.push_back(&share->table);
  apply_again(job, tables);
  for (const Table* const table : tables) figures.wrong_words += table->wrong_words();
  const bool is_wrong =
      static_cast<double>(figures.wrong_words) > kMostErrors * static_cast<double>(figures.words);
  if (is_wrong) {
    fatal(
        "random-access", "%llu of %llu words are wrong, and 1 %% may be: a larger table (--bytes) has fewer",
        static_cast<unsigned long long>(figures.wrong_words), static_cast<unsigned long long>(figures.words));
  }
}

}  // namespace

const RandomAccessFigures& random_access_figures() { return figures; }

std::string complaint_about_random_access(const Parameters& parameters, const std::string& conduit) {
  if (!parameters.version.empty() && !find_version(parameters.version)) {
    std::string known;
    for (const VersionKind& kind : versions())
      known += fmt::format("{}{}", known.empty() ? "" : ", ", kind.name);
    return fmt::format("--version: random-access knows {}, not '{}'", known, parameters.version);
  }
  const VersionKind& kind = version_of(parameters);
  const conduit::Description* const used = conduit::find(conduit.c_str());
  if (kind.nic && (!used || !used->nic || std::string_view(used->nic) != kind.nic)) {
    return fmt::format("--version {}: the machine of conduit {} has no {}; take --conduit {}", kind.name,
                       conduit, kind.nic, std::string_view(kind.nic) == "extoll" ? "extoll" : "portals");
  }
  const std::size_t bytes = parameters.bytes_or(kTableBytes);
  std::string complaint = complaint_about_table(bytes, 1, ~std::size_t{0});
  const std::size_t at = complaint.find("--sizes");
  if (at != std::string::npos) complaint.replace(at, std::string("--sizes").size(), "--bytes");
  return complaint;
}

std::vector<std::string> random_access_versions() {
  std::vector<std::string> lines;
  for (const VersionKind& kind : versions())
    lines.push_back(fmt::format("{:<16} {}", kind.name, kind.summary));
  return lines;
}

std::vector<Setting> before_random_access(const Parameters& parameters) {
  figures = {};
  shares.clear();
  shares.resize(parameters.ranks);
  at_work = parameters.ranks;
  return {};
}

std::string random_access_findings() {
  return fmt::format(
      "updates       {} on {} words in {:.1f} us: {:.6f} GUP/s; {} wrong words, at most {} held by a rank\n",
      figures.updates, figures.words, figures.ns / 1e3, figures.gups(), figures.wrong_words,
      figures.most_held);
}

int random_access(const Parameters& parameters) {
  // Of this rank; not on its stack, because another rank may verify when this one has left.
  auto owned = std::make_unique<Share>();
  Share& share = *owned;
  std::vector<gex_AM_Entry_t> handlers = handlers_of_updates();
  const std::size_t bytes = parameters.bytes_or(kTableBytes);
  const Member me(bytes, &share, handlers);
  const std::uint64_t words = words_of(bytes, me.size());
  const Job job{
      .team = me.team(),
      .rank = me.rank(),
      .size = me.size(),
      .partition = {words, me.size()},
      .updates = parameters.rounds_or(static_cast<unsigned>(words * kUpdatesPerWord / me.size())),
      .stream_start = kDenseStart + (parameters.seed << 32),
      .look_ahead = parameters.look_ahead != 0 ? parameters.look_ahead : kMostLookAhead,
      .made = parameters.as_upc ? &kUpcUpdate : &kUpdateMade,
      .share = &share,
      .part_of = [&me](gex_Rank_t rank) { return reinterpret_cast<std::uint64_t*>(me.at(rank, 0)); }};
  share.table.attach(job.part_of(me.rank()), job.partition, me.rank(), job.look_ahead);
  share.table.reset();
  const bool is_simulated = world::is_simulated();
  if (!is_simulated) {
    shares.clear();
    shares.resize(1);
    at_work = 1;
    announce(&share);
  }
  shares[is_simulated ? me.rank() : 0] = std::move(owned);
  const std::unique_ptr<Version> version = version_of(parameters).make(job);
  const double pass_ns = run_pass(job, *version);
  figures.most_held = std::max<std::uint64_t>(figures.most_held, version->look_ahead().most());
  // Before its buffers go away, a version that sends by itself has what others still send it. A live process
  // leaves with all others.
  if (version->needs_polls() || !is_simulated) me.barrier();
  if (me.rank() == 0) record("round", 0, pass_ns);
  if (--at_work == 0) {
    figures.updates = job.updates * me.size();
    figures.words = words;
    figures.ns = is_simulated ? static_cast<double>(last_update_ns() - first_update_ns()) : pass_ns;
    verify(job);
  }
  return 0;
}

}  // namespace aqueduct::scenarios
