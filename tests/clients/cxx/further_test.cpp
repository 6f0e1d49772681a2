// Parts of matrices, teams as arguments, tasks that are asked to stop, senders and executors.
#include <numeric>
#include <thread>

#include "check.hpp"

namespace aqueduct::test {
namespace {

// The shape of a std::mdspan.
struct Matrix {
  double* data;
  std::size_t rows, columns;
  static constexpr std::size_t rank() { return 2; }
  double* data_handle() const { return data; }
  std::size_t extent(std::size_t k) const { return k == 0 ? rows : columns; }
  std::size_t stride(std::size_t k) const { return k == 0 ? columns : 1; }
};

Test parts_of_matrices("parts_of_matrices", [](job& job) -> task<> {
  const std::size_t rows = 6, columns = 5;
  const auto memory = allocate<double>(rows * columns);
  const auto next = (co_await job.gather_all(memory.data()))[next_of(job)];
  const global_array<double, 2> theirs(next, {rows, columns});
  // A column of ours becomes their last one, and their first row is ours to read.
  std::vector<double> own(rows * columns);
  std::iota(own.begin(), own.end(), 100.0 * job.rank());
  const Matrix mine{own.data(), rows, columns};
  co_await rput(local_array<double, 2>(mine).part({0, 1}, {rows, 1}),
                theirs.part({0, columns - 1}, {rows, 1}));
  co_await job.barrier();
  const double left = 100.0 * ((job.rank() + job.size() - 1) % job.size());
  for (std::size_t row = 0; row < rows; ++row) {
    expect_equal(memory.local()[row * columns + columns - 1], left + static_cast<double>(row * columns) + 1);
    expect_equal(memory.local()[row * columns], 0.0);
  }
  co_await job.barrier();
  std::iota(memory.local().begin(), memory.local().end(), 1000.0 * job.rank());
  co_await job.barrier();
  // Every other element of two rows, the rows upside down.
  double found[2][3];
  const global_array<double, 2> picked(theirs.at(4, 0), {2, 3},
                                       {-2 * static_cast<std::ptrdiff_t>(columns), 2});
  co_await rget(picked, local_array<double, 2>(&found[0][0], {2, 3}));
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < 3; ++k) expect_equal(found[i][k], 1000.0 * next_of(job) + (4 - 2 * i) * 5 + 2 * k);
  }
  co_await job.barrier();
  deallocate(memory);
});

Test teams_as_arguments("teams_as_arguments", [](job& job) -> task<> {
  auto half = co_await job.split(job.rank() % 2);
  const rank_t peer = half.job_rank((half.rank() + 1) % half.size());
  const auto place = [](const team& members, rank_t counted) {
    return members.rank() * 1000 + members.size() + counted;
  };
  expect_equal(co_await call(peer, place, half, rank_t{7}),
               (half.rank() + 1) % half.size() * 1000 + half.size() + 7);
  expect_equal(co_await call(next_of(job), place, job, rank_t{0}), next_of(job) * 1000 + job.size());
  // It may be moved, and do collectives where it arrives as a task.
  const team moved = std::move(half);
  expect_equal(co_await call(peer, place, moved, rank_t{1}),
               (moved.rank() + 1) % moved.size() * 1000 + moved.size() + 1);
  co_await job.barrier();
});

struct Counts {
  int& ends;
  ~Counts() { ++ends; }
};

Test losers_stop("losers_stop", [](job& job) -> task<> {
  int ends = 0, rounds = 0;
  const auto for_ever = [&]() -> task<int> {
    const Counts at_end{ends};
    for (;;) {
      co_await sleep_for(std::chrono::hours(1));
      ++rounds;
    }
  };
  const auto nested = [&]() -> task<int> {
    const auto both = co_await when_all(for_ever(), for_ever());
    co_return std::get<0>(both);
  };
  const auto busy = [&]() -> task<int> {
    const Counts at_end{ends};
    for (;;) {
      co_await call(next_of(job), [] {});
      co_await yield();
    }
  };
  try {
    co_await with_timeout(nested(), std::chrono::microseconds(10));
    expect(false);
  } catch (const timed_out&) {
  }
  while (ends < 2) co_await yield();
  expect_equal(rounds, 0);
  const auto first = co_await when_any(sleep_for(std::chrono::microseconds(10)), busy(), for_ever());
  expect_equal(first.index(), 1u);
  while (ends < 4) co_await yield();
  // A race inside of one that is lost is over, too.
  const auto race = [&]() -> task<int> {
    co_return static_cast<int>((co_await when_any(for_ever(), for_ever())).index());
  };
  co_await when_any(sleep_for(std::chrono::microseconds(10)), race());
  while (ends < 6) co_await yield();
  co_await job.barrier();
});

struct Receiver {
  std::optional<int>* value;
  std::string* error;
  void set_value(int given) && { *value = given; }
  void set_error(std::exception_ptr what) && { *error = detail::text_of(what); }
  void set_stopped() && { *error = "stopped"; }
};

Test senders("senders", [](job& job) -> task<> {
  std::optional<int> value;
  std::string error;
  auto good = as_sender(call(
                            next_of(job), [](int a) { return a + 1; }, 41))
                  .connect(Receiver{&value, &error});
  auto bad = as_sender(call(next_of(job), []() -> int {
               throw std::runtime_error("no");
             })).connect(Receiver{&value, &error});
  good.start();
  while (!value) co_await yield();
  expect_equal(*value, 42);
  bad.start();
  while (error.empty()) co_await yield();
  expect_equal(error, std::string("no"));
  co_await job.barrier();
});

#if defined(GASNET_PAR)
// Runs each thing on a thread of its own.
struct Threads {
  std::vector<std::thread> threads;
  template <class F>
  void execute(F f) {
    threads.emplace_back(std::move(f));
  }
  ~Threads() {
    for (std::thread& one : threads) one.join();
  }
};

Test executors("executors", [](job& job) -> task<> {
  if (aqueduct_sim_active()) co_return;
  Threads pool;
  home back;
  const auto here = std::this_thread::get_id();
  for (int i = 0; i < 20; ++i) {
    co_await resume_on(pool);
    expect(std::this_thread::get_id() != here);
    co_await resume_on(back);
    expect(std::this_thread::get_id() == here);
  }
  co_await job.barrier();
});

Test progress_threads("progress_threads", [](job& job) -> task<> {
  if (aqueduct_sim_active() || job.size() == 1) co_return;
  // While the last rank computes and does not look, the others are answered.
  std::atomic<int> asked{0};
  distributed<std::atomic<int>*> counter(job, &asked);
  co_await job.barrier();
  if (job.rank() == job.size() - 1) {
    const progress_thread helper;
    while (asked < static_cast<int>(job.size()) - 1) std::this_thread::yield();
  } else {
    co_await counter.at(job.size() - 1, [](std::atomic<int>* asked_there) { ++*asked_there; });
  }
  co_await job.barrier();
});
#endif

}  // namespace
}  // namespace aqueduct::test
