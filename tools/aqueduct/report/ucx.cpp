#include "ucx.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <map>
#include <sstream>
#include <thread>

#include "job/place/binding.hpp"
#include "tools/common/child.hpp"

namespace aqueduct::report::ucx {
namespace {

using namespace std::chrono_literals;

constexpr const char* kProgram = "ucx_perftest";
constexpr double kMebibytesToGigabytes = 1.048576e6 / 1e9;

// Latencies are those of one way, in microseconds.
constexpr Test kTests[] = {
    {"put-latency", "ucp_put_lat", "", "ucp_put_lat: one way, until the target sees it", Test::kMedianLatency,
     1e3},
    {"get-latency", "ucp_get", "-O 1", "ucp_get, one at a time", Test::kMedianLatency, 1e3},
    {"am-short", "ucp_am_lat", "", "ucp_am_lat, there and back", Test::kMedianLatency, 2e3},
    {"am-medium", "ucp_am_lat", "", "ucp_am_lat, there and back with the same payload", Test::kMedianLatency,
     2e3},
    {"put-bandwidth", "ucp_put_bw", "", "ucp_put_bw", Test::kBandwidth, kMebibytesToGigabytes},
    {"get-bandwidth", "ucp_get", "-O 64", "ucp_get, 64 on their way", Test::kBandwidth,
     kMebibytesToGigabytes},
    {"rate-short", "ucp_am_bw", "", "ucp_am_bw, 8 bytes", Test::kRate, 1e-6},
    {"rate-medium", "ucp_am_bw", "", "ucp_am_bw", Test::kRate, 1e-6},
};

/// A port at which nobody listens now.
std::string free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof any;
  const bool ok = ::bind(fd, reinterpret_cast<sockaddr*>(&any), bytes) == 0 &&
                  ::getsockname(fd, reinterpret_cast<sockaddr*>(&any), &bytes) == 0;
  ::close(fd);
  return std::to_string(ok ? ntohs(any.sin_port) : 13337);
}

/// Fewer for large sizes, which take longer.
unsigned iterations(std::size_t size, bool quick) {
  const unsigned most = quick ? 2000 : 5000;
  return std::clamp(static_cast<unsigned>((std::size_t{16} << 20) / size), most / 20, most);
}

/// Several tests for each size, whose median counts.
std::string batch_of(const Test& test, const std::vector<std::size_t>& sizes, bool quick) {
  const unsigned repetitions = quick ? 3 : 11;
  std::string lines;
  for (const std::size_t size : sizes) {
    const unsigned count = iterations(size, quick);
    for (unsigned i = 0; i < repetitions; ++i)
      lines += fmt::format("{0} -t {1} -s {0} -n {2} -w {3} {4}\n", size, test.name, count, count / 5,
                           test.options);
  }
  return lines;
}

/// Binds each of the two processes to its own core, as ranks are, if there are two.
std::vector<std::string> bound_to(std::size_t process) {
  const std::vector<job::Core> cores = job::usable_cores();
  if (cores.size() < 2) return {};
  return {"-c", std::to_string(cores[process].cpus.front())};
}

std::vector<std::string> joined(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Repeats the client until the server listens.
Ended run_client(const ChildRun& run) {
  constexpr int kTries = 30;
  Ended ended;
  for (int i = 0; i < kTries; ++i) {
    std::this_thread::sleep_for(100ms);
    ended = run_to_end(run);
    if (ended.code == 0 || ended.timed_out || ended.said.find("connect") == ended.said.npos) break;
  }
  return ended;
}

}  // namespace

bool is_installed() { return is_in_path(kProgram); }

const Test* test_for(const std::string& plot) {
  const auto found = std::ranges::find(kTests, plot, &Test::plot);
  return found == std::end(kTests) ? nullptr : found;
}

Outcome run(const Test& test, const std::vector<std::size_t>& sizes, bool quick, const Patience& patience) {
  const std::vector<std::size_t> all = sizes.empty() ? std::vector<std::size_t>{8} : sizes;
  const InheritedFile batch(batch_of(test, all, quick));
  const std::string port = free_port();
  Outcome outcome{.command =
                      fmt::format("{} -t {} {} -s {}", kProgram, test.name, test.options, all.front())};
  Child server({.words = joined({kProgram, "-p", port, "-b", batch.path()}, bound_to(1))});
  const Ended ended =
      run_client({.words = joined({kProgram, "127.0.0.1", "-p", port, "-b", batch.path(), "-v"}, bound_to(0)),
                  .timeout_s = patience.timeout_s,
                  .meanwhile = patience.meanwhile});
  outcome.samples = samples_in(ended.said, test);
  if (ended.timed_out) {
    outcome.failure = fmt::format("it did not end within {:g} s (--timeout)", patience.timeout_s);
  } else if (outcome.samples.empty()) {
    outcome.failure =
        ended.said.empty() ? fmt::format("it ended with code {}", ended.code) : reason_in(ended.said);
  }
  return outcome;
}

std::vector<Sample> samples_in(const std::string& csv, const Test& test) {
  // batch,iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr
  constexpr std::size_t kColumns = 9;
  constexpr std::array kColumnOf{std::size_t{2}, std::size_t{6}, std::size_t{8}};
  std::map<double, std::vector<double>> values;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> words;
    std::istringstream parts(line);
    for (std::string word; std::getline(parts, word, ',');) words.push_back(word);
    if (words.size() != kColumns || words[1].find('[') != std::string::npos) continue;  // a partial result
    double size = 0, value = 0;
    const auto read = [](const std::string& word, double& into) {
      const char* const end = word.data() + word.size();
      const auto [rest, error] = std::from_chars(word.data(), end, into);
      return error == std::errc{} && rest == end;  // the heading has words that begin like numbers
    };
    if (!read(words[0], size) || !read(words[kColumnOf[test.column]], value) || value <= 0) continue;
    values[size].push_back(value * test.factor);
  }
  std::vector<Sample> samples;
  samples.reserve(values.size());
  for (const auto& [place, all] : values) samples.push_back({place, bench::spread_of(all)});
  return samples;
}

}  // namespace aqueduct::report::ucx
