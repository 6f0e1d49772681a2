// A client whose rank 1 leaves as the argument says, after a barrier, while the others go on to the next one.
#include <gasnetex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <string>

namespace {

constexpr size_t kSegmentBytes = size_t{256} << 20;

gex_TM_t world;

void barrier() { gex_Event_Wait(gex_Coll_BarrierNB(world, 0)); }

/// Writes here and there in its own segment.
void use_segment() {
  void* own = nullptr;
  gex_Segment_QueryBound(world, gex_TM_QueryRank(world), &own, nullptr, nullptr);
  char* const far = static_cast<char*>(own) + kSegmentBytes / 2;
  snprintf(far, 64, "written by rank %u to its segment", gex_TM_QueryRank(world));
}

void leave(const std::string& how) {
  if (how == "fault") {
    signal(SIGSEGV, SIG_DFL);  // a sanitizer would catch it and tell its own story
    raise(SIGSEGV);
  }
  if (how == "abort") abort();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_Segment_t segment;
  gex_Client_Init(&client, &endpoint, &world, "LEAVING", &argc, &argv, 0);
  gex_Segment_Attach(&segment, world, kSegmentBytes);
  use_segment();
  barrier();
  if (gex_TM_QueryRank(world) == 1) leave(how);
  barrier();
  return 0;
}
