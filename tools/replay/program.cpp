#include "tools/replay/program.hpp"

namespace aqueduct::replay {

const char* name_of(Kind kind) {
  static constexpr std::array<const char*, kKinds> kNames{
      "computing",          "puts",     "gets",        "atomics", "implicit operations", "messages",
      "waits for messages", "barriers", "collectives", "polling"};
  return kNames[static_cast<std::size_t>(kind)];
}

Run recorded_run(const Program& program) {
  Run run;
  run.duration = program.duration;
  for (const RankProgram& rank : program.ranks) {
    auto& spans = run.steps.emplace_back();
    spans.reserve(rank.steps.size());
    for (const Step& step : rank.steps) spans.push_back(step.recorded);
  }
  for (const MessagePlan& message : program.messages) {
    run.sent.push_back(message.sent);
    run.handled.push_back(message.handled);
  }
  return run;
}

}  // namespace aqueduct::replay
