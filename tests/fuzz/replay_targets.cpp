// Files that are replayed: timelines, and texts of traces of MPI calls.
#include <string>
#include <vector>

#include "target.hpp"
#include "tools/replay/dumpi.hpp"
#include "tools/replay/recording.hpp"

namespace aqueduct::fuzz {
namespace {

/// Whatever a program refers to is there.
void check(const replay::Program& program) {
  for (const replay::RankProgram& rank : program.ranks) {
    for (const replay::Step& step : rank.steps) {
      using What = replay::Step::What;
      expect(step.event == replay::kNone || step.event < rank.event_steps.size());
      expect(step.meeting == replay::kNone || step.meeting < program.meetings.size());
      expect(step.team < program.teams.size());
      expect(step.bytes <= replay::kMostBytes);
      if (step.what == What::kSend) expect(program.messages.at(step.number).to < program.ranks.size());
      if (step.what == What::kWait) expect(step.first + step.count <= rank.awaited.size());
      if (step.what == What::kWaitMessages) {
        for (const std::uint32_t message : rank.arrivals.at(step.number).messages)
          expect(message < program.messages.size());
      }
    }
  }
}

}  // namespace

void timeline(Input input) {
  std::string why;
  const auto recording = replay::read_recording(text_of(input), &why);
  expect(recording.has_value() == why.empty());
  if (!recording) return;
  const auto program = replay::program_of(*recording, &why);
  expect(program.has_value() == why.empty());
  if (program) check(*program);
}

/// Texts of ranks are separated by a zero.
void mpi_text(Input input) {
  std::vector<std::string> texts(1);
  for (const std::uint8_t byte : input) {
    if (byte == 0) {
      texts.emplace_back();
    } else {
      texts.back() += static_cast<char>(byte);
    }
  }
  std::string why;
  const auto program = replay::program_of_dumpi(texts, &why);
  expect(program.has_value() == why.empty());
  if (program) check(*program);
}

}  // namespace aqueduct::fuzz
