/* Every numbered message call, and the forms without a number, hand the library the arguments they were
 * given, in order, and everything else unchanged. */
#include "../support/check.h"
#include "spy_library.h"

static char source[64], destination[64];
static gex_Event_t event;
#define TM ((gex_TM_t)(uintptr_t)0x1000)
#define TOKEN ((gex_Token_t)(uintptr_t)0x2000)
#define SD ((gex_AM_SrcDesc_t)(uintptr_t)0x3000)

static void expect_arguments(unsigned int count) {
  unsigned int i;
  CHECK(spy_note.nargs == count);
  CHECK(spy_note.args_are_null == (count == 0));
  for (i = 0; i < count; ++i) CHECK(spy_note.args[i] == (gex_AM_Arg_t)(1000 + i));
}

static void expect_header(const char* name, int is_request) {
  CHECK(spy_saw(name));
  CHECK(spy_note.handler == 200);
  CHECK(spy_note.flags == GEX_FLAG_IMMEDIATE);
  CHECK(spy_note.tm == (is_request ? TM : GEX_TM_INVALID));
  CHECK(spy_note.rank == (is_request ? 5u : 0u));
  CHECK(is_request || spy_note.token == TOKEN);
}

static void expect_commit(int result, int has_flags, const char* name, const void* to, unsigned int count) {
  CHECK(result == (has_flags ? SPY_RESULT : 0));
  CHECK(spy_saw(name));
  CHECK(spy_note.descriptor == SD && spy_note.handler == 200 && spy_note.nbytes == 33);
  CHECK(spy_note.flags == (has_flags ? GEX_FLAG_IMMEDIATE : 0));
  CHECK(spy_note.destination == to);
  expect_arguments(count);
  spy_reset();
}

static void expect_payload(const void* to) {
  CHECK(spy_note.source == source && spy_note.nbytes == 33 && spy_note.lc == &event);
  CHECK(spy_note.destination == to);
}

static void expect(int result, const char* name, int is_request, unsigned int count) {
  CHECK(result == SPY_RESULT);
  expect_header(name, is_request);
  expect_arguments(count);
  spy_reset();
}

static void expect_with_payload(int result, const char* name, int is_request, const void* to,
                                unsigned int count) {
  CHECK(result == SPY_RESULT);
  expect_header(name, is_request);
  expect_payload(to);
  expect_arguments(count);
  spy_reset();
}

/* clang-format off */
/* `form` is the number, or nothing. A0 .. A16 are the arguments, each with a comma before it. */
#define EXPECT_ALL(form, n)                                                                                 \
  expect(gex_AM_RequestShort##form(TM, 5, 200, GEX_FLAG_IMMEDIATE A##n), "request short", 1, n);            \
  expect(gex_AM_ReplyShort##form(TOKEN, 200, GEX_FLAG_IMMEDIATE A##n), "reply short", 0, n);                \
  expect_with_payload(gex_AM_RequestMedium##form(TM, 5, 200, source, 33, &event, GEX_FLAG_IMMEDIATE A##n),  \
                      "request medium", 1, NULL, n);                                                        \
  expect_with_payload(gex_AM_ReplyMedium##form(TOKEN, 200, source, 33, &event, GEX_FLAG_IMMEDIATE A##n),    \
                      "reply medium", 0, NULL, n);                                                          \
  expect_with_payload(gex_AM_RequestLong##form(TM, 5, 200, source, 33, destination, &event,                 \
                                               GEX_FLAG_IMMEDIATE A##n), "request long", 1, destination, n);\
  expect_with_payload(gex_AM_ReplyLong##form(TOKEN, 200, source, 33, destination, &event,                   \
                                             GEX_FLAG_IMMEDIATE A##n), "reply long", 0, destination, n)
#define EXPECT_COMMITS(Direction, direction, form, n)                                                        \
  gex_AM_Commit##Direction##Medium##form(SD, 200, 33 A##n);                                                  \
  expect_commit(0, 0, "commit " direction " medium", NULL, n);                                               \
  gex_AM_Commit##Direction##Long##form(SD, 200, 33, destination A##n);                                       \
  expect_commit(0, 0, "commit " direction " long", destination, n);                                          \
  expect_commit(gex_AM_Commit##Direction##Medium##form##_v2(SD, 200, 33, GEX_FLAG_IMMEDIATE A##n), 1,        \
                "commit " direction " medium", NULL, n);                                                     \
  expect_commit(gex_AM_Commit##Direction##Long##form##_v2(SD, 200, 33, destination, GEX_FLAG_IMMEDIATE A##n),\
                1, "commit " direction " long", destination, n)
#define EXPECT_FORM(form, n)                                                                                 \
  EXPECT_ALL(form, n); EXPECT_COMMITS(Request, "request", form, n); EXPECT_COMMITS(Reply, "reply", form, n)
#define EXPECT_BOTH(n) EXPECT_FORM(n, n); EXPECT_FORM(, n)

#define A0
#define A1 A0, 1000
#define A2 A1, 1001
#define A3 A2, 1002
#define A4 A3, 1003
#define A5 A4, 1004
#define A6 A5, 1005
#define A7 A6, 1006
#define A8 A7, 1007
#define A9 A8, 1008
#define A10 A9, 1009
#define A11 A10, 1010
#define A12 A11, 1011
#define A13 A12, 1012
#define A14 A13, 1013
#define A15 A14, 1014
#define A16 A15, 1015
/* clang-format on */

/* Arguments of other integer types are converted as by a cast. */
static void arguments_are_converted(void) {
  const uint32_t large = 0xffffffffu;
  const unsigned char small = 200;
  const signed char negative = -3;
  CHECK(gex_AM_RequestShort3(TM, 5, 200, 0, (gex_AM_Arg_t)large, small, negative) == SPY_RESULT);
  CHECK(spy_note.args[0] == -1 && spy_note.args[1] == 200 && spy_note.args[2] == -3);
  spy_reset();
}

/* The counting forms evaluate each argument once. */
static void arguments_are_evaluated_once(void) {
  int first = 0, second = 0;
  CHECK(gex_AM_RequestShort(TM, 5, 200, 0, ++first, ++second) == SPY_RESULT);
  CHECK(first == 1 && second == 1 && spy_note.nargs == 2);
  spy_reset();
}

/* The numbered forms are functions: their address can be taken. */
static void numbered_forms_are_functions(void) {
  int (*send)(gex_TM_t, gex_Rank_t, gex_AM_Index_t, gex_Flags_t, gex_AM_Arg_t) = gex_AM_RequestShort1;
  CHECK(send(TM, 5, 200, 0, 42) == SPY_RESULT);
  CHECK(spy_note.nargs == 1 && spy_note.args[0] == 42);
  spy_reset();
}

int main(void) {
  EXPECT_BOTH(0);
  EXPECT_BOTH(1);
  EXPECT_BOTH(2);
  EXPECT_BOTH(3);
  EXPECT_BOTH(4);
  EXPECT_BOTH(5);
  EXPECT_BOTH(6);
  EXPECT_BOTH(7);
  EXPECT_BOTH(8);
  EXPECT_BOTH(9);
  EXPECT_BOTH(10);
  EXPECT_BOTH(11);
  EXPECT_BOTH(12);
  EXPECT_BOTH(13);
  EXPECT_BOTH(14);
  EXPECT_BOTH(15);
  EXPECT_BOTH(16);
  arguments_are_converted();
  arguments_are_evaluated_once();
  numbered_forms_are_functions();
  return 0;
}
