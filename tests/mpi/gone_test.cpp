// The conduit over a real MPI when a peer is gone.
#include "kill/killed_rank.hpp"

namespace aqueduct::test {
namespace {

std::vector<std::string> job_on(const std::string& conduit) {
  return {AQUEDUCT_LAUNCHER, "run", "-n", "4", "--conduit", conduit, AQUEDUCT_TRAFFIC};
}

struct Way {
  const char* name;
  const char* conduit;
  const char* setting;
};
void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

class Gone : public ::testing::TestWithParam<Way> {};

TEST_P(Gone, ARankThatIsKilledEndsTheJobWithTheLaunchersLine) {
  expect_one_line_when_a_rank_is_killed(job_on(GetParam().conduit),
                                        {"GASNET_SUPERNODE_MAXSIZE=1", GetParam().setting});
}

constexpr Way kWays[] = {
#ifdef AQUEDUCT_HAS_OPENMPI
    {"OpenMpiInSharedMemory", "mpi-openmpi", "OMPI_MCA_btl=vader,self"},
    {"OpenMpiOverTcp", "mpi-openmpi", "OMPI_MCA_btl=tcp,self"},
#endif
#ifdef AQUEDUCT_HAS_MPICH
    {"Mpich", "mpi-mpich", "AQUEDUCT_MPI=mpich"},
#endif
};
INSTANTIATE_TEST_SUITE_P(Over, Gone, testing::ValuesIn(kWays),
                         [](const auto& way) { return std::string(way.param.name); });

}  // namespace
}  // namespace aqueduct::test
