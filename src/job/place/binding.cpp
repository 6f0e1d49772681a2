#include "job/place/binding.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace aqueduct::job {
namespace {

constexpr int kMaxCpus = 8192;  // what Linux can be configured for; cpu_set_t ends at 1024

struct CpuMask {
  cpu_set_t* bits = CPU_ALLOC(kMaxCpus);
  const std::size_t bytes = CPU_ALLOC_SIZE(kMaxCpus);
  CpuMask() { CPU_ZERO_S(bytes, bits); }
  explicit CpuMask(const CpuSet& cpus) : CpuMask() {
    for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), bytes, bits);
  }
  ~CpuMask() { CPU_FREE(bits); }
  CpuMask(const CpuMask&) = delete;
  CpuMask& operator=(const CpuMask&) = delete;
  bool operator==(const CpuMask& other) const { return CPU_EQUAL_S(bytes, bits, other.bits); }
};

void bind_thread(pid_t thread, const CpuMask& mask) { sched_setaffinity(thread, mask.bytes, mask.bits); }

/// "0,2,4-7", as sysfs and the user write it. Nothing if the list is malformed.
std::optional<std::vector<int>> parse_cpu_list(std::string_view list) {
  std::vector<int> cpus;
  const char* at = list.data();
  const char* const end = at + list.size();
  const auto number = [&](int& value) {
    const auto [next, error] = std::from_chars(at, end, value);
    const bool is_good = error == std::errc() && next != at && value >= 0 && value < kMaxCpus;
    at = next;
    return is_good;
  };
  for (;;) {
    int first = 0;
    if (!number(first)) return std::nullopt;
    int last = first;
    if (at < end && *at == '-') {
      ++at;
      if (!number(last) || last < first) return std::nullopt;
    }
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    if (at == end) return cpus;
    if (*at++ != ',') return std::nullopt;
  }
}

std::string read_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string format_cpu_list(const CpuSet& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (last > i) text += '-' + std::to_string(cpus[last]);
    i = last + 1;
  }
  return text;
}

CpuSet all_cpus(const std::vector<Core>& cores) {
  CpuSet cpus;
  for (const Core& core : cores) cpus.insert(cpus.end(), core.cpus.begin(), core.cpus.end());
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

bool is_one_core(const CpuSet& cpus, const std::vector<Core>& cores) {
  return std::ranges::any_of(cores, [&](const Core& core) { return core.cpus == cpus; });
}

BindingPlan plan_list(const std::string& list, RankId ranks, const std::vector<Core>& cores) {
  BindingPlan plan;
  const std::optional<std::vector<int>> wanted = parse_cpu_list(list);
  if (!wanted) {
    plan.error =
        "'" + list +
        "' is no way to bind ranks: use auto, none, compact, spread or a list of cores such as 0,2,4-7";
    return plan;
  }
  const CpuSet usable = all_cpus(cores);
  for (const int cpu : *wanted) {
    if (!std::binary_search(usable.begin(), usable.end(), cpu)) {
      plan.error = "cannot bind ranks to core " + std::to_string(cpu) + ": this process may use " +
                   format_cpu_list(usable);
      return plan;
    }
  }
  for (RankId rank = 0; rank < ranks; ++rank) plan.of_rank.push_back({(*wanted)[rank % wanted->size()]});
  plan.of_threaded_rank = plan.of_rank;
  CpuSet distinct = *wanted;
  std::sort(distinct.begin(), distinct.end());
  plan.cpus_shared = static_cast<unsigned>(std::unique(distinct.begin(), distinct.end()) - distinct.begin());
  return plan;
}

}  // namespace

std::vector<Core> usable_cores() {
  CpuMask mask;
  std::vector<Core> cores;
  if (sched_getaffinity(0, mask.bytes, mask.bits) != 0) return {Core{0, {0}}};
  const auto is_usable = [&](int cpu) {
    return CPU_ISSET_S(static_cast<std::size_t>(cpu), mask.bytes, mask.bits) != 0;
  };
  for (int cpu = 0; cpu < kMaxCpus; ++cpu) {
    if (!is_usable(cpu)) continue;
    const std::string topology = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    // Without sysfs every hardware thread counts as a core of its own.
    CpuSet siblings = parse_cpu_list(read_line(topology + "thread_siblings_list")).value_or(CpuSet{cpu});
    std::erase_if(siblings, [&](int sibling) { return !is_usable(sibling); });
    if (siblings.empty() || siblings.front() != cpu) continue;  // its core is listed under its first thread
    const std::string package = read_line(topology + "physical_package_id");
    int package_number = 0;
    std::from_chars(package.data(), package.data() + package.size(), package_number);
    cores.push_back({package_number, std::move(siblings)});
  }
  std::stable_sort(cores.begin(), cores.end(),
                   [](const Core& a, const Core& b) { return a.package < b.package; });
  return cores;
}

unsigned count_cpus(const std::vector<Core>& cores) {
  std::size_t count = 0;
  for (const Core& core : cores) count += core.cpus.size();
  return static_cast<unsigned>(count);
}

BindingPlan plan_binding(const std::string& how, RankId ranks, const std::vector<Core>& cores) {
  const bool is_auto = how == "auto";
  const bool is_compact = how == "compact";
  const bool is_spread = how == "spread";
  if (!is_auto && !is_compact && !is_spread && how != "none") return plan_list(how, ranks, cores);

  BindingPlan plan;
  plan.of_rank.resize(ranks);
  plan.cpus_shared = count_cpus(cores);
  const std::size_t count = cores.size();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (is_compact) plan.of_rank[rank] = cores[rank % count].cpus;
    if (is_spread) plan.of_rank[rank] = cores[ranks <= count ? rank * count / ranks : rank % count].cpus;
    if (is_auto && ranks > 1 && ranks <= count) {
      CpuSet& share = plan.of_rank[rank];
      for (std::size_t core = rank * count / ranks; core < (rank + 1) * count / ranks; ++core) {
        share.insert(share.end(), cores[core].cpus.begin(), cores[core].cpus.end());
      }
      std::sort(share.begin(), share.end());
    }
  }
  plan.of_threaded_rank = plan.of_rank;
  if (is_auto) {
    for (CpuSet& share : plan.of_threaded_rank)
      if (is_one_core(share, cores)) share = all_cpus(cores);
  }
  return plan;
}

void bind_self(const CpuSet& cpus) {
  // If a core has gone offline meanwhile, the binding fails and the rank runs where the system puts it.
  if (!cpus.empty()) bind_thread(0, CpuMask(cpus));
}

std::string NarrowBinding::text() const {
  return format_cpu_list(bound_) + '/' + format_cpu_list(with_threads_);
}

std::optional<NarrowBinding> NarrowBinding::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::optional<CpuSet> bound = parse_cpu_list(text.substr(0, slash));
  const std::optional<CpuSet> with_threads = parse_cpu_list(text.substr(slash + 1));
  if (!bound || !with_threads) return std::nullopt;
  return NarrowBinding(*bound, *with_threads);
}

void NarrowBinding::give_up() {
  if (!*this) return;
  const CpuMask bound(bound_);
  const CpuMask room(with_threads_);
  bound_ = with_threads_;
  // A thread that is started meanwhile may be missed, but later ones inherit the wider binding.
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
    const pid_t thread = std::atoi(entry.path().filename().c_str());
    CpuMask now;
    if (sched_getaffinity(thread, now.bytes, now.bits) == 0 && now == bound) bind_thread(thread, room);
  }
}

bool has_one_thread() {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded;
#else
  std::error_code error;
  const std::filesystem::directory_iterator threads("/proc/self/task", error);
  return std::distance(begin(threads), end(threads)) <= 1;
#endif
}

}  // namespace aqueduct::job
