// A rank that looks for the job's key in its own memory, as a core file would have it, after it has exchanged
// messages. Says, one line each:
//
//   key COMPLEMENT   rank 0: the complement of the job's key, in hexadecimal digits
//   found WHERE      for each place at which the key stands, or the one that the user had given
//   looked           when it has looked
//
// Then all wait until the file exists that its second argument names.
#include <gasnetex.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "job/join.hpp"
#include "memory_scan.hpp"
#include "support/check.h"

using aqueduct::test::MaskedKey;

int main(int argc, char** argv) {
  // Before the library wipes it.
  const char* const text = std::getenv("AQUEDUCT_JOB_KEY");
  const std::optional<MaskedKey> given = MaskedKey::parse(text ? text : "", false);
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t world;
  CHECK(gex_Client_Init(&client, &endpoint, &world, "keyed", &argc, &argv, 0) == GASNET_OK);
  gex_Segment_t segment;
  CHECK(gex_Segment_Attach(&segment, world, size_t{1} << 16) == GASNET_OK);
  for (int i = 0; i < 3; ++i) gex_Event_Wait(gex_Coll_BarrierNB(world, 0));

  const MaskedKey key(aqueduct::job::join().key.bytes());
  if (gex_TM_QueryRank(world) == 0) std::printf("key %s\n", key.text().c_str());
  for (const std::string& place : find_in_core(getpid(), key)) std::printf("found %s\n", place.c_str());
  if (given) {
    for (const std::string& place : find_in_core(getpid(), *given))
      std::printf("found given key: %s\n", place.c_str());
  }
  if (std::getenv("AQUEDUCT_JOB_KEY")) std::printf("found it in the environment\n");
  std::printf("looked\n");
  std::fflush(stdout);
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
  while (gex_TM_QueryRank(world) == 0 && access(argv[2], F_OK) != 0) usleep(1000);
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
  gasnet_exit(0);
}
