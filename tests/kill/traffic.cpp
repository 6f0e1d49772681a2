// A job that never ends by itself: every rank floods all others with messages and puts, and says its process
// number when it has begun. When all have, rank 1 does what the argument asks: with "exit" it calls
// gasnet_exit(7) in a handler; with "crash" it dies of SIGSEGV; with "return" it ends main with code 3, with
// "finish" with code 0. With "quits" every rank has a handler for SIGQUIT, which calls gasnet_exit(5).
#include <gasnetex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <atomic>

namespace {

std::atomic<long> seen{0};
std::atomic<unsigned> begun{0};
gex_AM_Index_t reply_index, short_index, medium_index, exit_index, begun_index;
char payload[512];

void on_reply(gex_Token_t) { ++seen; }
void on_short(gex_Token_t token) { gex_AM_ReplyShort0(token, reply_index, 0); }
void on_medium(gex_Token_t token, void*, size_t) { gex_AM_ReplyShort0(token, reply_index, 0); }
void on_leave(gex_Token_t) { gasnet_exit(7); }
void on_begun(gex_Token_t) { ++begun; }

}  // namespace

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t ep;
  gex_TM_t world;
  gex_Segment_t segment;
  const char* const ending = argc > 1 ? argv[1] : "";
  gex_Client_Init(&client, &ep, &world, "TRAFFIC", &argc, &argv, 0);
  if (strcmp(ending, "quits") == 0) signal(SIGQUIT, [](int) { gasnet_exit(5); });
  gex_Segment_Attach(&segment, world, 1 << 20);
  gex_AM_Entry_t table[] = {{0, reinterpret_cast<gex_AM_Fn_t>(&on_reply),
                             GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0, nullptr, "reply"},
                            {0, reinterpret_cast<gex_AM_Fn_t>(&on_short),
                             GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, nullptr, "short"},
                            {0, reinterpret_cast<gex_AM_Fn_t>(&on_medium),
                             GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 0, nullptr, "medium"},
                            {0, reinterpret_cast<gex_AM_Fn_t>(&on_leave),
                             GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, nullptr, "exit"},
                            {0, reinterpret_cast<gex_AM_Fn_t>(&on_begun),
                             GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, nullptr, "begun"}};
  gex_EP_RegisterHandlers(ep, table, 5);
  reply_index = table[0].gex_index;
  short_index = table[1].gex_index;
  medium_index = table[2].gex_index;
  exit_index = table[3].gex_index;
  begun_index = table[4].gex_index;
  const gex_Rank_t me = gex_TM_QueryRank(world), ranks = gex_TM_QuerySize(world);
  void* there = nullptr;
  gex_Segment_QueryBound(world, (me + 1) % ranks, &there, nullptr, nullptr);
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
  for (long round = 0;; ++round) {
    for (gex_Rank_t rank = 0; rank < ranks; ++rank) {
      gex_AM_RequestShort0(world, rank, short_index, 0);
      gex_AM_RequestMedium0(world, rank, medium_index, payload, sizeof payload, GEX_EVENT_NOW, 0);
    }
    gex_RMA_PutBlocking(world, (me + 1) % ranks, there, payload, sizeof payload, 0);
    if (round == 20) {
      printf("rank %u is process %d\n", me, static_cast<int>(getpid()));
      fflush(stdout);
      gex_AM_RequestShort0(world, 1, begun_index, 0);
    }
    if (me == 1 && begun == ranks) {
      if (strcmp(ending, "exit") == 0) gex_AM_RequestShort0(world, me, exit_index, 0);
      if (strcmp(ending, "crash") == 0) {
        signal(SIGSEGV, SIG_DFL);  // a sanitizer would catch it and tell its own story
        raise(SIGSEGV);
      }
      if (strcmp(ending, "return") == 0) return 3;
      if (strcmp(ending, "finish") == 0) return 0;
    }
  }
}
