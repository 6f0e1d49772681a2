#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "gasnet_tools.h"
#include "gasnet_tools/diagnostics/parts.hpp"

namespace aqueduct::gasnet_tools::diagnostics {

void test_numbers(const Plan& plan, Report& report) {
  std::mt19937_64 random(plan.seed);
  for (int iteration = 0; iteration < plan.iterations; ++iteration) {
    const auto number = static_cast<std::int64_t>(random() >> (random() % 63 + 1));
    for (const int is_bytes : {0, 1}) {
      char text[64];
      const std::int64_t again = gasnett_parse_int(gasnett_format_number(number, text, sizeof text, is_bytes),
                                                   static_cast<std::uint64_t>(is_bytes));
      report.expect(again == number, "%lld became '%s' and that %lld", static_cast<long long>(number), text,
                    static_cast<long long>(again));
    }
  }
}

void test_bytes(const Plan& plan, Report& report) {
  std::mt19937_64 random(plan.seed);
  std::vector<unsigned char> source(256), copy(256);
  for (int iteration = 0; iteration < plan.iterations; ++iteration) {
    for (unsigned char& byte : source) byte = static_cast<unsigned char>(random() % 4);
    const std::size_t from = random() % 8, length = random() % (source.size() - from);
    std::size_t zeros = 0;
    for (std::size_t index = from; index < from + length; ++index) zeros += source[index] == 0;
    report.expect(gasnett_count0s(source.data() + from, length) == zeros, "zeros in %zu bytes", length);
    report.expect(gasnett_count0s_copy(copy.data(), source.data() + from, length) == zeros &&
                      std::memcmp(copy.data(), source.data() + from, length) == 0,
                  "copying %zu bytes", length);
    report.expect(gasnett_checksum(copy.data(), static_cast<int>(length)) ==
                      gasnett_checksum(source.data() + from, static_cast<int>(length)),
                  "the checksum of %zu bytes depends on their address", length);
  }
}

void test_ticks(const Plan& plan, Report& report) {
  gasnett_tick_t before = gasnett_ticks_now();
  for (int iteration = 0; iteration < plan.iterations; ++iteration) {
    const gasnett_tick_t after = gasnett_ticks_now();
    report.expect(after >= before, "ticks ran backward");
    before = after;
  }
  constexpr std::uint64_t kSleepNs = 20'000'000;
  const std::uint64_t start_us = gasnett_gettimeofday_us();
  const gasnett_tick_t start = gasnett_ticks_now();
  gasnett_nsleep(kSleepNs);
  const auto elapsed_us = static_cast<double>(gasnett_ticks_to_us(gasnett_ticks_now() - start));
  const auto reference_us = static_cast<double>(gasnett_gettimeofday_us() - start_us);
  report.expect(std::fabs(elapsed_us - reference_us) < 0.05 * reference_us + 1000,
                "ticks: %g us, clock: %g us", elapsed_us, reference_us);
}

void test_environment(const Plan&, Report& report) {
  constexpr char kName[] = "AQ_DIAGNOSTICS_SETTING";
  gasnett_setenv(kName, "1.5K");
  report.expect(gasnett_getenv_int_withdefault(kName, 0, 1) == 1536, "1.5K is not 1536");
  gasnett_setenv(kName, "3/8");
  report.expect(gasnett_getenv_dbl_withdefault(kName, 0) == 0.375, "3/8 is not 0.375");
  gasnett_setenv(kName, "yes");
  report.expect(gasnett_getenv_yesno_withdefault(kName, 0) == 1, "yes is not 1");
  gasnett_unsetenv(kName);
  report.expect(gasnett_getenv_int_withdefault(kName, 7, 0) == 7, "the default does not count");
}

void test_heap(const Plan& plan, Report& report) {
  gasnett_heapstats_t before, after;
  gasnett_getheapstats(&before);
  std::mt19937_64 random(plan.seed);
  std::vector<std::string> contents(32);
  std::vector<char*> blocks(contents.size(), nullptr);
  for (int iteration = 0; iteration < plan.iterations; ++iteration) {
    const std::size_t index = random() % blocks.size();
    report.expect(blocks[index] == nullptr || contents[index] == blocks[index], "a block has changed");
    gasnett_debug_free(blocks[index]);
    contents[index].assign(random() % 200, static_cast<char>('a' + random() % 26));
    blocks[index] = gasnett_debug_strdup(contents[index].c_str());
  }
  gasnett_debug_memcheck_all();
  for (char* block : blocks) gasnett_debug_free(block);
  gasnett_getheapstats(&after);
  report.expect(before.live_bytes == after.live_bytes && before.live_objects == after.live_objects,
                "blocks were lost: %llu before, %llu after",
                static_cast<unsigned long long>(before.live_objects),
                static_cast<unsigned long long>(after.live_objects));
}

}  // namespace aqueduct::gasnet_tools::diagnostics
