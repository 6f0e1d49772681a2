// Advice for errors that a limit of the system causes, for the line that reports the error.
#pragma once
#include <cerrno>
#include <cstring>
#include <string>

namespace aqueduct::job {

/// The system's words for `error`, and advice if a limit that can be raised causes it.
inline std::string explain_with_advice(int error) {
  std::string text = std::strerror(error);
  if (error == EMFILE) text += " (a job needs about four for each rank: raise ulimit -Hn)";
  if (error == EAGAIN) text += " (are there too many processes? See ulimit -u)";
  if (error == ENOMEM) text += " (is there a limit on address space? See ulimit -v)";
  return text;
}

}  // namespace aqueduct::job
