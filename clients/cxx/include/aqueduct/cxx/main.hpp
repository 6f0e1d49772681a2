// AQUEDUCT_MAIN(body): the main() of a program that is nothing but a task, which also runs as simulated ranks
// when it is compiled as a shared object.
//
//   aqueduct::task<> body(aqueduct::job& job) { co_await job.barrier(); }
//   AQUEDUCT_MAIN(body)
#ifndef AQUEDUCT_CXX_MAIN_HPP_
#define AQUEDUCT_CXX_MAIN_HPP_

#include "aqueduct/cxx/job.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

inline int run_main(int argc, char** argv, task<> (*body)(job&)) {
  job job{argc, argv};
  run(body(job));
  return 0;
}

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

// clang-format off
#define AQUEDUCT_MAIN(body)                                                                                \
  int main(int argc, char** argv) { return aqueduct::detail::run_main(argc, argv, body); }                 \
  extern "C" int aqueduct_sim_main(int argc, char** argv) { return aqueduct::detail::run_main(argc, argv, body); }
// clang-format on

#endif
