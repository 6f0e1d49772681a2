// Files that a command writes at the end of its work: that they can be written is found out before it, and
// what cannot be written after all (a full disk) is an error.
//
// Each function answers a complaint for the user, "cannot write FILE: why", or nothing.
#pragma once
#include <optional>
#include <string>

namespace aqueduct::output_file {

/// Whether the file can be written. What is there is not touched, and nothing is left behind.
std::optional<std::string> try_file(const std::string& path);

/// Makes the directory, with those above it, and tries whether a file can be written there.
std::optional<std::string> try_directory(const std::string& path);

/// Replaces what is in the file by the text.
std::optional<std::string> write(const std::string& path, const std::string& text);

}  // namespace aqueduct::output_file
