/* It is compiled as the library is: without the macros that debug clients see. */
#define AQUEDUCT_BUILDING_LIBRARY 1

#include "spy_library.h"

#include <string.h>

struct SpyNote spy_note;
struct SpyPosition spy_position;

void spy_reset(void) {
  memset(&spy_note, 0, sizeof spy_note);
  spy_position.file = NULL;
  spy_position.line = 0;
}

int spy_saw(const char* name) { return spy_note.name != NULL && strcmp(spy_note.name, name) == 0; }

static void note_arguments(unsigned int nargs, const gex_AM_Arg_t* args) {
  unsigned int i;
  spy_note.nargs = nargs;
  spy_note.args_are_null = args == NULL;
  for (i = 0; i < nargs && i < 16; ++i) spy_note.args[i] = args[i];
}

static void note_payload(const void* source, size_t nbytes, gex_Event_t* lc) {
  spy_note.source = source;
  spy_note.nbytes = nbytes;
  spy_note.lc = lc;
}

static void note_request(const char* name, gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler,
                         gex_Flags_t flags) {
  spy_note.name = name;
  spy_note.tm = tm;
  spy_note.rank = rank;
  spy_note.handler = handler;
  spy_note.flags = flags;
}

static void note_reply(const char* name, gex_Token_t token, gex_AM_Index_t handler, gex_Flags_t flags) {
  spy_note.name = name;
  spy_note.token = token;
  spy_note.handler = handler;
  spy_note.flags = flags;
}

int aq_am_request_short_(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler, gex_Flags_t flags,
                         unsigned int nargs, const gex_AM_Arg_t* args) {
  note_request("request short", tm, rank, handler, flags);
  note_arguments(nargs, args);
  return SPY_RESULT;
}

int aq_am_request_medium_(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler, const void* source,
                          size_t nbytes, gex_Event_t* lc, gex_Flags_t flags, unsigned int nargs,
                          const gex_AM_Arg_t* args) {
  note_request("request medium", tm, rank, handler, flags);
  note_payload(source, nbytes, lc);
  note_arguments(nargs, args);
  return SPY_RESULT;
}

int aq_am_request_long_(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler, const void* source,
                        size_t nbytes, void* destination, gex_Event_t* lc, gex_Flags_t flags,
                        unsigned int nargs, const gex_AM_Arg_t* args) {
  note_request("request long", tm, rank, handler, flags);
  note_payload(source, nbytes, lc);
  note_arguments(nargs, args);
  spy_note.destination = destination;
  return SPY_RESULT;
}

int aq_am_reply_short_(gex_Token_t token, gex_AM_Index_t handler, gex_Flags_t flags, unsigned int nargs,
                       const gex_AM_Arg_t* args) {
  note_reply("reply short", token, handler, flags);
  note_arguments(nargs, args);
  return SPY_RESULT;
}

int aq_am_reply_medium_(gex_Token_t token, gex_AM_Index_t handler, const void* source, size_t nbytes,
                        gex_Event_t* lc, gex_Flags_t flags, unsigned int nargs, const gex_AM_Arg_t* args) {
  note_reply("reply medium", token, handler, flags);
  note_payload(source, nbytes, lc);
  note_arguments(nargs, args);
  return SPY_RESULT;
}

int aq_am_reply_long_(gex_Token_t token, gex_AM_Index_t handler, const void* source, size_t nbytes,
                      void* destination, gex_Event_t* lc, gex_Flags_t flags, unsigned int nargs,
                      const gex_AM_Arg_t* args) {
  note_reply("reply long", token, handler, flags);
  note_payload(source, nbytes, lc);
  note_arguments(nargs, args);
  spy_note.destination = destination;
  return SPY_RESULT;
}

static int note_commit(const char* name, gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes,
                       void* destination, gex_Flags_t flags, unsigned int nargs, const gex_AM_Arg_t* args) {
  spy_note.name = name;
  spy_note.descriptor = sd;
  spy_note.handler = handler;
  spy_note.nbytes = nbytes;
  spy_note.destination = destination;
  spy_note.flags = flags;
  note_arguments(nargs, args);
  return SPY_RESULT;
}

int aq_am_commit_request_medium_(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes,
                                 gex_Flags_t flags, unsigned int nargs, const gex_AM_Arg_t* args) {
  return note_commit("commit request medium", sd, handler, nbytes, NULL, flags, nargs, args);
}

int aq_am_commit_reply_medium_(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes, gex_Flags_t flags,
                               unsigned int nargs, const gex_AM_Arg_t* args) {
  return note_commit("commit reply medium", sd, handler, nbytes, NULL, flags, nargs, args);
}

int aq_am_commit_request_long_(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes, void* destination,
                               gex_Flags_t flags, unsigned int nargs, const gex_AM_Arg_t* args) {
  return note_commit("commit request long", sd, handler, nbytes, destination, flags, nargs, args);
}

int aq_am_commit_reply_long_(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes, void* destination,
                             gex_Flags_t flags, unsigned int nargs, const gex_AM_Arg_t* args) {
  return note_commit("commit reply long", sd, handler, nbytes, destination, flags, nargs, args);
}

static void note_transfer(const char* name, gex_TM_t tm, gex_Rank_t rank, void* destination,
                          const void* source, size_t nbytes, gex_Event_t* lc, gex_Flags_t flags) {
  note_request(name, tm, rank, 0, flags);
  note_payload(source, nbytes, lc);
  spy_note.destination = destination;
}

int aq_put_blocking_(gex_TM_t tm, gex_Rank_t rank, void* destination, const void* source, size_t nbytes,
                     gex_Flags_t flags) {
  note_transfer("put blocking", tm, rank, destination, source, nbytes, NULL, flags);
  return SPY_RESULT;
}

gex_Event_t aq_put_nb_(gex_TM_t tm, gex_Rank_t rank, void* destination, const void* source, size_t nbytes,
                       gex_Event_t* lc, gex_Flags_t flags) {
  note_transfer("put nb", tm, rank, destination, source, nbytes, lc, flags);
  return SPY_EVENT;
}

int aq_put_nbi_(gex_TM_t tm, gex_Rank_t rank, void* destination, const void* source, size_t nbytes,
                gex_Event_t* lc, gex_Flags_t flags) {
  note_transfer("put nbi", tm, rank, destination, source, nbytes, lc, flags);
  return SPY_RESULT;
}

int aq_get_blocking_(gex_TM_t tm, void* destination, gex_Rank_t rank, void* source, size_t nbytes,
                     gex_Flags_t flags) {
  note_transfer("get blocking", tm, rank, destination, source, nbytes, NULL, flags);
  return SPY_RESULT;
}

gex_Event_t aq_get_nb_(gex_TM_t tm, void* destination, gex_Rank_t rank, void* source, size_t nbytes,
                       gex_Flags_t flags) {
  note_transfer("get nb", tm, rank, destination, source, nbytes, NULL, flags);
  return SPY_EVENT;
}

int aq_get_nbi_(gex_TM_t tm, void* destination, gex_Rank_t rank, void* source, size_t nbytes,
                gex_Flags_t flags) {
  note_transfer("get nbi", tm, rank, destination, source, nbytes, NULL, flags);
  return SPY_RESULT;
}

int aq_put_blocking_val_(gex_TM_t tm, gex_Rank_t rank, void* destination, gex_RMA_Value_t value,
                         size_t nbytes, gex_Flags_t flags) {
  note_transfer("put blocking value", tm, rank, destination, NULL, nbytes, NULL, flags);
  spy_note.value = value;
  return SPY_RESULT;
}

gex_Event_t aq_put_nb_val_(gex_TM_t tm, gex_Rank_t rank, void* destination, gex_RMA_Value_t value,
                           size_t nbytes, gex_Flags_t flags) {
  note_transfer("put nb value", tm, rank, destination, NULL, nbytes, NULL, flags);
  spy_note.value = value;
  return SPY_EVENT;
}

int aq_put_nbi_val_(gex_TM_t tm, gex_Rank_t rank, void* destination, gex_RMA_Value_t value, size_t nbytes,
                    gex_Flags_t flags) {
  note_transfer("put nbi value", tm, rank, destination, NULL, nbytes, NULL, flags);
  spy_note.value = value;
  return SPY_RESULT;
}

gex_RMA_Value_t aq_get_blocking_val_(gex_TM_t tm, gex_Rank_t rank, void* source, size_t nbytes,
                                     gex_Flags_t flags) {
  note_transfer("get blocking value", tm, rank, NULL, source, nbytes, NULL, flags);
  return SPY_VALUE;
}

static void note_atomic(const char* name, gex_AD_t domain, void* result, gex_Rank_t rank, void* target,
                        gex_OP_t opcode, uint64_t operand1, uint64_t operand2, gex_Flags_t flags,
                        gex_DT_t type) {
  note_transfer(name, GEX_TM_INVALID, rank, target, result, 0, NULL, flags);
  spy_note.domain = domain;
  spy_note.opcode = opcode;
  spy_note.operands[0] = operand1;
  spy_note.operands[1] = operand2;
  spy_note.type = type;
}

gex_Event_t aq_ad_nb_(gex_AD_t domain, void* result, gex_Rank_t rank, void* target, gex_OP_t opcode,
                      uint64_t operand1, uint64_t operand2, gex_Flags_t flags, gex_DT_t type) {
  note_atomic("atomic nb", domain, result, rank, target, opcode, operand1, operand2, flags, type);
  return SPY_EVENT;
}

int aq_ad_nbi_(gex_AD_t domain, void* result, gex_Rank_t rank, void* target, gex_OP_t opcode,
               uint64_t operand1, uint64_t operand2, gex_Flags_t flags, gex_DT_t type) {
  note_atomic("atomic nbi", domain, result, rank, target, opcode, operand1, operand2, flags, type);
  return SPY_RESULT;
}

/* A debug client's calls have their teams looked up first; here all are good. */
gex_TM_t aq_team_(const char* where, gex_TM_t tm) {
  (void)where;
  return tm;
}

/* clang-format off */
#define SPY_APPLY(NAME, TYPE)                                                                             \
  void aq_ad_apply_##NAME##_(void* here, TYPE* result, gex_OP_t opcode, TYPE operand1, TYPE operand2) {   \
    (void)result, (void)operand1, (void)operand2;                                                         \
    spy_note.name = "atomic apply";                                                                       \
    spy_note.destination = here;                                                                          \
    spy_note.opcode = opcode;                                                                             \
  }
/* clang-format on */
SPY_APPLY(I32, int32_t)
SPY_APPLY(U32, uint32_t)
SPY_APPLY(I64, int64_t)
SPY_APPLY(U64, uint64_t)
SPY_APPLY(FLT, float)
SPY_APPLY(DBL, double)

int aq_client_init_(gex_Client_t* client_p, gex_EP_t* ep_p, gex_TM_t* tm_p, const char* name, int* argc,
                    char*** argv, gex_Flags_t flags, uint32_t client_config) {
  (void)client_p, (void)ep_p, (void)tm_p, (void)name, (void)argc, (void)argv;
  spy_note.name = "client init";
  spy_note.flags = flags;
  spy_note.client_config = client_config;
  return SPY_RESULT;
}

int gex_Segment_Attach(gex_Segment_t* segment_p, gex_TM_t tm, uintptr_t size) {
  (void)segment_p;
  spy_note.name = "segment attach";
  spy_note.tm = tm;
  spy_note.nbytes = size;
  return SPY_RESULT;
}

uint32_t aq_trace_watched_ = 0;
struct aq_world_view_ aq_world_;

void aq_event_wait_(gex_Event_t event) {
  (void)event;
  spy_note.name = "event wait";
}

int gasnet_AMPoll(void) {
  spy_note.name = "poll";
  return GASNET_OK;
}

void aq_at_(const char* file, int line) {
  spy_position.file = file;
  spy_position.line = line;
}
