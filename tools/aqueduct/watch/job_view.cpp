#include "watch/job_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <numeric>

#include "observe/words.hpp"
#include "watch/inquire.hpp"

namespace aqueduct::watch {
namespace {

using observe::ProcessState;
using observe::RankState;

std::string text_of(const char* text, std::size_t room) { return observe::clean_text(text, room); }

std::string age_of(const observe::JobHeader& header) {
  const auto now = static_cast<std::uint64_t>(std::time(nullptr));
  const std::uint64_t seconds = now > header.started_s ? now - header.started_s : 0;
  return seconds < 60 ? fmt::format("{} s", seconds) : observe::name_time(seconds * 1'000'000'000);
}

std::string program_of(const observe::JobHeader& header) {
  return text_of(header.program, sizeof header.program);
}
std::string launcher_of(const observe::JobHeader& header) {
  return text_of(header.launcher, sizeof header.launcher);
}
std::string socket_of(const observe::JobHeader& header) {
  return text_of(header.socket, sizeof header.socket);
}

std::string counted(std::uint32_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

std::optional<JobView> JobView::open(const std::string& name, std::string* why) {
  std::optional<FoundJob> found = find_job(name, why);
  if (!found) return std::nullopt;
  return JobView(name, std::move(*found));
}

std::optional<std::vector<RankState>> JobView::look(const job::InspectOptions& look, std::string* why) {
  const observe::JobHeader& header = found_.header;
  if (const std::string socket = socket_of(header); !socket.empty()) {
    std::string reason;
    std::optional<std::vector<RankState>> states = inquire(socket, look, &reason);
    if (!states) *why = fmt::format("job {}: {}", name_, reason);
    return states;
  }
  if (!inspection_) {
    std::vector<RankId> ranks(header.ranks);
    std::iota(ranks.begin(), ranks.end(), RankId{0});
    inspection_.emplace(found_.memory.get(), std::move(ranks), header.ranks, "");
  }
  std::vector<RankState> states = inspection_->look(look);
  const bool is_part = header.hosts > 1;
  if (is_part)
    std::erase_if(states, [](const RankState& state) { return state.process == ProcessState::kNotStarted; });
  const bool has_ended = std::all_of(states.begin(), states.end(), [](const RankState& state) {
    return state.process == ProcessState::kGone || state.process == ProcessState::kNotStarted;
  });
  if (has_ended && is_over(header)) {
    *why = fmt::format("job {} has ended", name_);
    return std::nullopt;
  }
  return states;
}

std::string JobView::title(std::size_t columns) const {
  const observe::JobHeader& header = found_.header;
  const std::string before = fmt::format("job {}: ", header.job);
  const std::string after =
      fmt::format(", {}{}, for {}", counted(header.ranks, "rank", "ranks"),
                  header.hosts > 1 ? " on " + counted(header.hosts, "host", "hosts") : "", age_of(header));
  const std::size_t taken = before.size() + after.size();
  const std::size_t room = columns > taken ? columns - taken : std::string::npos;
  return before + observe::name_command(program_of(header), room) + after;
}

std::string JobView::note() const {
  const std::string launcher = launcher_of(found_.header);
  if (launcher.empty() || !socket_of(found_.header).empty()) return {};
  return fmt::format("these are the ranks of this host; the launcher knows all: {}", launcher);
}

std::string table_of(const std::vector<FoundJob>& jobs, std::size_t columns, bool with_owners) {
  std::size_t owner_columns = std::string_view("USER").size();
  for (const FoundJob& job : jobs) owner_columns = std::max(owner_columns, job.owner.size());
  const auto owner = [&](const std::string& name) {
    return with_owners ? fmt::format("{:<{}}  ", name, owner_columns) : "";
  };
  const std::size_t before = 40 + owner("").size();
  std::string text = fmt::format("{:>8} {:>7} {:>6}  {:<14} {}{}\n", "JOB", "RANKS", "HOSTS", "FOR",
                                 owner("USER"), "PROGRAM");
  const std::size_t room = columns > before + 3 ? columns - before : std::string::npos;
  for (const FoundJob& job : jobs) {
    const observe::JobHeader& header = job.header;
    const std::string launcher = launcher_of(header);
    const std::string part = launcher.empty() ? "" : fmt::format("(part of {}) ", launcher);
    const std::string program = observe::name_command(program_of(header), room - std::min(room, part.size()));
    text += fmt::format("{:>8} {:>7} {:>6}  {:<14} {}{}\n", header.job, header.ranks, header.hosts,
                        age_of(header), owner(job.owner), part + program);
  }
  return text;
}

}  // namespace aqueduct::watch
