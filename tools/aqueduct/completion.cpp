#include "completion.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <string_view>

#include "conduit/plugin/search.hpp"
#include "conduit/registry/registry.hpp"
#include "observe/words.hpp"
#include "watch/job_list.hpp"

namespace aqueduct::completion {
namespace {

struct Offer {
  CandidateSource source;
  Beyond beyond = Beyond::kNothing;
};

/// By option, or by command for its first word. Filled while the commands are added.
std::map<const void*, Offer>& offers() {
  static std::map<const void*, Offer> all;
  return all;
}

/// The position in a command line.
struct Place {
  const CLI::App* command = nullptr;
  const CLI::Option* wants_value = nullptr;  ///< the last word is the value of this one
  std::string typed;                         ///< what is typed of the last word
  std::size_t positionals = 0;               ///< words before it that belong to no option
  bool is_handed_on = false;                 ///< the command passes words on, and has its first one
  bool after_dashes = false;
};

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

const CLI::Option* find_option(const CLI::App& app, const std::string& name) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->check_name(name) && name.rfind('-', 0) == 0) return option;
  }
  return nullptr;
}

bool takes_value(const CLI::Option* option) {
  return option != nullptr && option->get_items_expected_max() > 0;
}

/// Joins words that shells cut at "=": "--conduit", "=", "u".
std::vector<std::string> joined_at_equals(const std::vector<std::string>& words) {
  std::vector<std::string> joined;
  for (const std::string& word : words) {
    const bool follows = !joined.empty() && joined.back().rfind("--", 0) == 0 &&
                         joined.back().back() == '=' && joined.back().find('=') == joined.back().size() - 1;
    if (follows) {
      joined.back() += word;
    } else if (word == "=" && !joined.empty() && joined.back().rfind("--", 0) == 0) {
      joined.back() += word;
    } else {
      joined.push_back(word);
    }
  }
  return joined;
}

Place place_of(const CLI::App& app, const std::vector<std::string>& words) {
  Place place;
  place.command = &app;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool is_last = i + 1 == words.size();
    const std::size_t equals = word.rfind("--", 0) == 0 ? word.find('=') : std::string::npos;
    if (is_last) {
      place.typed = word;
      if (!place.is_handed_on && !place.after_dashes && equals != std::string::npos) {
        place.wants_value = find_option(*place.command, word.substr(0, equals));
        place.typed = word.substr(equals + 1);
      }
      break;
    }
    if (place.is_handed_on) continue;
    if (!place.after_dashes && word == "--") {
      place.after_dashes = true;
    } else if (!place.after_dashes && word.size() > 1 && word.front() == '-') {
      const CLI::Option* const option = find_option(*place.command, word);
      if (equals != std::string::npos || !takes_value(option)) continue;
      if (i + 2 == words.size()) place.wants_value = option;
      ++i;
      if (i + 1 == words.size()) place.typed = words[i];
    } else if (const CLI::App* const sub = find_command(*place.command, word)) {
      place.command = sub;
      place.positionals = 0;
    } else if (place.command->get_prefix_command()) {
      place.is_handed_on = true;
    } else {
      ++place.positionals;
    }
  }
  return place;
}

/// Candidates from the name of the value in the help: FILE, DIR, or the words themselves.
Offer offer_by_name(const CLI::Option& option) {
  const std::string kind = option.get_positional() && option.get_type_name().empty() ? option.get_name(true)
                                                                                     : option.get_type_name();
  if (kind == "FILE" || kind == "PATH" || kind == "CMD") return {{}, Beyond::kFiles};
  if (kind == "DIR") return {{}, Beyond::kDirectories};
  std::vector<std::string> words;
  std::istringstream in(kind);
  for (std::string word; std::getline(in, word, '|');) words.push_back(word);
  const auto is_plain = [](const std::string& word) {
    return !word.empty() &&
           std::all_of(word.begin(), word.end(), [](unsigned char c) { return !std::isupper(c); });
  };
  if (words.empty() || !std::all_of(words.begin(), words.end(), is_plain)) return {};
  return {[words] { return plain_words(words); }, Beyond::kNothing};
}

Offer offer_for(const CLI::Option& option) {
  const auto found = offers().find(&option);
  return found != offers().end() ? found->second : offer_by_name(option);
}

/// The positional at that place; the last one may take many.
const CLI::Option* positional_at(const CLI::App& app, std::size_t index) {
  const CLI::Option* last = nullptr;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    last = option;
    if (index < static_cast<std::size_t>(option->get_items_expected_max())) return option;
    index -= static_cast<std::size_t>(option->get_items_expected_max());
  }
  return last != nullptr && last->get_items_expected_max() > 1 ? last : nullptr;
}

/// The summary of an option or a command: its first sentence, on one line.
std::string first_line_of(const std::string& text) { return text.substr(0, text.find('\n')); }

void add_options(const CLI::App& app, std::vector<Candidate>& all) {
  for (const std::string& name : option_names(app))
    all.push_back({name, first_line_of(find_option(app, name)->get_description())});
}

void add_offer(const Offer& offer, std::vector<Candidate>& all, Beyond& beyond) {
  beyond = offer.beyond;
  if (!offer.source) return;
  for (Candidate& candidate : offer.source()) all.push_back(std::move(candidate));
}

void add_words(const Place& place, std::vector<Candidate>& all, Beyond& beyond) {
  const CLI::App& command = *place.command;
  for (const CLI::App* sub : commands_of(command)) {
    if (place.positionals == 0) all.push_back({sub->get_name(), first_line_of(sub->get_description())});
  }
  if (command.get_prefix_command()) {
    const auto found = offers().find(&command);
    if (found != offers().end()) add_offer(found->second, all, beyond);
  } else if (const CLI::Option* const positional = positional_at(command, place.positionals)) {
    add_offer(offer_for(*positional), all, beyond);
  } else if (all.empty() && place.typed.empty()) {
    add_options(command, all);  // there is nothing else
  }
}

const char* line_of(Beyond beyond) {
  switch (beyond) {
    case Beyond::kFiles:
      return ":files\n";
    case Beyond::kDirectories:
      return ":directories\n";
    case Beyond::kPrograms:
      return ":programs\n";
    case Beyond::kNothing:
      break;
  }
  return "";
}

}  // namespace

void offer(const CLI::Option* option, CandidateSource source, Beyond beyond) {
  offers()[option] = {std::move(source), beyond};
}

void offer_first_word(const CLI::App* command, CandidateSource source, Beyond beyond) {
  offers()[command] = {std::move(source), beyond};
}

std::vector<Candidate> plain_words(const std::vector<std::string>& words) {
  std::vector<Candidate> candidates;
  for (const std::string& word : words) candidates.push_back({word, ""});
  return candidates;
}

std::vector<Candidate> conduits() {
  std::vector<Candidate> candidates;
  for (const conduit::Description* each : conduit::built_in())
    candidates.push_back({each->name, each->summary});
  for (const conduit::plugin::File& file : conduit::plugin::find_files())
    candidates.push_back({file.name, file.path});
  return candidates;
}

std::vector<Candidate> jobs() {
  std::vector<Candidate> candidates;
  for (const watch::FoundJob& each : watch::find_jobs()) {
    const std::string program = observe::clean_text(each.header.program, sizeof each.header.program);
    candidates.push_back({std::to_string(each.header.job), program});
  }
  return candidates;
}

std::vector<Candidate> bindings() { return plain_words({"auto", "none", "compact", "spread"}); }

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string complete(const CLI::App& app, std::vector<std::string> words) {
  words = joined_at_equals(words);
  if (words.empty()) words.emplace_back();
  const Place place = place_of(app, words);
  std::vector<Candidate> all;
  Beyond beyond = Beyond::kNothing;
  if (place.is_handed_on) {
    beyond = Beyond::kFiles;
  } else if (place.wants_value != nullptr) {
    add_offer(offer_for(*place.wants_value), all, beyond);
  } else if (!place.after_dashes && place.typed.rfind('-', 0) == 0) {
    add_options(*place.command, all);
  } else {
    add_words(place, all, beyond);
  }
  std::string text;
  for (const Candidate& candidate : all) {
    if (candidate.word.rfind(place.typed, 0) == 0) text += candidate.word + "\t" + candidate.summary + "\n";
  }
  return text + line_of(beyond);
}

}  // namespace aqueduct::completion
