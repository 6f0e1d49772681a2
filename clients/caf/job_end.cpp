#include "clients/caf/job_end.hpp"

#include <aqueduct/failure.h>
#include <aqueduct/sim.h>
#include <gasnet_coll.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "clients/caf/status.hpp"
#include "clients/caf/transfer.hpp"
#include "clients/caf/wait_name.hpp"

namespace aqueduct::caf {
namespace {

gex_TM_t ending;  // all images again: a collective of its own for their end

constexpr std::uint64_t kMomentNs = 2'000'000;

bool some_have_failed() { return job.reports_failures && aqueduct_failed_ranks(job.world, nullptr, 0) != 0; }

void tell_others(int code) {
  for (gex_Rank_t rank = 0; rank < job.size; ++rank)
    if (rank != job.rank && !has_failed(rank)) gex_AM_RequestShort1(job.world, rank, kStopHandler, 0, code);
}

}  // namespace

void begin_end() {
  gex_TM_Split(&ending, job.world, 0, static_cast<int>(job.rank), nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
}

void stop(int code) {
  flush_units();
  complete_puts();
  std::int32_t greatest = code;
  const gex_Event_t all_have_come = gex_Coll_ReduceToAllNB(
      ending, &greatest, &greatest, GEX_DT_I32, sizeof greatest, 1, GEX_OP_MAX, nullptr, nullptr, 0);
  const std::uint64_t begin = aqueduct_sim_time_ns();
  bool have_come = false;
  const auto all_are_there = [&] {
    have_come = have_come || gex_Event_Test(all_have_come) == GASNET_OK;
    return have_come && !some_have_failed();  // that reduction is over at once when an image fails
  };
  // Nobody would end a sleep when the moment is over.
  while (!all_are_there() && !some_have_failed() && aqueduct_sim_time_ns() - begin < kMomentNs)
    gasnet_AMPoll();
  if (!all_are_there()) {
    const WaitName name("the end of the other images");
    tell_others(code);
    GASNET_BLOCKUNTIL(all_are_there() || all_others_have_departed());
  }
  gasnet_exit(std::max(greatest, greatest_stop_code()));
}

void error_stop(int code) {
  flush_units();
  std::fflush(nullptr);
  gasnet_exit(code);
}

void fail_image() {
  if (!job.reports_failures) {
    flush_units();
    std::fprintf(stderr,
                 "*** FATAL ERROR (image %d): FAIL IMAGE ends the job; with AQUEDUCT_ON_FAILURE=report the "
                 "others go on\n",
                 job.initial.me);
    gasnet_exit(1);
  }
  // What this image has synchronised with others before is theirs to complete: messages of a barrier that it
  // has left may be under way.
  complete_puts();
  const std::uint64_t begin = aqueduct_sim_time_ns();
  while (aqueduct_sim_time_ns() - begin < kMomentNs) gasnet_AMPoll();
  std::raise(SIGKILL);
  std::abort();
}

}  // namespace aqueduct::caf
