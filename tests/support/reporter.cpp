#include "support/reporter.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/random.hpp"
#include "support/spmd.hpp"
#include "support/watchdog.hpp"

namespace aqueduct::test {
namespace {

std::string full_name(const ::testing::TestInfo& info) {
  return std::string(info.test_suite_name()) + "." + info.name();
}

class Reporter : public ::testing::EmptyTestEventListener {
 public:
  explicit Reporter(std::string program) : program_(std::move(program)) {}

  void OnTestProgramStart(const ::testing::UnitTest&) override {
    if (job().rank == 0)
      std::printf("%u ranks, conduit %s, seed %llu\n", job().size,
                  environment("AQUEDUCT_CONDUIT", "(default)"), static_cast<unsigned long long>(seed()));
  }

  void OnTestStart(const ::testing::TestInfo& info) override {
    current_ = full_name(info);
    arm_watchdog("rank " + std::to_string(job().rank) + ", " + current_);
  }

  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "FAILED on rank %u: %s\n%s:%d: %s\nreplay: %s\n", job().rank, current_.c_str(),
                 result.file_name() ? result.file_name() : "(unknown file)", result.line_number(),
                 result.message(), replay().c_str());
    if (result.fatally_failed() && job().size > 1) gasnet_exit(1);
  }

  void OnTestEnd(const ::testing::TestInfo& info) override {
    if (job().rank == 0 && info.result()->Passed())
      std::printf("ok %s (%lld ms)\n", full_name(info).c_str(),
                  static_cast<long long>(info.result()->elapsed_time()));
  }

 private:
  static const char* environment(const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    return value ? value : otherwise;
  }

  std::string replay() const {
    std::string line = "AQUEDUCT_TEST_SEED=" + std::to_string(seed());
    for (const char* variable : {"AQUEDUCT_REFERENCE", "AQUEDUCT_TEST_SCALE"})
      if (const char* value = std::getenv(variable)) line += std::string(" ") + variable + "=" + value;
    line += " aqueduct run -n " + std::to_string(job().size);
    if (const char* conduit = std::getenv("AQUEDUCT_CONDUIT")) line += std::string(" --conduit ") + conduit;
    return line + " " + program_ + " --gtest_filter=" + current_;
  }

  std::string program_;
  std::string current_ = "(outside of a test)";
};

}  // namespace

void report_as_rank(const char* program) {
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new Reporter(program));
}

}  // namespace aqueduct::test
