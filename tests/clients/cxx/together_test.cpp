// What ranks do together: collectives, teams, distributed objects.
#include <cmath>
#include <unordered_map>

#include "check.hpp"

namespace aqueduct::test {
namespace {

struct Extremes {
  int least;
  int most;
};

Test collectives("collectives", [](job& job) -> task<> {
  const int n = static_cast<int>(job.size());
  const int me = static_cast<int>(job.rank());
  expect_equal(co_await job.reduce_all(me, std::plus<>()), n * (n - 1) / 2);
  expect_equal(co_await job.reduce_all(short(1), std::plus<>()), n);
  expect_equal(co_await job.reduce_all(me, maximum()), n - 1);
  const int product = co_await job.reduce_one(2.0, std::multiplies<>(), 0);
  if (me == 0) expect_equal(product, static_cast<int>(std::ldexp(1, n)));
  const Extremes both = co_await job.reduce_all(Extremes{me, me}, [](const Extremes& a, const Extremes& b) {
    return Extremes{std::min(a.least, b.least), std::max(a.most, b.most)};
  });
  expect(both.least == 0 && both.most == n - 1);
  expect_equal(co_await job.broadcast(me + 5, job.size() - 1), n + 4);
  std::vector<int> values(1000, me);
  co_await job.reduce_all(std::span(values), std::plus<>());
  expect_equal(values[999], n * (n - 1) / 2);
  values.assign(1000, me);
  co_await job.broadcast(std::span(values), job.size() - 1);
  expect_equal(values[0], n - 1);
  const auto all = co_await job.gather_all(static_cast<char>(me));
  for (int i = 0; i < n; ++i) expect_equal(all[i], static_cast<char>(i));
});

Test teams("teams", [](job& job) -> task<> {
  // The odd ones and the even ones, each backwards.
  team half = co_await job.split(static_cast<int>(job.rank() % 2), -static_cast<int>(job.rank()));
  expect_equal(half.size(), (job.size() + (job.rank() % 2 == 0)) / 2);
  expect_equal(half.job_rank(half.rank()), job.rank());
  expect_equal(half.job_rank(half.size() - 1), job.rank() % 2);
  const rank_t first = co_await half.broadcast(job.rank(), 0);
  expect_equal(co_await half.call(0, [] { return my_rank(); }), first);
  const team again = co_await half.split(0);
  expect_equal(again.size(), half.size());
  expect(again.number() != half.number() && half.number() != job.number());
  // Objects of teams with no member in common, and of both levels.
  distributed<int> object(half, static_cast<int>(half.rank()));
  distributed<int> other(job, static_cast<int>(job.rank()));
  expect_equal(co_await object.fetch(next_of(half)), static_cast<int>(next_of(half)));
  expect_equal(co_await other.fetch(next_of(job)), static_cast<int>(next_of(job)));
  const team host = co_await job.host();
  const team neighbours = co_await job.neighbours();
  expect(neighbours.size() <= host.size());
  co_await job.barrier();
});

Test distributed_map("distributed_map", [](job& job) -> task<> {
  distributed<std::unordered_map<std::string, int>> map(job);
  const auto owner = [&](const std::string& key) {
    return static_cast<rank_t>(key.back() - '0') % job.size();
  };
  for (int i = 0; i < 10; ++i) {
    const std::string key = std::to_string(job.rank()) + ":" + std::to_string(i);
    co_await map.at(
        owner(key), [](auto& part, std::string_view k, int value) { part[std::string(k)] = value; }, key, i);
  }
  co_await job.barrier();
  for (int i = 0; i < 10; ++i) {
    const std::string key = std::to_string(next_of(job)) + ":" + std::to_string(i);
    const int found = co_await map.at(
        owner(key), [](auto& part, const std::string& k) { return part.at(k); }, key);
    expect_equal(found, i);
  }
  co_await expect_throw<remote_error>(map.at(0, [](auto& part) { return part.at("none"); }));
  co_await job.barrier();
});

Test early_calls("early_calls", [](job& job) -> task<> {
  // Ranks make their objects at different times; calls wait for them, those that are tasks too.
  co_await sleep_for(std::chrono::microseconds(50 * ((job.rank() * 7) % 5)));
  distributed<int> first(job, 10);
  distributed<int> second(job, 20);
  const auto sum = co_await job.call(
      next_of(job), [](int a, int& b, int& c) { return a + b + c; }, 1, first, second);
  expect_equal(sum, 31);
  const auto later = co_await second.at(next_of(job), [](int& object) -> task<int> {
    co_await yield();
    co_return object;
  });
  expect_equal(later, 20);
  co_await job.barrier();
});

}  // namespace
}  // namespace aqueduct::test
