/* Every family with every number of arguments, in the numbered form and in the one that is told the number:
 * the next node echoes each request in the same category, and what comes back is what went out. */
#include <stdarg.h>
#include <string.h>

#include "legacy.h"

enum { kShort, kMedium, kLong, kAsync, kCategories, kMost = 16, kPayload = 600 };
enum { kNumbered, kTold, kForms };

/* Where in the segments requests and replies land. */
enum { kRequestAt = 4096, kReplyAt = 8192 };

static char sent[kPayload];
static volatile int replies = 0; /* how many have come back, all of them right */
static gasnet_handler_t request_index[kMost + 1], payload_request_index[kMost + 1];
static gasnet_handler_t reply_index[kMost + 1], payload_reply_index[kMost + 1];
static int expected_category, expected_form; /* of the one request under way in this node */
static volatile int form_to_echo;            /* of the one that this node echoes; set in a barrier before */

static gasnet_handlerarg_t argument(int i) { return (gasnet_handlerarg_t)(0x07010203 * (i + 1) ^ -(i & 1)); }

static void echo(gasnet_token_t token, int payload, void* data, size_t nbytes, int n,
                 const gasnet_handlerarg_t* a);

static void check_arguments(int n, const gasnet_handlerarg_t* a) {
  int i;
  for (i = 0; i < n; ++i) CHECK(a[i] == argument(i));
}

static void on_request(gasnet_token_t token, int payload, void* data, size_t nbytes, int n,
                       const gasnet_handlerarg_t* a) {
  gasnet_node_t source = 12345;
  CHECK(gasnet_AMGetMsgSource(token, &source) == GASNET_OK);
  CHECK(source == (me + nodes - 1) % nodes);
  check_arguments(n, a);
  if (payload) {
    CHECK(nbytes == kPayload);
    CHECK(((char*)data)[0] == (char)source && ((char*)data)[kPayload - 1] == (char)source);
  }
  echo(token, payload, data, nbytes, n, a);
}

static void on_reply(gasnet_token_t token, int payload, void* data, size_t nbytes, int n,
                     const gasnet_handlerarg_t* a) {
  gasnet_node_t source = 12345;
  CHECK(gasnet_AMGetMsgSource(token, &source) == GASNET_OK);
  CHECK(source == next);
  check_arguments(n, a);
  CHECK(payload == (expected_category != kShort));
  if (payload) CHECK(nbytes == kPayload && memcmp(data, sent, kPayload) == 0);
  if (expected_category >= kLong) CHECK(data == (char*)segments[me].addr + kReplyAt);
  ++replies;
}

/* Lists of each length: parameters, and the arguments again. */
#define P0
#define P1 , gasnet_handlerarg_t a0
#define P2 P1, gasnet_handlerarg_t a1
#define P3 P2, gasnet_handlerarg_t a2
#define P4 P3, gasnet_handlerarg_t a3
#define P5 P4, gasnet_handlerarg_t a4
#define P6 P5, gasnet_handlerarg_t a5
#define P7 P6, gasnet_handlerarg_t a6
#define P8 P7, gasnet_handlerarg_t a7
#define P9 P8, gasnet_handlerarg_t a8
#define P10 P9, gasnet_handlerarg_t a9
#define P11 P10, gasnet_handlerarg_t a10
#define P12 P11, gasnet_handlerarg_t a11
#define P13 P12, gasnet_handlerarg_t a12
#define P14 P13, gasnet_handlerarg_t a13
#define P15 P14, gasnet_handlerarg_t a14
#define P16 P15, gasnet_handlerarg_t a15
#define V0
#define V1 , a0
#define V2 V1, a1
#define V3 V2, a2
#define V4 V3, a3
#define V5 V4, a4
#define V6 V5, a5
#define V7 V6, a6
#define V8 V7, a7
#define V9 V8, a8
#define V10 V9, a9
#define V11 V10, a10
#define V12 V11, a11
#define V13 V12, a12
#define V14 V13, a13
#define V15 V14, a14
#define V16 V15, a15
#define A0
#define A1 , a[0]
#define A2 A1, a[1]
#define A3 A2, a[2]
#define A4 A3, a[3]
#define A5 A4, a[4]
#define A6 A5, a[5]
#define A7 A6, a[6]
#define A8 A7, a[7]
#define A9 A8, a[8]
#define A10 A9, a[9]
#define A11 A10, a[10]
#define A12 A11, a[11]
#define A13 A12, a[12]
#define A14 A13, a[13]
#define A15 A14, a[14]
#define A16 A15, a[15]
/* clang-format off */
#define EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) \
  DO(14) DO(15) DO(16)
/* clang-format on */

#define DEFINE_HANDLERS(n)                                                               \
  static void request##n(gasnet_token_t token P##n) {                                    \
    const gasnet_handlerarg_t a[] = {0 V##n};                                            \
    on_request(token, 0, NULL, 0, n, a + 1);                                             \
  }                                                                                      \
  static void payload_request##n(gasnet_token_t token, void* data, size_t nbytes P##n) { \
    const gasnet_handlerarg_t a[] = {0 V##n};                                            \
    on_request(token, 1, data, nbytes, n, a + 1);                                        \
  }                                                                                      \
  static void reply##n(gasnet_token_t token P##n) {                                      \
    const gasnet_handlerarg_t a[] = {0 V##n};                                            \
    on_reply(token, 0, NULL, 0, n, a + 1);                                               \
  }                                                                                      \
  static void payload_reply##n(gasnet_token_t token, void* data, size_t nbytes P##n) {   \
    const gasnet_handlerarg_t a[] = {0 V##n};                                            \
    on_reply(token, 1, data, nbytes, n, a + 1);                                          \
  }
EACH(DEFINE_HANDLERS)

/* A request or reply of any family in the numbered form, or in the form that is told the number. The extra
 * step makes the list of arguments whole first. */
#define CALL(name, ...) name(__VA_ARGS__)
#define TO_CASE(n, family, ...) \
  case n:                       \
    return form == kNumbered ? CALL(family##n, __VA_ARGS__ A##n) : CALL(family, __VA_ARGS__, n A##n);

static int send(int category, int form, int n, const gasnet_handlerarg_t* a) {
  void* there = (char*)segments[next].addr + kRequestAt;
  switch (category * 100 + n) {
#define SHORT_CASE(n) TO_CASE(n, gasnet_AMRequestShort, next, request_index[n])
    EACH(SHORT_CASE)
  }
  switch (category * 100 + n - 100) {
#define MEDIUM_CASE(n) \
  TO_CASE(n, gasnet_AMRequestMedium, next, payload_request_index[n], sent, (size_t)kPayload)
    EACH(MEDIUM_CASE)
  }
  switch (category * 100 + n - 200) {
#define LONG_CASE(n) \
  TO_CASE(n, gasnet_AMRequestLong, next, payload_request_index[n], sent, (size_t)kPayload, there)
    EACH(LONG_CASE)
  }
  switch (category * 100 + n - 300) {
#define ASYNC_CASE(n) \
  TO_CASE(n, gasnet_AMRequestLongAsync, next, payload_request_index[n], sent, (size_t)kPayload, there)
    EACH(ASYNC_CASE)
  }
  return -1;
}

static int answer(gasnet_token_t token, int payload, int is_long, int form, void* data, size_t nbytes, int n,
                  const gasnet_handlerarg_t* a) {
  gasnet_node_t source;
  void* there;
  gasnet_AMGetMsgSource(token, &source);
  there = (char*)segments[source].addr + kReplyAt;
  if (!payload) {
    switch (n) {
#define REPLY_SHORT_CASE(n) TO_CASE(n, gasnet_AMReplyShort, token, reply_index[n])
      EACH(REPLY_SHORT_CASE)
    }
  } else if (!is_long) {
    switch (n) {
#define REPLY_MEDIUM_CASE(n) TO_CASE(n, gasnet_AMReplyMedium, token, payload_reply_index[n], data, nbytes)
      EACH(REPLY_MEDIUM_CASE)
    }
  } else {
    switch (n) {
#define REPLY_LONG_CASE(n) TO_CASE(n, gasnet_AMReplyLong, token, payload_reply_index[n], data, nbytes, there)
      EACH(REPLY_LONG_CASE)
    }
  }
  return -1;
}

static void echo(gasnet_token_t token, int payload, void* data, size_t nbytes, int n,
                 const gasnet_handlerarg_t* a) {
  const int is_long = payload && data == (char*)segments[me].addr + kRequestAt;
  CHECK(answer(token, payload, is_long, form_to_echo, data, nbytes, n, a) == GASNET_OK);
}

int describe_handlers(gasnet_handlerentry_t* table) {
  int count = 0, i;
  /* Some handlers ask for an index, the others take what they get: the highest that are free, in order. */
#define DESCRIBE(n)                                     \
  table[count].index = n == 3 ? 255 : n == 5 ? 128 : 0; \
  table[count++].fnptr = (gex_AM_Fn_t)request##n;
#define DESCRIBE_OTHERS(n) \
  table[count].index = 0;  \
  table[count++].fnptr = (gex_AM_Fn_t)payload_request##n;
  EACH(DESCRIBE)
  EACH(DESCRIBE_OTHERS)
  for (i = 0; i <= kMost; ++i) {
    request_index[i] = (gasnet_handler_t)(i == 3 ? 255 : i == 5 ? 128 : 254 - i + (i > 3) + (i > 5));
    payload_request_index[i] = (gasnet_handler_t)(239 - i);
  }
  return count;
}

/* The reply handlers are added through gasnetex.h, which a program may do at any time. */
static void register_replies(void) {
  gex_EP_t ep;
  int i;
  gex_AM_Entry_t entries[2 * (kMost + 1)];
  memset(entries, 0, sizeof entries);
#define ENTER(n)                                                          \
  entries[2 * n].gex_fnptr = (gex_AM_Fn_t)reply##n;                       \
  entries[2 * n].gex_flags = GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY;       \
  entries[2 * n].gex_nargs = n;                                           \
  entries[2 * n + 1].gex_fnptr = (gex_AM_Fn_t)payload_reply##n;           \
  entries[2 * n + 1].gex_flags = GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REPLY; \
  entries[2 * n + 1].gex_nargs = n;
  EACH(ENTER)
  gasnet_QueryGexObjects(NULL, &ep, NULL, NULL);
  CHECK(gex_EP_RegisterHandlers(ep, entries, 2 * (kMost + 1)) == GASNET_OK);
  for (i = 0; i <= kMost; ++i) {
    reply_index[i] = entries[2 * i].gex_index;
    payload_reply_index[i] = entries[2 * i + 1].gex_index;
  }
}

void check_messages(void) {
  gasnet_handlerarg_t a[kMost];
  int i;
  CHECK(gasnet_AMMaxArgs() == kMost);
  CHECK(gasnet_AMMaxMedium() >= 512 && gasnet_AMMaxMedium() <= gex_AM_LUBRequestMedium());
  CHECK(gasnet_AMMaxLongRequest() >= 512 && gasnet_AMMaxLongReply() >= 512);
  register_replies();
  for (i = 0; i < kMost; ++i) a[i] = argument(i);
  memset(sent, (int)me, kPayload);
  for (expected_form = kNumbered; expected_form < kForms; ++expected_form) {
    form_to_echo = expected_form;
    meet();
    for (expected_category = kShort; expected_category < kCategories; ++expected_category) {
      for (i = 0; i <= kMost; ++i) {
        const int before = replies;
        CHECK(send(expected_category, expected_form, i, a) == GASNET_OK);
        GASNET_BLOCKUNTIL(replies == before + 1);
      }
    }
    meet();
  }
}
