#include "watch/source_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "observe/code_file.hpp"
#include "observe/symbols.hpp"
#include "tools/common/child.hpp"

namespace aqueduct::watch {
namespace {

using observe::CodeFile;
using observe::Frame;

constexpr double kPatienceS = 10;
constexpr std::size_t kMostAddresses = 4096;  // in one command line

using Addresses = std::set<std::uint64_t>;

struct SourceLine {
  std::string function;  ///< mangled
  std::string place;     ///< "wait.h:5"
};
/// The lines of an address: the innermost inlined function first, the function of the stack last.
using SourceLines = std::map<std::uint64_t, std::vector<SourceLine>>;

/// Calls `use(file, frame)` for all frames in files that have line numbers.
void for_each_place(std::vector<observe::RankState>& states, const auto& use) {
  for (observe::RankState& state : states) {
    for (observe::ThreadState& thread : state.threads) {
      for (Frame& frame : thread.stack) {
        if (frame.file < state.files.size()) use(state.files[frame.file], frame);
      }
    }
  }
}

/// Of "/src/wait.h:5 (discriminator 2)": "wait.h:5"; empty if it does not end with a line.
std::string place_in(std::string text) {
  text.erase(std::min(text.find(" (discriminator"), text.size()));
  text.erase(0, text.rfind('/') + 1);
  const std::size_t colon = text.rfind(':');
  const bool has_line = colon != text.npos && colon + 1 < text.size() && text[colon + 1] != '0' &&
                        text.find_first_not_of("0123456789", colon + 1) == text.npos;
  return has_line ? text : "";
}

/// Reads the output of addr2line -a -f -i: for each address a line with it, then two for each function, its
/// name and its place. Leaves out addresses with an unknown place.
void read_lines(const std::string& said, SourceLines& lines) {
  std::istringstream text(said);
  std::optional<std::uint64_t> address;
  for (std::string line, place; std::getline(text, line);) {
    if (line.starts_with("0x")) {
      std::uint64_t number = 0;
      const auto [end, error] = std::from_chars(line.data() + 2, line.data() + line.size(), number, 16);
      address =
          error == std::errc() && end == line.data() + line.size() ? std::optional(number) : std::nullopt;
      continue;
    }
    if (!std::getline(text, place)) return;
    if (!address) continue;
    lines[*address].push_back({line, place_in(place)});
  }
  std::erase_if(lines, [](const auto& known) {
    return std::any_of(known.second.begin(), known.second.end(),
                       [](const SourceLine& line) { return line.place.empty(); });
  });
}

/// False if addr2line has failed, or was too slow.
bool look_up(const std::string& path, const Addresses& addresses, double patience_s, SourceLines& lines) {
  for (auto next = addresses.begin(); next != addresses.end();) {
    ChildRun run{
        .words = {"addr2line", "-a", "-f", "-i", "-e", path}, .timeout_s = patience_s, .drops_errors = true};
    for (std::size_t i = 0; i < kMostAddresses && next != addresses.end(); ++i, ++next)
      run.words.push_back(fmt::format("{:#x}", *next));
    const Ended ended = run_to_end(run);
    if (ended.code != 0 || ended.timed_out) return false;
    read_lines(ended.said, lines);
  }
  return true;
}

void add_to(Frame& frame, const SourceLines& lines) {
  const auto found = lines.find(frame.address);
  if (found == lines.end()) return;
  const std::vector<SourceLine>& chain = found->second;
  frame.source = chain.back().place;
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
    // For inlined functions without a name, addr2line of binutils 2.40 prints the name of the symbol.
    const bool is_named = chain[i].function != chain.back().function;
    frame.inlined.push_back((is_named ? observe::plain_name(chain[i].function) : "?") + " at " +
                            chain[i].place);
  }
}

}  // namespace

std::string add_source_lines(std::vector<observe::RankState>& states) {
  std::map<CodeFile, Addresses> wanted;
  for_each_place(states,
                 [&](const CodeFile& file, const Frame& frame) { wanted[file].insert(frame.address); });
  if (wanted.empty()) return {};
  if (!is_in_path("addr2line")) return "lines of source need addr2line, which is not installed (binutils)";
  const auto begin = std::chrono::steady_clock::now();
  std::string lacking;
  std::map<CodeFile, SourceLines> known;
  for (const auto& [file, addresses] : wanted) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    if (!file.path.starts_with('/') || observe::identity_with_lines(file.path) != file.identity) {
      lacking = fmt::format("no lines of source for {}: on this host it is another file, or none", file.path);
    } else if (spent.count() >= kPatienceS ||
               !look_up(file.path, addresses, kPatienceS - spent.count(), known[file])) {
      lacking = fmt::format("no lines of source for {}: addr2line fails, or takes too long", file.path);
    }
  }
  for_each_place(states, [&](const CodeFile& file, Frame& frame) { add_to(frame, known[file]); });
  return lacking;
}

}  // namespace aqueduct::watch
