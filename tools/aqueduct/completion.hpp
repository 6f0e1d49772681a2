// What a shell offers when a command line of `aqueduct` is typed and the key of completion is pressed.
//
// The files of the shells (completions/) know no command: they hand the words of the line to the hidden
// command `aqueduct complete`, which looks them up in the tables that the parser itself reads. It prints a
// line for each word that may come next, "WORD<tab>SUMMARY", only of those that begin with what is there of
// it, and at most one line for what the shell knows better: ":files", ":directories" or ":programs".
//
// Commands say what there is beyond their options: the values of one, or the first word of a command that
// takes words of its own. Sources run only when they are asked for.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace aqueduct::completion {

struct Candidate {
  std::string word;
  std::string summary;
};

enum class Beyond { kNothing, kFiles, kDirectories, kPrograms };

using CandidateSource = std::function<std::vector<Candidate>()>;

/// For the value of an option, or of a positional.
void offer(const CLI::Option* option, CandidateSource source, Beyond beyond = Beyond::kNothing);
/// For the first word that a prefix command hands on. What follows that one are files.
void offer_first_word(const CLI::App* command, CandidateSource source, Beyond beyond);

/// Candidates that have no summary.
std::vector<Candidate> plain_words(const std::vector<std::string>& words);
/// Those for an option that names a conduit.
std::vector<Candidate> conduits();
/// Those for one that names a job.
std::vector<Candidate> jobs();
/// Those for --bind, which also takes lists of cores.
std::vector<Candidate> bindings();

/// What may follow: `words` are those after `aqueduct`, of which the last is being typed, and may be empty.
/// Ready to be printed.
std::string complete(const CLI::App& app, std::vector<std::string> words);

/// The commands below `app`, without those that are not for people.
std::vector<const CLI::App*> commands_of(const CLI::App& app);
/// "--ranks" and "-n" of all options that the help shows.
std::vector<std::string> option_names(const CLI::App& app);

}  // namespace aqueduct::completion
