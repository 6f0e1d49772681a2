// The main of every test of several ranks: joins the job, runs the cases, leaves together.
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "support/random.hpp"
#include "support/reporter.hpp"
#include "support/spmd.hpp"
#include "support/watchdog.hpp"

namespace aqueduct::test {
namespace {

Job the_job;
std::vector<std::byte*> segment_bases;

std::vector<gex_AM_Entry_t>& handler_table() {
  static std::vector<gex_AM_Entry_t> table;
  return table;
}

std::vector<void (*)()>& before_attach() {
  static std::vector<void (*)()> observers;
  return observers;
}

void require(int code, const char* call) {
  if (code == GASNET_OK) return;
  std::fprintf(stderr, "%s failed: %s, %s\n", call, gasnet_ErrorName(code), gasnet_ErrorDesc(code));
  gasnet_exit(1);
}

// With AQUEDUCT_TEST_OUTSIDE tests work on memory of every rank that is not its segment, where the library
// reaches it.
void leave_segments() {
  void* const mine = ::mmap(nullptr, kSegmentBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mine == MAP_FAILED) require(GASNET_ERR_RESOURCE, "mmap");
  std::memcpy(local(), &mine, sizeof mine);
  barrier();
  std::vector<std::byte*> bases(the_job.size);
  for (gex_Rank_t rank = 0; rank < the_job.size; ++rank)
    gex_RMA_GetBlocking(the_job.tm, &bases[rank], rank, remote(rank), sizeof mine, 0);
  barrier();
  segment_bases = bases;
}

void join_job(int* argc, char*** argv) {
  Job& j = the_job;
  require(gex_Client_Init(&j.client, &j.ep, &j.tm, "AQUEDUCT_TEST", argc, argv, 0), "gex_Client_Init");
  j.rank = gex_TM_QueryRank(j.tm);
  j.size = gex_TM_QuerySize(j.tm);
  for (auto* observe : before_attach()) observe();
  require(gex_Segment_Attach(&j.segment, j.tm, kSegmentBytes), "gex_Segment_Attach");
  auto& table = handler_table();
  require(gex_EP_RegisterHandlers(j.ep, table.data(), table.size()), "gex_EP_RegisterHandlers");
  for (gex_Rank_t rank = 0; rank < j.size; ++rank) {
    void* owner = nullptr;
    uintptr_t bytes = 0;
    require(gex_Segment_QueryBound(j.tm, rank, &owner, nullptr, &bytes), "gex_Segment_QueryBound");
    segment_bases.push_back(static_cast<std::byte*>(owner));
  }
  barrier();
  if (std::getenv("AQUEDUCT_TEST_OUTSIDE")) leave_segments();
}

}  // namespace

const Job& job() { return the_job; }

std::byte* remote(gex_Rank_t rank, std::size_t offset) { return segment_bases.at(rank) + offset; }

void barrier() { gex_Event_Wait(gex_Coll_BarrierNB(the_job.tm, 0)); }

std::uint32_t scaled(std::uint32_t count) {
  static const double scale = [] {
    const char* text = std::getenv("AQUEDUCT_TEST_SCALE");
    return text ? std::atof(text) : 1.0;
  }();
  return scale > 0 ? static_cast<std::uint32_t>(count * scale) + (count * scale < 1) : count;
}

void Handler::add(gex_AM_Fn_t function, gex_Flags_t flags, unsigned arguments, const char* name,
                  const void* client_data) {
  slot_ = handler_table().size();
  handler_table().push_back({0, function, flags, arguments, client_data, name});
}

Handler::operator gex_AM_Index_t() const { return handler_table().at(slot_).gex_index; }

BeforeAttach::BeforeAttach(void (*observe)()) { before_attach().push_back(observe); }

std::uint64_t seed() {
  static const std::uint64_t value = [] {
    const char* text = std::getenv("AQUEDUCT_TEST_SEED");
    return text ? std::strtoull(text, nullptr, 0) : 1;
  }();
  return value;
}

Random shared_random() {
  std::uint64_t key = seed();
  if (const auto* info = ::testing::UnitTest::GetInstance()->current_test_info())
    for (const char* c = info->name(); *c; ++c) key = mix(key ^ static_cast<unsigned char>(*c));
  return Random(key);
}

Random own_random() { return Random(key_of(shared_random()(), the_job.rank)); }

}  // namespace aqueduct::test

int main(int argc, char** argv) {
  using namespace aqueduct::test;
  ::testing::InitGoogleTest(&argc, argv);
  arm_watchdog("joining the job");
  join_job(&argc, &argv);
  report_as_rank(argv[0]);
  const int outcome = RUN_ALL_TESTS();
  arm_watchdog("leaving the job");
  barrier();  // every rank has reported before the first one ends the job
  if (outcome != 0) gasnet_exit(outcome);
  barrier();  // no rank has failed: success cannot end the job before a failure does
  gasnet_exit(0);
}
