// Aqueduct for C++20: remote calls of lambdas, co_await, global pointers, distributed objects, aggregated
// messages.
//
//   #include <aqueduct.hpp>
//   int main(int argc, char** argv) {
//     aqueduct::job job{argc, argv};
//     const auto next = (job.rank() + 1) % job.size();
//     const int answer = aqueduct::run(job.call(next, [](int a, int b) { return a + b; }, 40, 2));
//     if (job.rank() == 0) std::printf("%d\n", answer);
//   }
//
// For one thread, unless it is compiled with -DGASNET_PAR. Everything is in this and the headers that it
// includes; link with the library alone. GASNet clients and this may be in one program, but a program has one
// job.
#ifndef AQUEDUCT_HPP_
#define AQUEDUCT_HPP_

#include "aqueduct/cxx/aggregator.hpp"
#include "aqueduct/cxx/atomic_ref.hpp"
#include "aqueduct/cxx/batch.hpp"
#include "aqueduct/cxx/call.hpp"
#include "aqueduct/cxx/config.hpp"
#include "aqueduct/cxx/distributed.hpp"
#include "aqueduct/cxx/error.hpp"
#include "aqueduct/cxx/global_ptr.hpp"
#include "aqueduct/cxx/job.hpp"
#include "aqueduct/cxx/main.hpp"
#include "aqueduct/cxx/pack_std.hpp"
#include "aqueduct/cxx/progress_thread.hpp"
#include "aqueduct/cxx/rma.hpp"
#include "aqueduct/cxx/run.hpp"
#include "aqueduct/cxx/sender.hpp"
#include "aqueduct/cxx/strided.hpp"
#include "aqueduct/cxx/task.hpp"
#include "aqueduct/cxx/team.hpp"
#include "aqueduct/cxx/when.hpp"

#endif
