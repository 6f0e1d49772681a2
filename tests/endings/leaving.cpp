// A client whose rank 1 leaves as the first argument says, after a barrier. The others then do what the
// second one says: "wait" (the default) at another barrier, "poll" for a message that never comes, or have
// "files" to write for as many seconds as the third says, and return.
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

/// Returns where rank 1 goes on to return from main.
void leave(const std::string& how) {
  if (how == "fault") {
    signal(SIGSEGV, SIG_DFL);  // a sanitizer would catch it and tell its own story
    raise(SIGSEGV);
  }
  if (how == "abort") abort();
  if (how == "_exit") _exit(0);
  if (how == "exit") exit(0);
  if (how == "exec") execl("/bin/sleep", "sleep", "1000", static_cast<char*>(nullptr));
  if (how == "exec-true") execl("/bin/true", "true", static_cast<char*>(nullptr));
}

void stay(const std::string& how, unsigned seconds) {
  if (how == "wait") barrier();
  if (how == "poll") {
    for (;;) gasnet_AMPoll();
  }
  if (how == "files") sleep(seconds);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  const char* place = getenv("AQUEDUCT_RANK");
  if (how == "before-init" && place && strcmp(place, "1") == 0) return 0;
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_Segment_t segment;
  gex_Client_Init(&client, &endpoint, &world, "LEAVING", &argc, &argv, 0);
  gex_Segment_Attach(&segment, world, kSegmentBytes);
  use_segment();
  barrier();
  if (gex_TM_QueryRank(world) == 1 && !how.empty()) {
    leave(how);
  } else {
    stay(argc > 2 ? argv[2] : "wait", argc > 3 ? static_cast<unsigned>(atoi(argv[3])) : 0);
  }
  return 0;
}
