#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "info/report.hpp"

namespace aqueduct::info {
namespace {

using nlohmann::json;

constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;

std::string machine_in_words(const json& machine) {
  return fmt::format("{}, {}, {} core{}, {:.1f} GiB of memory", machine.at("system").get<std::string>(),
                     machine.at("architecture").get<std::string>(), machine.at("cores").get<int>(),
                     machine.at("cores").get<int>() == 1 ? "" : "s",
                     machine.at("memory_bytes").get<double>() / kGibibyte);
}

/// The verdict of all hosts on one conduit: the first objection, or the answer of the first host.
struct Verdict {
  std::string name;
  std::string reason;
  bool is_chosen = true;
};

std::vector<Verdict> judge(const std::vector<std::pair<std::string, json>>& hosts) {
  std::vector<Verdict> verdicts;
  for (const json& conduit : hosts.front().second.at("conduits")) {
    Verdict verdict{conduit.at("name"), conduit.at("reason"), true};
    for (const auto& [host, facts] : hosts) {
      const json& theirs = facts.at("conduits");
      const auto same = std::find_if(theirs.begin(), theirs.end(),
                                     [&](const json& other) { return other.at("name") == verdict.name; });
      if (same == theirs.end()) {
        verdict = {verdict.name, fmt::format("host {} does not have it", host), false};
        break;
      }
      if (!same->at("chosen").get<bool>()) verdict.is_chosen = false;
      if (!same->at("possible").get<bool>()) {
        verdict.reason = fmt::format("not possible: {}", same->at("reason").get<std::string>());
        break;
      }
    }
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

std::string chosen_in_words(const std::vector<std::pair<std::string, json>>& hosts) {
  const std::vector<Verdict> verdicts = judge(hosts);
  const json& job = hosts.front().second.at("job");
  const auto chosen =
      std::find_if(verdicts.begin(), verdicts.end(), [](const Verdict& each) { return each.is_chosen; });
  std::string text = fmt::format("\nA job of {} ranks on these hosts ", job.at("ranks").get<RankId>());
  if (chosen != verdicts.end()) {
    text += fmt::format("gets the conduit {}.\n", chosen->name);
  } else if (job.at("failure").is_string()) {
    text += fmt::format("would not start: {}\n", job.at("failure").get<std::string>());
  } else {
    text += "would not start: hosts choose different conduits; name one with --conduit.\n";
  }
  for (const Verdict& each : verdicts) text += fmt::format("  {:12}  {}\n", each.name, each.reason);
  return text;
}

}  // namespace

std::string hosts_as_text(const std::vector<job::HostAnswer>& answers) try {
  std::string text;
  std::vector<std::pair<std::string, json>> hosts;
  std::size_t width = 0;
  for (const job::HostAnswer& answer : answers) width = std::max(width, answer.name.size());
  for (const job::HostAnswer& answer : answers) {
    if (!answer.error.empty()) {
      text += fmt::format("{:{}}  {}\n", answer.name, width, answer.error);
      continue;
    }
    json facts = json::parse(answer.facts);
    text += fmt::format("{:{}}  Aqueduct {}, {}\n", answer.name, width,
                        facts.at("version").get<std::string>(), machine_in_words(facts.at("machine")));
    if (!answer.interfaces.empty())
      text += fmt::format("{:{}}  {}\n", "", width, fmt::join(answer.interfaces, ", "));
    hosts.emplace_back(answer.name, std::move(facts));
  }
  if (hosts.size() == answers.size()) text += chosen_in_words(hosts);
  return text;
} catch (const json::exception&) {
  return {};
}

}  // namespace aqueduct::info
