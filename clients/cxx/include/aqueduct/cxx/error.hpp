// What goes wrong, as exceptions where a program can go on, and as a line and the end of the job where it
// cannot.
#ifndef AQUEDUCT_CXX_ERROR_HPP_
#define AQUEDUCT_CXX_ERROR_HPP_

#include <cstdarg>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include "aqueduct/cxx/config.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {

// A function that was called at another rank has thrown; what() is what its exception said.
class remote_error : public std::runtime_error {
 public:
  remote_error(rank_t rank, const std::string& what) : std::runtime_error(what), rank_(rank) {}
  rank_t rank() const noexcept { return rank_; }

 private:
  rank_t rank_;
};

// The rank that an operation needed has died, in a job that reports failures (AQUEDUCT_ON_FAILURE=report).
class peer_failed : public std::runtime_error {
 public:
  explicit peer_failed(rank_t rank)
      : std::runtime_error("rank " + std::to_string(rank) + " has died"), rank_(rank) {}
  rank_t rank() const noexcept { return rank_; }

 private:
  rank_t rank_;
};

// with_timeout() has waited for long enough.
class timed_out : public std::runtime_error {
 public:
  timed_out() : std::runtime_error("not done in time") {}
};

// What has lost in when_any() or with_timeout() is asked to stop, and learns it where it waits.
class stopped : public std::runtime_error {
 public:
  stopped() : std::runtime_error("asked to stop") {}
};

namespace detail {

// Says what is wrong and ends the job.
[[noreturn, gnu::cold, gnu::noinline, gnu::format(printf, 1, 2)]] inline void fatal(const char* format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  std::fprintf(stderr, "aqueduct: rank %u: %s\n", gex_System_QueryJobRank(), line);
  gasnet_exit(1);
}

// What an exception says of itself.
inline std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

// An exception that nobody is there to catch.
[[noreturn, gnu::cold]] inline void fatal_exception(const char* where) {
  fatal("%s ended with an exception that nobody waits for: %s", where,
        text_of(std::current_exception()).c_str());
}

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
