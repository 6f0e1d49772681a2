/* In debug clients every call tells its position first; in others none does. A client's mode reaches the
 * library. */
#include <string.h>

#include "../support/check.h"
#include "spy_library.h"

#define TM ((gex_TM_t)(uintptr_t)0x1001)

static void expect_position(int line) {
#ifdef EXPECT_DEBUG
  CHECK(spy_position.file != NULL && strcmp(spy_position.file, __FILE__) == 0);
  CHECK(spy_position.line == line);
#else
  (void)line;
  CHECK(spy_position.file == NULL);
#endif
  spy_reset();
}

static void calls_tell_their_position(void) {
  char byte = 0;
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  spy_reset();
  CHECK(gex_Segment_Attach(&segment, TM, 4096) == SPY_RESULT && spy_saw("segment attach"));
  expect_position(__LINE__ - 1);
  CHECK(gex_RMA_PutBlocking(TM, 0, &byte, &byte, 1, 0) == SPY_RESULT && spy_saw("put blocking"));
  expect_position(__LINE__ - 1);
  CHECK(gex_AM_RequestShort2(TM, 0, 200, 0, 1, 2) == SPY_RESULT && spy_saw("request short"));
  expect_position(__LINE__ - 1);
  CHECK(gex_AM_RequestShort(TM, 0, 200, 0, 1, 2, 3) == SPY_RESULT && spy_saw("request short"));
  expect_position(__LINE__ - 1);
  gex_Event_Wait(gex_RMA_GetNB(TM, &byte, 0, &byte, 1, 0)); /* a call without a result, around another */
  CHECK(spy_saw("event wait"));
  expect_position(__LINE__ - 2);
  CHECK(gasnet_AMPoll() == GASNET_OK && spy_saw("poll")); /* a call without arguments */
  expect_position(__LINE__ - 1);
}

static void the_functions_can_still_be_named(void) {
  int (*attach)(gex_Segment_t*, gex_TM_t, uintptr_t) = gex_Segment_Attach;
  int (*put)(gex_TM_t, gex_Rank_t, void*, const void*, size_t, gex_Flags_t) = gex_RMA_PutBlocking;
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  char byte = 0;
  spy_reset();
  CHECK(attach(&segment, TM, 1) == SPY_RESULT && spy_position.file == NULL);
  CHECK((gasnet_AMPoll)() == GASNET_OK && spy_position.file == NULL);
  CHECK(put(TM, 0, &byte, &byte, 1, 0) == SPY_RESULT && spy_position.file == NULL);
}

static void the_client_says_what_it_is(void) {
#if defined(EXPECT_PAR)
  const uint32_t mode = 1;
#elif defined(EXPECT_PARSYNC)
  const uint32_t mode = 2;
#else
  const uint32_t mode = 0;
#endif
#ifdef EXPECT_DEBUG
  const uint32_t debug = 1;
#else
  const uint32_t debug = 0;
#endif
  gex_Client_t client;
  gex_EP_t ep;
  gex_TM_t tm;
  spy_reset();
  CHECK(gex_Client_Init(&client, &ep, &tm, "test", NULL, NULL, GEX_FLAG_DEFER_THREADS) == SPY_RESULT);
  CHECK(spy_saw("client init") && spy_note.flags == GEX_FLAG_DEFER_THREADS);
  CHECK((spy_note.client_config & 3u) == mode);
  CHECK((spy_note.client_config >> 8 & 0xffu) == debug);
  CHECK(spy_note.client_config >> 16 == 1);
  expect_position(__LINE__ - 5);
}

/* Programs wrap this call, then give its name to their wrapper. */
static int wrapped_attach(gex_Segment_t* segment_p, gex_TM_t tm, uintptr_t size) {
  return gex_Segment_Attach(segment_p, tm, size * 2);
}
#undef gex_Segment_Attach
#define gex_Segment_Attach wrapped_attach

static void a_client_may_take_over_a_name(void) {
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  spy_reset();
  CHECK(gex_Segment_Attach(&segment, TM, 4096) == SPY_RESULT);
  CHECK(spy_saw("segment attach") && spy_note.nbytes == 8192);
}

int main(void) {
  calls_tell_their_position();
  the_functions_can_still_be_named();
  the_client_says_what_it_is();
  a_client_may_take_over_a_name();
  return 0;
}
