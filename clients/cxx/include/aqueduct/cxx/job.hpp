// job: starts the library and makes this process a rank of the job; the team of all ranks. One in a program,
// made first and alive until the end.
//
//   int main(int argc, char** argv) {
//     aqueduct::job job{argc, argv};
//     aqueduct::run(job.barrier());
//   }
//
// Its end waits for what was spawned, and for all ranks; messages that nobody awaits must have been waited
// for.
#ifndef AQUEDUCT_CXX_JOB_HPP_
#define AQUEDUCT_CXX_JOB_HPP_

#include <exception>
#include <memory>

#include "aqueduct/cxx/atomic_ref.hpp"
#include "aqueduct/cxx/failure_watch.hpp"
#include "aqueduct/cxx/handlers.hpp"
#include "aqueduct/cxx/run.hpp"
#include "aqueduct/cxx/team.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {

struct job_options {
  std::size_t segment = std::size_t{64} << 20;  // bytes of this rank's memory that others can reach, at most
  const char* name = "aqueduct";                // in messages of the library
};

class job : public team {
 public:
  explicit job(int argc = 0, char** argv = nullptr, const job_options& options = {});
  ~job();
  job(job&&) = delete;

  aqueduct::team& team() noexcept { return *this; }
  // Collective: the ranks on this rank's host, and those that share memory with it.
  task<aqueduct::team> host() {
    rank_t number;
    gex_System_QueryMyPosition(nullptr, nullptr, nullptr, &number);
    return split(static_cast<int>(number));
  }
  task<aqueduct::team> neighbours() {
    rank_t number;
    gex_System_QueryMyPosition(nullptr, &number, nullptr, nullptr);
    return split(static_cast<int>(number));
  }

 private:
  void check_program();

  std::unique_ptr<detail::Context> context_;
  std::unique_ptr<detail::FailureWatch> watch_;
  int exceptions_ = std::uncaught_exceptions();
};

namespace detail {

inline ObjectName<team> to_wire(const job& all) { return to_wire(static_cast<const team&>(all)); }

}  // namespace detail

// This rank, and how many there are in the job.
inline rank_t my_rank() { return detail::context().rank; }
inline rank_t rank_count() { return detail::context().size; }

inline job::job(int argc, char** argv, const job_options& options)
    : context_(std::make_unique<detail::Context>()) {
  detail::Context& here = *context_;
  if (gex_Client_Init(&here.client, &here.ep, &here.world, options.name, &argc, &argv, 0) != GASNET_OK) {
    std::fputs("aqueduct: a program makes one aqueduct::job, and only one\n", stderr);
    std::exit(1);
  }
  static_cast<aqueduct::team&>(*this) = aqueduct::team(here.world, 0);
  here.rank = rank();
  here.size = size();
  here.is_simulated = aqueduct_sim_active();
  here.reports_failures = aqueduct_failures_are_reported();

  const std::size_t page = GASNET_PAGESIZE;
  const std::size_t wanted = std::max((options.segment + page - 1) / page, std::size_t{1}) * page;
  gex_Segment_t segment;
  if (gex_Segment_Attach(&segment, here.world,
                         std::min<std::size_t>(wanted, gasnet_getMaxLocalSegmentSize())) != GASNET_OK) {
    detail::fatal("there is no room for a segment of %zu bytes", wanted);
  }
  here.heap.adopt(gex_Segment_QueryAddr(segment), gex_Segment_QuerySize(segment));

  const detail::FunctionTable& functions = detail::FunctionTable::get();
  here.functions = functions.begin();
  here.function_count = functions.size();
  detail::register_handlers(here);
  if (here.is_simulated) {
    static std::vector<detail::Context*> contexts;
    contexts.resize(here.size);
    contexts[here.rank] = &here;
    detail::simulated_contexts = &contexts;
  } else {
    detail::live_context = &here;
    detail::own_loop = &here.main_loop;
  }
  here.objects[detail::name_in_team(0, 0)] = static_cast<aqueduct::team*>(this);
  detail::create_domains(here);
  check_program();
  if (here.reports_failures) watch_ = std::make_unique<detail::FailureWatch>(here);
}

// Whoever has run this has registered its handlers: messages may come.
inline void job::check_program() {
  detail::Context& here = *context_;
  gex_RankInfo_t* neighbours;
  rank_t count;
  gex_System_QueryNbrhdInfo(&neighbours, &count, nullptr);
  const rank_t first = neighbours[0].gex_jobrank;
  const bool is_block = first % count == 0 && neighbours[count - 1].gex_jobrank == first + count - 1;
  const std::uint64_t each = is_block ? count : 0;
  const std::uint64_t mine = detail::FunctionTable::get().hash();
  std::uint64_t most[] = {mine, ~mine, each, ~each};
  run(reduce_all(std::span(most), maximum()));
  if (most[0] != ~most[1]) {
    detail::fatal(
        "the ranks run different programs: their remote functions differ. Start all with the same "
        "executable");
  }
  if (most[2] == ~most[3]) here.ranks_per_neighbourhood = static_cast<rank_t>(each);
}

inline job::~job() {
  detail::Context& here = *context_;
  if (std::uncaught_exceptions() > exceptions_) detail::fatal("an exception has left the scope of the job");
  const detail::Loop::Busy busy(here.main_loop);
  here.main_loop.until([&] { return here.background.load(std::memory_order_relaxed) == 0; });
  if (!here.reports_failures || aqueduct_failed_ranks(here.world, nullptr, 0) == 0) {
    detail::Result<void> all_are_here;
    detail::Barrier last = barrier();
    detail::drive(last, all_are_here);
    here.main_loop.until([&] { return all_are_here.is_done; });
    detail::destroy_domains(here);
  }
  watch_.reset();
  if (here.is_simulated) {
    (*detail::simulated_contexts)[here.rank] = nullptr;
  } else {
    detail::live_context = nullptr;
    detail::own_loop = nullptr;
  }
  leave();
}

}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
