// Files that a command writes at the end of its work. It tests before the work that it can write them; a
// later failure (a full disk) is an error.
//
// Each function returns a complaint for the user, "cannot write FILE: why", or nothing.
#pragma once
#include <optional>
#include <string>

namespace aqueduct::output_file {

/// Tests whether the file can be written. Does not change an existing file, and leaves no new one.
std::optional<std::string> try_file(const std::string& path);

/// Makes the directory and its parents, and tests whether a file can be written there.
std::optional<std::string> try_directory(const std::string& path);

/// Replaces the contents of the file by the text.
std::optional<std::string> write(const std::string& path, const std::string& text);

}  // namespace aqueduct::output_file
