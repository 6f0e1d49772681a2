// Gathers elements at random places of a table that all ranks share: questions go out, answers come back.
#include <aqueduct.hpp>
#include <cstdio>

struct Question {
  std::uint64_t place, asked_for;
  aqueduct::rank_t from;
};

aqueduct::task<> body(aqueduct::job& job) {
  const std::uint64_t each = 128, wanted = 100;
  std::vector<std::uint64_t> table(each), found(wanted);
  for (std::uint64_t i = 0; i < each; ++i) table[i] = 3 * (i * job.size() + job.rank());
  aqueduct::aggregator answers(job, [&](std::uint64_t at, std::uint64_t value) { found[at] = value; });
  aqueduct::aggregator questions(job, [&](Question q) { answers.send(q.from, q.asked_for, table[q.place]); });
  std::vector<std::uint64_t> index(wanted);
  for (std::uint64_t i = 0; i < wanted; ++i) index[i] = (i * 2654435761 + job.rank()) % (each * job.size());
  for (std::uint64_t i = 0; i < wanted; ++i) {
    questions.send(index[i] % job.size(), Question{index[i] / job.size(), i, job.rank()});
  }
  co_await questions.quiesce();
  co_await answers.quiesce();
  int wrong = 0;
  for (std::uint64_t i = 0; i < wanted; ++i) wrong += found[i] != 3 * index[i];
  wrong = co_await job.reduce_all(wrong, std::plus<>());
  if (job.rank() == 0) std::printf("%d elements are wrong\n", wrong);
}
AQUEDUCT_MAIN(body)
