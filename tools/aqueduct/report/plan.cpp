#include "plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "registry.hpp"

namespace aqueduct::report {
namespace {

using bench::kKiB;
using bench::kMiB;
using PlannedSizes = std::vector<std::size_t>;

struct SectionPlan {
  const char* word;
  const char* title;
  const char* text;
};

constexpr SectionPlan kSections[] = {
    {"latency", "Latency",
     "One operation at a time: how long until it is complete. Dashed lines are the interface below a "
     "conduit, used by "
     "itself and measured in turns between the same two ranks."},
    {"bandwidth", "Bandwidth", "Up to 64 transfers on their way, in one direction."},
    {"rate", "Message rate",
     "Active messages in one direction, as fast as the receiver runs their handlers."},
    {"injection", "Injection",
     "What starting an operation costs the caller, by how many are started before it waits for them."},
    {"barrier", "Barrier", "All ranks wait for each other."},
    {"random-access", "RandomAccess",
     "Updates of random words of a table that lies in the memory of all ranks; after it, the table is "
     "compared with what "
     "it must be."},
    {"devices", "Memory of devices",
     "Puts and gets of the first device's memory. Neighbours copy by its driver; over networks the data is "
     "staged "
     "through pinned memory of the host."},
};

const SectionPlan& section_of(const std::string& word) {
  return *std::ranges::find(kSections, word, &SectionPlan::word);
}

bool is_wanted(const Wanted& wanted, const std::string& word) {
  if (word == "devices" && !wanted.has_device) return false;
  return wanted.only.empty() || std::ranges::find(wanted.only, word) != wanted.only.end();
}

const Axis kBytesAxis{"bytes", true, true};
const Axis kTimeAxis{"ns", true, false};

PlotPlan lines_over_sizes(const char* word, const char* id, const char* title, const char* text, Axis y,
                          PlannedSizes sizes) {
  PlotPlan plan;
  plan.plot = {.id = id,
               .section = section_of(word).title,
               .title = title,
               .text = text,
               .x = kBytesAxis,
               .y = std::move(y)};
  plan.bench = id;
  plan.along = Along::kSize;
  plan.sizes = std::move(sizes);
  plan.takes_raw = true;
  return plan;
}

PlotPlan dots(const char* word, const char* id, const char* title, const char* text, Axis y) {
  PlotPlan plan;
  plan.plot = {.id = id,
               .section = section_of(word).title,
               .title = title,
               .text = text,
               .form = PlotForm::kDots,
               .y = std::move(y)};
  plan.bench = id;
  return plan;
}

void add_latency(std::vector<PlotPlan>& plans, bool quick) {
  const PlannedSizes sizes =
      quick ? PlannedSizes{8, 512, 8 * kKiB} : PlannedSizes{8, 32, 128, 512, 2 * kKiB, 8 * kKiB, 32 * kKiB};
  plans.push_back(lines_over_sizes("latency", "put-latency", "A blocking put",
                                   "Until it is complete at the target.", kTimeAxis, sizes));
  plans.push_back(lines_over_sizes("latency", "get-latency", "A blocking get", "Until the data are here.",
                                   kTimeAxis, sizes));
  PlotPlan brief = dots("latency", "am-short", "A short active message and its reply",
                        "Round trip, from the request to the handler of the reply.", kTimeAxis);
  brief.bench = "am-latency";
  brief.kind = "short";
  brief.takes_raw = true;
  plans.push_back(brief);
  PlotPlan medium =
      lines_over_sizes("latency", "am-medium", "A medium active message and its reply",
                       "Round trip, by the payload of the request; as long as the conduit's Mediums may be.",
                       kTimeAxis, sizes);
  medium.bench = "am-latency";
  medium.kind = "medium";
  medium.is_medium = true;
  plans.push_back(medium);
}

void add_bandwidth(std::vector<PlotPlan>& plans, bool quick) {
  const PlannedSizes sizes =
      quick ? PlannedSizes{4 * kKiB, 64 * kKiB, kMiB}
            : PlannedSizes{512, 2 * kKiB, 8 * kKiB, 32 * kKiB, 128 * kKiB, 512 * kKiB, kMiB, 4 * kMiB};
  for (const bool put : {true, false}) {
    PlotPlan plan = lines_over_sizes(
        "bandwidth", put ? "put-bandwidth" : "get-bandwidth", put ? "A stream of puts" : "A stream of gets",
        "Non-blocking, 64 between one wait and the next.", {"GB/s", true, false}, sizes);
    plan.plot.is_higher_better = true;
    plans.push_back(plan);
  }
}

void add_rate(std::vector<PlotPlan>& plans, bool quick) {
  const Axis axis{"million/s", true, false};
  PlotPlan brief =
      dots("rate", "rate-short", "Short active messages", "Until the handler of the last one has run.", axis);
  PlotPlan medium =
      lines_over_sizes("rate", "rate-medium", "Medium active messages", "The same with a payload.", axis,
                       quick ? PlannedSizes{8, 512} : PlannedSizes{8, 64, 512, kKiB, 4 * kKiB});
  brief.kind = "short";
  medium.kind = "medium";
  medium.is_medium = true;
  for (PlotPlan* plan : {&brief, &medium}) {
    plan->bench = "am-flood";
    plan->takes_raw = true;
    plan->is_rate = true;
    plan->plot.is_higher_better = true;
    plans.push_back(*plan);
  }
}

void add_injection(std::vector<PlotPlan>& plans) {
  const auto add = [&](const char* kind, const char* title) {
    PlotPlan plan = lines_over_sizes("injection", kind, title, "Time per operation; draining is not timed.",
                                     kTimeAxis, {});
    plan.plot.id = fmt::format("injection-{}", kind);
    plan.plot.x = {"at once", true, false};
    plan.bench = "injection";
    plan.kind = kind;
    plan.along = Along::kDepth;
    plan.takes_raw = false;
    plan.weight = 2;
    plans.push_back(plan);
  };
  add("put", "Puts of 8 bytes");
  add("short", "Short active messages");
}

void add_barrier(std::vector<PlotPlan>& plans, unsigned ranks) {
  plans.push_back(
      dots("barrier", "barrier", "A barrier of two ranks", "Split in notify and wait.", kTimeAxis));
  if (ranks < 3) return;
  PlotPlan teams =
      lines_over_sizes("barrier", "team-barrier", "A barrier by the number of ranks",
                       "Of the first ranks of a job, in teams of their own. Where there are more ranks than "
                       "cores, they take turns, which takes longer.",
                       kTimeAxis, {});
  teams.plot.x = {"ranks", true, false};
  teams.along = Along::kRanks;
  teams.takes_raw = false;
  teams.ranks = ranks;
  teams.weight = 2;
  plans.push_back(teams);
}

/// One plot for each version that uses the conduit and is valid with a small table, which slow networks need;
/// other versions do not distinguish conduits.
void add_random_access(std::vector<PlotPlan>& plans, const Wanted& wanted) {
  PlotPlan plan = dots("random-access", "random-access", "", "", {"GUP/s", true, false});
  plan.plot.is_higher_better = true;
  plan.sizes = {wanted.quick ? 64 * kKiB : 256 * kKiB};
  plan.plot.text = fmt::format("Two ranks, a table of {} KiB in each.", plan.sizes[0] / kKiB);
  plan.weight = 3;
  const std::vector<std::string>& known = bench::find_bench("random-access")->kinds;
  for (const auto& [version, title] : {std::pair{"active-messages", "A short active message for each update"},
                                       std::pair{"aggregated", "Updates collected by their destination"},
                                       std::pair{"atomics", "A remote atomic for each update"}}) {
    if (std::ranges::find(known, version) == known.end()) continue;
    plan.kind = version;
    plan.plot.id = fmt::format("random-access-{}", version);
    plan.plot.title = title;
    plans.push_back(plan);
  }
}

void add_devices(std::vector<PlotPlan>& plans, bool quick) {
  const PlannedSizes sizes = quick ? PlannedSizes{8, 64 * kKiB, 4 * kMiB}
                                   : PlannedSizes{8, 4 * kKiB, 64 * kKiB, 512 * kKiB, 4 * kMiB, 64 * kMiB};
  const auto add = [&](const char* bench, const char* id, const char* title, bool local, Axis y) {
    PlotPlan plan = lines_over_sizes("devices", id, title, "Between two ranks, both of the first device.",
                                     std::move(y), sizes);
    plan.bench = bench;
    plan.takes_raw = false;
    plan.local_device = local;
    plan.remote_device = true;
    plan.plot.is_higher_better = plan.plot.y.label == "GB/s";
    plans.push_back(plan);
  };
  const Axis rate{"GB/s", true, false};
  add("put-latency", "device-put-latency", "A blocking put from device to device", true, kTimeAxis);
  add("put-bandwidth", "device-put", "Puts from device to device", true, rate);
  add("get-bandwidth", "device-get", "Gets from device to device", true, rate);
  add("put-bandwidth", "host-device-put", "Puts from the host to a device", false, rate);
  add("get-bandwidth", "host-device-get", "Gets from a device to the host", false, rate);
}

}  // namespace

std::vector<std::string> section_words() {
  std::vector<std::string> words;
  for (const SectionPlan& section : kSections) words.emplace_back(section.word);
  return words;
}

std::vector<PlotPlan> make_plan(const Wanted& wanted) {
  std::vector<PlotPlan> plans;
  if (is_wanted(wanted, "latency")) add_latency(plans, wanted.quick);
  if (is_wanted(wanted, "bandwidth")) add_bandwidth(plans, wanted.quick);
  if (is_wanted(wanted, "rate")) add_rate(plans, wanted.quick);
  if (is_wanted(wanted, "injection")) add_injection(plans);
  if (is_wanted(wanted, "barrier")) add_barrier(plans, wanted.ranks);
  if (is_wanted(wanted, "random-access")) add_random_access(plans, wanted);
  if (is_wanted(wanted, "devices")) add_devices(plans, wanted.quick);
  return plans;
}

std::vector<Section> make_sections(const Wanted& wanted) {
  std::vector<Section> sections;
  for (const SectionPlan& section : kSections) {
    if (is_wanted(wanted, section.word)) sections.push_back({section.title, section.text});
  }
  return sections;
}

std::vector<std::string> bench_words(const PlotPlan& plan, const Present& conduit,
                                     std::size_t most_medium_bytes, bool quick) {
  constexpr const char* kQuickRepetitions = "3";
  std::vector<std::string> words{"bench",     plan.bench,  "-n", std::to_string(plan.ranks),
                                 "--conduit", conduit.name};
  if (!plan.kind.empty()) words.insert(words.end(), {"--kind", plan.kind});
  const auto where = [](bool is_device) { return is_device ? "device" : "host"; };
  if (plan.local_device || plan.remote_device) {
    words.insert(words.end(),
                 {"--local-memory", where(plan.local_device), "--remote-memory", where(plan.remote_device)});
  }
  std::string sizes;
  for (const std::size_t size : plan.sizes) {
    if (plan.is_medium && size > most_medium_bytes) continue;
    sizes += (sizes.empty() ? "" : ",") + bench::size_text(size);
  }
  if (!sizes.empty()) words.insert(words.end(), {"--sizes", sizes});
  if (quick) words.insert(words.end(), {"--repetitions", kQuickRepetitions});
  return words;
}

}  // namespace aqueduct::report
