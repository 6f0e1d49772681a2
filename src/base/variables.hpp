// The one table of the variables that the library, its launchers and its tools read from the environment.
//
// docs/environment.md shows it section by section, row by row, and a test holds the two together; another
// test holds it to the names that the sources read. A variable that is added to a source is added here.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace aqueduct::env {

/// The headings of docs/environment.md. kPlace: passes between a supervisor and its ranks, not for users.
enum class Section {
  kJobs,
  kMemory,
  kUdp,
  kMpi,
  kOfi,
  kAries,
  kExtoll,
  kPortals,
  kTrace,
  kDebugging,
  kPlace
};

struct Variable {
  Section section;
  const char* name;      ///< a "*" at its end stands for any rest
  const char* alias;     ///< a second name, which counts where the first is not set; null: there is none
  const char* type;      ///< what it takes, in one or two words
  const char* fallback;  ///< what counts where it is not set, in words
  const char* text;      ///< what it does, in one line
};

std::span<const Variable> variables();

/// Whether the name is in the table, or is one that is no setting of the library though it begins like one:
/// that of build systems (AQUEDUCT_DIR) and those of tests (AQUEDUCT_TEST_*).
bool is_known(std::string_view name);

/// The name in the table that somebody may have meant; empty where none is near.
std::string nearest_name(std::string_view name);

/// Warns of each variable of the environment that begins with AQUEDUCT_ and is not known. Whoever starts a
/// job says it, once for the process; its ranks do not.
void warn_of_unknown_variables();

}  // namespace aqueduct::env
