// A reply counts only if it comes from the rank that the request went to.
#include "forged_reply.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "papers/conduit/portals/match_bits.hpp"
#include "papers/conduit/portals/settings.hpp"
#include "papers/nic/portals3/seastar/rank_machine.hpp"
#include "portals3.h"
#include "sim/simulated_job.hpp"
#include "stage.hpp"

void forge_replies(unsigned target) {
  using namespace aqueduct::conduit::portals;
  int interfaces = 0;
  ptl_handle_ni_t interface;
  ptl_process_id_t self;
  ASSERT_EQ(PtlInit(&interfaces), PTL_OK);
  ASSERT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &interface), PTL_OK);
  ASSERT_EQ(PtlGetId(interface, &self), PTL_OK);
  const ptl_md_t nothing{.start = nullptr,
                         .length = 0,
                         .threshold = PTL_MD_THRESH_INF,
                         .max_size = 0,
                         .options = 0,
                         .user_ptr = nullptr,
                         .eq_handle = PTL_EQ_NONE};
  ptl_handle_md_t descriptor;
  ASSERT_EQ(PtlMDBind(interface, nothing, PTL_RETAIN, &descriptor), PTL_OK);
  const PortalsSettings settings = PortalsSettings::from_environment();
  const HeaderBits bits{Selector::kReqSb, 0, 0, 0, flag::kShort | flag::kImplicit};
  const HeaderData data{static_cast<aqueduct::RankId>(self.nid), 0, {}};
  for (std::size_t chunk = 0; chunk < settings.request_chunks; ++chunk) {
    ASSERT_EQ(PtlPut(descriptor, PTL_NO_ACK_REQ, {target, self.pid}, kAmEntry, kAccess, bits.encode(),
                     chunk * settings.chunk_bytes, data.encode()),
              PTL_OK);
  }
}

namespace aqueduct::portals3::seastar::test {
namespace {

TEST(ForgedReply, IsDroppedWithALineAndTheTrueOneCounts) {
  ::setenv("AQUEDUCT_CONDUIT", "portals", 1);
  ::setenv("GASNET_PORTAL_SB_CHUNKS", "4", 1);
  const sim::NetworkModel model = network("seastar-redstorm");
  sim::Setup setup;
  setup.model = &model;
  setup.nodes = 3;
  sim::Simulation simulation(setup);
  const std::unique_ptr<sim::Machine> machine = kMachine.build(simulation, "");
  sim::JobOptions options;
  options.machine = machine.get();
  sim::SimulatedJob job(simulation, options);
  int replies = 0;
  ::testing::internal::CaptureStderr();
  const sim::JobResult result = job.run([&](RankId rank) {
    const int found = forged_reply_main();
    if (rank == 0) replies = found;
    return 0;
  });
  const std::string said = ::testing::internal::GetCapturedStderr();
  ::unsetenv("GASNET_PORTAL_SB_CHUNKS");
  EXPECT_TRUE(result.ok()) << result.stuck;
  EXPECT_EQ(replies, 1);
  EXPECT_NE(said.find("a reply from rank 2 to no request of ours was dropped"), std::string::npos) << said;
  EXPECT_EQ(said.find("a reply from rank 1"), std::string::npos) << said;
}

}  // namespace
}  // namespace aqueduct::portals3::seastar::test
