/* Every rank asks the next one for its square, and adds up the answers to what it is asked. */
#include <gasnetex.h>
#include <stdio.h>

struct state {
  gex_Rank_t me;
  int questions; /* asked of this rank */
  volatile int answered;
  int answer;
};

/* Indices of handlers: any numbers from GEX_AM_INDEX_BASE on. */
enum { QUESTION = GEX_AM_INDEX_BASE, ANSWER };

static struct state* state_of(gex_Token_t token) {
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_EP);
  return gex_EP_QueryCData(info.gex_ep);
}

static void on_question(gex_Token_t token, gex_AM_Arg_t add) {
  struct state* state = state_of(token);
  state->questions += 1;
  gex_AM_ReplyShort1(token, ANSWER, 0, (int)(state->me * state->me) + add);
}

static void on_answer(gex_Token_t token, gex_AM_Arg_t answer) {
  struct state* state = state_of(token);
  state->answer = answer;
  state->answered = 1;
}

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t world;
  gex_Client_Init(&client, &endpoint, &world, "tutorial", &argc, &argv, 0);
  gex_Rank_t me = gex_TM_QueryRank(world), size = gex_TM_QuerySize(world);
  gex_Rank_t next = (me + 1) % size;

  struct state state = {me, 0, 0, 0};
  gex_EP_SetCData(endpoint, &state);
  gex_AM_Entry_t handlers[] = {
      {QUESTION, (gex_AM_Fn_t)on_question, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, NULL, "question"},
      {ANSWER, (gex_AM_Fn_t)on_answer, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 1, NULL, "answer"},
  };
  gex_EP_RegisterHandlers(endpoint, handlers, 2);
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0)); /* everybody has handlers now */

  gex_AM_RequestShort1(world, next, QUESTION, 0, 1000);
  GASNET_BLOCKUNTIL(state.answered);

  gex_Event_Wait(gex_Coll_BarrierNB(world, 0)); /* everybody has been asked now */
  printf("rank %u was asked %d time, and told %d\n", me, state.questions, state.answer);

  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
  gasnet_exit(0);
}
