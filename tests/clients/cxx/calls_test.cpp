// Remote calls: what runs, what is answered, what is thrown.
#include <map>

#include "check.hpp"

namespace aqueduct::test {
namespace {

int twice(int value) { return 2 * value; }

Test lambdas("lambdas", [](job& job) -> task<> {
  const rank_t next = next_of(job);
  expect_equal(co_await job.call(
                   next, [](int a, int b) { return a - b; }, 50, 8),
               42);
  expect_equal(co_await call<twice>(next, 4), 8);
  co_await job.call(next, [] {});
  const int seven = my_rank() < job.size() ? 7 : 0;
  expect_equal(co_await job.call(
                   next, [seven](int a) { return a * seven; }, 6),
               42);
  // Where it runs.
  expect_equal(co_await job.call(next, [] { return my_rank(); }), next);
  // To oneself.
  expect_equal(co_await job.call(
                   job.rank(), [](int a) { return a + 1; }, 1),
               2);
});

Test strings("strings", [](job& job) -> task<> {
  const rank_t next = next_of(job);
  const std::string hello = "hello";
  const std::string world = co_await job.call(
      next, [](std::string_view a, const std::string& b, std::string c) { return std::string(a) + b + c; },
      hello, ", ", std::string("world"));
  expect_equal(world, "hello, world");
  // A view is answered as an object of the caller's own.
  static constexpr std::string_view kText = "in the program's memory";
  const std::string copy = co_await job.call(next, [] { return kText; });
  expect_equal(copy, kText);
  expect_equal(co_await job.call(
                   next, [](const std::string& s) -> const std::string& { return s; }, hello),
               hello);
});

Test ranges("ranges", [](job& job) -> task<> {
  const rank_t next = next_of(job);
  const std::vector<double> values{1, 2, 4};
  // A char before it, so that the elements have to be aligned.
  const double sum = co_await job.call(
      next, [](char, std::span<const double> v) { return v[0] + v[1] + v[2]; }, 'x', values);
  expect_equal(sum, 7.0);
  std::vector<double> back = co_await job.call(
      next, [](std::vector<double> v) { return v; }, values);
  expect(back == values);
  expect((co_await job.call(
             next, [](std::span<const int> v) { return v.size(); }, std::vector<int>())) == 0);
});

Test sizes("sizes", [](job& job) -> task<> {
  // Through all ways that a message can take: with the call, through the segment, and back.
  for (const std::size_t size : {1, 500, 5'000, 70'000, 300'000}) {
    const std::string sent(size, static_cast<char>('a' + job.rank() % 26));
    const std::string back = co_await job.call(
        next_of(job), [](std::string_view v) { return std::string(v); }, sent);
    expect(back == sent);
    post(
        next_of(job), [](std::string_view) {}, sent);
  }
  co_await job.barrier();
});

Test too_large("too_large", [](job& job) -> task<> {
  const auto none = [](std::string_view) { return 1; };
  // More than the segment has.
  const std::string huge(std::size_t{aqueduct_sim_active() ? 9u : 70u} << 20, 'x');
  const auto error = co_await expect_throw<remote_error>(job.call(next_of(job), none, huge));
  expect(std::string(error.what()).find("segment") != std::string::npos);
});

Test exceptions("exceptions", [](job& job) -> task<> {
  const rank_t next = next_of(job);
  const auto bad = [](int value) -> int {
    if (value) throw std::runtime_error("value " + std::to_string(value));
    return value;
  };
  const auto error = co_await expect_throw<remote_error>(job.call(next, bad, 5));
  expect_equal(error.what(), std::string("value 5"));
  expect_equal(error.rank(), next);
  expect_equal(co_await job.call(next, bad, 0), 0);
  co_await expect_throw<remote_error>(job.call(next, []() -> task<> {
    co_await yield();
    throw 5;
  }));
});

Test tasks_there("tasks_there", [](job& job) -> task<> {
  // A function that returns a task may wait, and call on.
  const std::string key(3'000, 'k');
  const auto around = co_await job.call(
      next_of(job),
      [](rank_t home, std::string_view k) -> task<std::size_t> {
        co_await sleep_for(std::chrono::microseconds(5));
        co_return co_await call(
            home, [](std::string_view v) { return v.size(); }, k);
      },
      job.rank(), key);
  expect_equal(around, key.size());
});

struct Person {
  std::string name;
  std::vector<int> scores;
  std::map<std::string, std::pair<int, std::string>> notes;
  auto fields() { return std::tie(name, scores, notes); }
  bool operator==(const Person&) const = default;
};

struct Temperature {
  explicit Temperature(double celsius) : kelvin(celsius + 273.15) {}
  virtual ~Temperature() = default;
  double kelvin;
};

}  // namespace
}  // namespace aqueduct::test

template <>
struct aqueduct::serial<aqueduct::test::Temperature> {
  static void write(writer& to, const test::Temperature& value) { to(value.kelvin); }
  static test::Temperature read(reader& from) { return test::Temperature(from.read<double>() - 273.15); }
};

namespace aqueduct::test {
namespace {

Test own_types("own_types", [](job& job) -> task<> {
  Person person{"Ada", {}, {}};
  person.scores = std::vector<int>(3, 7);
  person.notes["first"] = std::pair(1, "program");
  const Person back = co_await job.call(
      next_of(job), [](const Person& p) { return p; }, person);
  expect(back == person);
  const Temperature warm(20);
  const double kelvin = co_await job.call(
      next_of(job), [](const Temperature& t) { return t.kelvin; }, warm);
  expect_equal(kelvin, 293.15);
  const auto nothing = co_await job.call(
      next_of(job), [](std::optional<std::string> o) { return o; }, std::optional<std::string>());
  expect(!nothing);
});

}  // namespace
}  // namespace aqueduct::test
