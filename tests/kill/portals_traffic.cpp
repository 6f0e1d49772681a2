// The same as traffic.cpp with Portals and nothing else: every rank puts to and gets from all others, for
// ever. They find each other by trying: what comes too early is dropped and not acknowledged.
//
// With an argument "exit" rank 1 ends the job with gasnet_exit(7), in a handler of an event; with "crash" it
// dies of SIGSEGV; with "return" it ends main with code 3; all three only after every rank has told its
// process number, which each marks in rank 1's window behind the bytes that the traffic goes to.
#include <gasnetex.h>
#include <portals3.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atomic>

namespace {

constexpr ptl_pt_index_t kPortal = 3;
constexpr unsigned kRanks = 4;
constexpr ptl_size_t kBytes = 50'000;
constexpr ptl_time_t kTimeoutMs = 20;

char window[kBytes + kRanks], source[kBytes];
char mark = 1;
ptl_handle_ni_t interface;
ptl_handle_eq_t queue;
std::atomic<bool> may_exit{false};

void must(int code, const char* call) {
  if (code == PTL_OK) return;
  fprintf(stderr, "%s: %s\n", call, PtlErrorStr(code));
  abort();
}

void on_event(ptl_event_t*) {
  if (may_exit) gasnet_exit(7);
}

ptl_handle_md_t bind(char* from, ptl_size_t bytes) {
  ptl_md_t md{};
  md.start = from;
  md.length = bytes;
  md.threshold = PTL_MD_THRESH_INF;
  md.options = PTL_MD_EVENT_START_DISABLE;
  md.eq_handle = queue;
  ptl_handle_md_t handle;
  must(PtlMDBind(interface, md, PTL_RETAIN, &handle), "PtlMDBind");
  return handle;
}

// False: it did not come within the time.
bool await(ptl_event_kind_t kind) {
  ptl_event_t event;
  int which;
  do {
    if (PtlEQPoll(&queue, 1, kTimeoutMs, &event, &which) == PTL_EQ_EMPTY) return false;
  } while (event.type != kind);
  return true;
}

bool put(ptl_handle_md_t from, ptl_process_id_t target, ptl_size_t offset = 0) {
  must(PtlPut(from, PTL_ACK_REQ, target, kPortal, 0, 1, offset, 0), "PtlPut");
  return await(PTL_EVENT_ACK);
}

bool get(ptl_handle_md_t to, ptl_process_id_t target) {
  must(PtlGet(to, target, kPortal, 0, 1, 0), "PtlGet");
  return await(PTL_EVENT_REPLY_END);
}

void open() {
  int interfaces;
  must(PtlInit(&interfaces), "PtlInit");
  must(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &interface), "PtlNIInit");
  must(PtlEQAlloc(interface, 1000, PTL_EQ_HANDLER_NONE, &queue), "PtlEQAlloc");
  ptl_handle_eq_t watched;
  must(PtlEQAlloc(interface, 1000, on_event, &watched), "PtlEQAlloc");
  ptl_handle_me_t entry;
  must(PtlMEAttach(interface, kPortal, {PTL_NID_ANY, PTL_PID_ANY}, 1, 0, PTL_RETAIN, PTL_INS_AFTER, &entry),
       "PtlMEAttach");
  ptl_md_t md{};
  md.start = window;
  md.length = sizeof window;
  md.threshold = PTL_MD_THRESH_INF;
  md.options = PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE;
  md.eq_handle = watched;
  ptl_handle_md_t handle;
  must(PtlMDAttach(entry, md, PTL_RETAIN, &handle), "PtlMDAttach");
}

bool all_have_begun() {
  for (unsigned rank = 0; rank < kRanks; ++rank) {
    if (std::atomic_ref(window[kBytes + rank]).load() != mark) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const ending = argc > 1 ? argv[1] : "";
  open();
  ptl_process_id_t me;
  must(PtlGetId(interface, &me), "PtlGetId");
  const ptl_handle_md_t small = bind(source, 8), large = bind(source, sizeof source), begun = bind(&mark, 1);
  for (ptl_nid_t nid = 0; nid < kRanks; ++nid) {
    while (!put(small, {nid, me.pid})) {
    }
  }
  for (long round = 0;; ++round) {
    for (ptl_nid_t nid = 0; nid < kRanks; ++nid) {
      const ptl_process_id_t target{nid, me.pid};
      put(small, target);
      put(large, target);
      get(small, target);
      get(large, target);
    }
    if (round == 20) {
      printf("rank %u is process %d\n", me.nid, static_cast<int>(getpid()));
      fflush(stdout);
      while (!put(begun, {1, me.pid}, kBytes + me.nid)) {
      }
    }
    if (me.nid == 1 && all_have_begun()) {
      if (strcmp(ending, "exit") == 0) may_exit = true;
      if (strcmp(ending, "crash") == 0) {
        signal(SIGSEGV, SIG_DFL);  // a sanitizer would catch it and tell its own story
        raise(SIGSEGV);
      }
      if (strcmp(ending, "return") == 0) return 3;
    }
  }
}
