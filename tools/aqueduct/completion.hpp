// Completes command lines of `aqueduct` in a shell.
//
// The files for shells (completions/) know no commands: they pass the words of the line to the hidden command
// `aqueduct complete`, which looks them up in the parser's own tables. It prints a line "WORD<tab>SUMMARY"
// for each word that may come next and begins with what is typed of it, and at most one line for what the
// shell completes itself: ":files", ":directories" or ":programs".
//
// Commands add candidates beyond their options: values of an option, or the first word of a command that
// takes free words. Sources run only when they are needed.
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

/// Sets the candidates for the value of an option or a positional.
void offer(const CLI::Option* option, CandidateSource source, Beyond beyond = Beyond::kNothing);
/// Sets the candidates for the first word that a command passes on; the later words are files.
void offer_first_word(const CLI::App* command, CandidateSource source, Beyond beyond);

/// Candidates that have no summary.
std::vector<Candidate> plain_words(const std::vector<std::string>& words);
/// The candidates for an option that names a conduit.
std::vector<Candidate> conduits();
/// The candidates for an option that names a job.
std::vector<Candidate> jobs();
/// The candidates for --bind, which also takes lists of cores.
std::vector<Candidate> bindings();

/// The lines to print. `words` are those after `aqueduct`; the last one is being typed and may be empty.
std::string complete(const CLI::App& app, std::vector<std::string> words);

/// The commands below `app`, without those that are not for people.
std::vector<const CLI::App*> commands_of(const CLI::App& app);
/// "--ranks" and "-n" of all options that the help shows.
std::vector<std::string> option_names(const CLI::App& app);

}  // namespace aqueduct::completion
