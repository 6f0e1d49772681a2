#include "tools/replay/scenario.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>

#include "tools/replay/dumpi.hpp"
#include "tools/replay/recording.hpp"
#include "tools/replay/replayer.hpp"
#include "tools/replay/report.hpp"

namespace aqueduct::replay {
namespace {

struct Opened {
  Program program;
  double compute = 1;
  std::string network;
  std::unique_ptr<Replay> replay;
  std::optional<Run> against;
  std::string against_network;
};
std::optional<Opened> opened;

std::optional<Program> read_timeline(const std::string& path, std::string* why) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) {
    *why = std::string("cannot be read: ") + std::strerror(errno);
    return std::nullopt;
  }
  const std::optional<Recording> recording = read_recording(std::move(text).str(), why);
  return recording ? program_of(*recording, why) : std::nullopt;
}

int run_rank(const scenarios::Parameters&) { return opened->replay->run_rank(); }

std::vector<scenarios::Setting> before_run(const scenarios::Parameters&) {
  opened->replay = std::make_unique<Replay>(opened->program, opened->compute);
  return {};
}

std::string findings() {
  return report(opened->program, opened->replay->run(), opened->network,
                opened->against ? &*opened->against : nullptr, opened->against_network);
}

}  // namespace

std::string open(const std::string& path, double compute) {
  std::string why;
  std::error_code ignored;
  std::optional<Program> program =
      std::filesystem::is_directory(path, ignored) ? read_dumpi(path, &why) : read_timeline(path, &why);
  if (!program) return "'" + path + "' " + why;
  opened.emplace();
  opened->program = std::move(*program);
  opened->compute = compute;
  return "";
}

std::uint32_t ranks() { return static_cast<std::uint32_t>(opened->program.ranks.size()); }
std::uint64_t segment_bytes() { return opened->program.largest_transfer; }
std::uint64_t duration_ns() {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(opened->program.duration, 0));
}

void set_network(const std::string& name) { opened->network = name; }

void keep_for_comparison() {
  opened->against = opened->replay->run();
  opened->against_network = opened->network;
}

const scenarios::Scenario& scenario() {
  static const scenarios::Scenario kReplay{
      "replay", "what was recorded (--replay)", run_rank, nullptr, "", nullptr, before_run, findings};
  return kReplay;
}

}  // namespace aqueduct::replay
