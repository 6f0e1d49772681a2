/* The sizes, values and layouts that programs were written against. Most of it fails to compile rather than
 * to run. */
#include <stddef.h>
#include <string.h>

#include "../support/check.h"
#include "gasnetex.h"

/* --- Constants work in #if. */
#if GASNET_RELEASE_VERSION_MAJOR != 2025 || GASNET_RELEASE_VERSION_MINOR != 8 || \
    GASNET_RELEASE_VERSION_PATCH != 0
#error "release"
#endif
#if GEX_SPEC_VERSION_MAJOR != 0 || GEX_SPEC_VERSION_MINOR != 19
#error "specification"
#endif
#if !GASNET_SEGMENT_FAST || defined(GASNET_SEGMENT_LARGE) || defined(GASNET_SEGMENT_EVERYTHING)
#error "segment"
#endif
#if !GASNET_CONDUIT_SMP || !GASNET_PSHM || GASNET_ALIGNED_SEGMENTS || GASNET_HIDDEN_AM_CONCURRENCY_LEVEL
#error "features"
#endif
#if GASNET_MAXNODES != 256 || GASNET_MAXEPS != 33 || GASNET_PAGESIZE != 4096 || SIZEOF_GEX_RMA_VALUE_T != 8
#error "limits"
#endif
#if GASNET_SUPPORTS_TI_SRCRANK != 1 || GASNET_SUPPORTS_TI_EP != 1 || GASNET_SUPPORTS_TI_ENTRY != 1 || \
    GASNET_SUPPORTS_TI_IS_REQ != 1 || GASNET_SUPPORTS_TI_IS_LONG != 1
#error "tokens"
#endif
#if GEX_FLAG_PEER_NEVER_NBRHD == GEX_FLAG_PEER_NEVER_SELF
#error "flags"
#endif
#if !HAVE_PTHREAD_H || !HAVE_MMAP
#error "system"
#endif
#ifdef EXPECT_DEBUG
#if !GASNET_DEBUG || defined(GASNET_NDEBUG)
#error "debug"
#endif
#elif !GASNET_NDEBUG || defined(GASNET_DEBUG)
#error "not debug"
#endif
#if (defined(EXPECT_SEQ) && !GASNET_SEQ) || (defined(EXPECT_PAR) && !GASNET_PAR) || \
    (defined(EXPECT_PARSYNC) && !GASNET_PARSYNC)
#error "thread mode"
#endif

/* --- Sizes and signedness of types. */
STATIC_CHECK(sizeof(gex_Flags_t) == 4 && sizeof(gex_Rank_t) == 4 && sizeof(gex_AM_Arg_t) == 4);
STATIC_CHECK(sizeof(gex_DT_t) == 4 && sizeof(gex_OP_t) == 4 && sizeof(gex_EP_Capabilities_t) == 4);
STATIC_CHECK(sizeof(gex_EP_Index_t) == 2 && sizeof(gex_AM_Index_t) == 1);
STATIC_CHECK(sizeof(gex_RMA_Value_t) == SIZEOF_GEX_RMA_VALUE_T);
STATIC_CHECK(sizeof(gex_Client_t) == sizeof(void*) && sizeof(gex_EP_t) == sizeof(void*));
STATIC_CHECK(sizeof(gex_TM_t) == sizeof(void*) && sizeof(gex_Segment_t) == sizeof(void*));
STATIC_CHECK(sizeof(gex_MK_t) == sizeof(void*) && sizeof(gex_AD_t) == sizeof(void*));
STATIC_CHECK(sizeof(gex_Event_t) == sizeof(void*) && sizeof(gex_Token_t) == sizeof(void*));
STATIC_CHECK(sizeof(gex_AM_SrcDesc_t) == sizeof(void*) && sizeof(gex_Addr_t) == sizeof(void*));
STATIC_CHECK((gex_Rank_t)-1 > 0 && (gex_EP_Index_t)-1 > 0 && (gex_AM_Arg_t)-1 < 0);
STATIC_CHECK(sizeof(gex_HSL_t) == 32);
STATIC_CHECK(sizeof(struct aq_peer_view_) == 32 && sizeof(struct aq_team_view_) == 16);

/* --- Values that programs compare with numbers. */
STATIC_CHECK(GASNET_OK == 0 && GASNET_ERR_NOT_INIT == 10001 && GASNET_ERR_RESOURCE == 10002);
STATIC_CHECK(GASNET_ERR_BAD_ARG == 10003 && GASNET_ERR_NOT_READY == 10004);
STATIC_CHECK(GASNET_ERR_BARRIER_MISMATCH == 10005);
STATIC_CHECK(GEX_RANK_INVALID == 0xffffffffu);
STATIC_CHECK(GEX_AM_INDEX_BASE == 128);
STATIC_CHECK(GEX_FLAG_IMMEDIATE == 1);
STATIC_CHECK(GEX_FLAG_AM_PREPARE_LEAST_CLIENT == 1 << 11 && GEX_FLAG_AM_PREPARE_LEAST_ALLOC == 1 << 12);
STATIC_CHECK(GEX_FLAG_RANK_IS_JOBRANK == 1 << 13 && GEX_FLAG_GLOBALLY_QUIESCED == 1 << 13);
STATIC_CHECK(GEX_FLAG_PEER_NEVER_NBRHD == 1 << 14 && GEX_FLAG_PEER_NEVER_SELF == 1 << 15);
STATIC_CHECK(GEX_FLAG_ENABLE_LEAF_LC == 1 << 11);
STATIC_CHECK(GEX_FLAG_USES_GASNET1 == 1 && GEX_FLAG_DEFER_THREADS == 2);
STATIC_CHECK(GEX_EP_CAPABILITY_RMA == 1 && GEX_EP_CAPABILITY_ALL == 31);
STATIC_CHECK((GEX_EP_CAPABILITY_RMA | GEX_EP_CAPABILITY_AM | GEX_EP_CAPABILITY_VIS | GEX_EP_CAPABILITY_COLL |
              GEX_EP_CAPABILITY_AD) == GEX_EP_CAPABILITY_ALL);
STATIC_CHECK(GEX_DT_U64 == 1 << 3 && GEX_OP_ADD == 1 << 3);
STATIC_CHECK(GEX_THREAD_ROLE_RCV == 1 && GEX_THREAD_ROLE_SND == 2);
STATIC_CHECK(GASNET_WAIT_SPIN == 0 && GASNET_WAIT_BLOCK == 1 && GASNET_WAIT_SPINBLOCK == 2);
STATIC_CHECK(GASNET_BARRIERFLAG_ANONYMOUS == 1 && GASNET_BARRIERFLAG_MISMATCH == 2);
STATIC_CHECK(GASNET_BARRIERFLAG_UNNAMED == 9);
STATIC_CHECK(GEX_EC_ALL == 0xffffffffu);
STATIC_CHECK((GEX_TI_SRCRANK | GEX_TI_EP | GEX_TI_ENTRY | GEX_TI_IS_REQ | GEX_TI_IS_LONG) == GEX_TI_ALL);
STATIC_CHECK(GEX_FLAG_AM_MEDLONG == (GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_LONG));
STATIC_CHECK(GEX_FLAG_AM_REQREP == (GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_REPLY));
STATIC_CHECK(GEX_FLAG_HINT_ACCEL_ALL == (GEX_FLAG_HINT_ACCEL_AD | GEX_FLAG_HINT_ACCEL_COLL));

/* --- Fetching operations mirror the others. */
STATIC_CHECK(GEX_OP_TO_FETCHING(GEX_OP_AND) == GEX_OP_FAND && GEX_OP_TO_FETCHING(GEX_OP_OR) == GEX_OP_FOR);
STATIC_CHECK(GEX_OP_TO_FETCHING(GEX_OP_XOR) == GEX_OP_FXOR && GEX_OP_TO_FETCHING(GEX_OP_ADD) == GEX_OP_FADD);
STATIC_CHECK(GEX_OP_TO_FETCHING(GEX_OP_SUB) == GEX_OP_FSUB &&
             GEX_OP_TO_FETCHING(GEX_OP_MULT) == GEX_OP_FMULT);
STATIC_CHECK(GEX_OP_TO_FETCHING(GEX_OP_MIN) == GEX_OP_FMIN && GEX_OP_TO_FETCHING(GEX_OP_MAX) == GEX_OP_FMAX);
STATIC_CHECK(GEX_OP_TO_FETCHING(GEX_OP_INC) == GEX_OP_FINC && GEX_OP_TO_FETCHING(GEX_OP_DEC) == GEX_OP_FDEC);
STATIC_CHECK(GEX_OP_TO_FETCHING(GEX_OP_SET) == GEX_OP_SWAP && GEX_OP_TO_FETCHING(GEX_OP_CAS) == GEX_OP_FCAS);
STATIC_CHECK(GEX_OP_TO_NONFETCHING(GEX_OP_SWAP) == GEX_OP_SET &&
             GEX_OP_TO_NONFETCHING(GEX_OP_FCAS) == GEX_OP_CAS);
STATIC_CHECK(GEX_OP_CSWAP == GEX_OP_FCAS);

/* --- Order of fields, which positional initialisers depend on. */
STATIC_CHECK(offsetof(gex_AM_Entry_t, gex_index) == 0);
STATIC_CHECK(offsetof(gex_AM_Entry_t, gex_index) < offsetof(gex_AM_Entry_t, gex_fnptr));
STATIC_CHECK(offsetof(gex_AM_Entry_t, gex_fnptr) < offsetof(gex_AM_Entry_t, gex_flags));
STATIC_CHECK(offsetof(gex_AM_Entry_t, gex_flags) < offsetof(gex_AM_Entry_t, gex_nargs));
STATIC_CHECK(offsetof(gex_AM_Entry_t, gex_nargs) < offsetof(gex_AM_Entry_t, gex_cdata));
STATIC_CHECK(offsetof(gex_AM_Entry_t, gex_cdata) < offsetof(gex_AM_Entry_t, gex_name));

static void a_handler(gex_Token_t token, gex_AM_Arg_t argument) { (void)token, (void)argument; }

static void positional_initialisers_reach_their_fields(void) {
  static const int data = 0;
  gex_AM_Entry_t entry = {200,   (gex_AM_Fn_t)a_handler, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, &data,
                          "name"};
  gex_EP_Location_t location = {7, 3};
  gex_Memvec_t piece = {&entry, 12};
  gasnet_seginfo_t info = {&entry, 4096};
  gex_RankInfo_t member = {9};
  gex_ProgressThreadInfo_t thread = {"device", GEX_THREAD_ROLE_RCV, NULL, &entry};
  gex_Token_Info_t token = {1, GEX_EP_INVALID, &entry, 1, 0};
  gex_HSL_t lock = GEX_HSL_INITIALIZER;
  static gex_HSL_t static_lock = GEX_HSL_INITIALIZER;
  CHECK(entry.gex_index == 200 && entry.gex_fnptr == (gex_AM_Fn_t)a_handler && entry.gex_nargs == 1);
  CHECK(entry.gex_flags == (GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST));
  CHECK(entry.gex_cdata == &data && strcmp(entry.gex_name, "name") == 0);
  CHECK(location.gex_rank == 7 && location.gex_ep_index == 3);
  CHECK(piece.gex_addr == &entry && piece.gex_len == 12);
  CHECK(info.addr == &entry && info.size == 4096);
  CHECK(member.gex_jobrank == 9);
  CHECK(thread.gex_thread_roles == GEX_THREAD_ROLE_RCV && thread.gex_progress_arg == &entry);
  CHECK(strcmp(thread.gex_device_list, "device") == 0 && thread.gex_progress_fn == NULL);
  CHECK(token.gex_srcrank == 1 && token.gex_ep == GEX_EP_INVALID && token.gex_entry == &entry);
  CHECK(token.gex_is_req == 1 && token.gex_is_long == 0);
  CHECK(memcmp(&lock, &static_lock, sizeof lock) == 0);
}

static void handles_have_their_special_values(void) {
  CHECK((uintptr_t)GEX_CLIENT_INVALID == 0 && (uintptr_t)GEX_EP_INVALID == 0 &&
        (uintptr_t)GEX_TM_INVALID == 0);
  CHECK((uintptr_t)GEX_SEGMENT_INVALID == 0 && (uintptr_t)GEX_MK_INVALID == 0 && (uintptr_t)GEX_MK_HOST == 1);
  CHECK((uintptr_t)GEX_AD_INVALID == 0 && (uintptr_t)GEX_AM_SRCDESC_NO_OP == 0);
  CHECK((uintptr_t)GEX_EVENT_INVALID == 0 && (uintptr_t)GEX_EVENT_NO_OP == 1);
  CHECK((uintptr_t)GEX_EVENT_NOW == 1 && (uintptr_t)GEX_EVENT_DEFER == 2 && (uintptr_t)GEX_EVENT_GROUP == 3);
}

/* Ends the program unless the flags of one call have no bit in common. */
static void expect_disjoint(const uint32_t* flags, size_t count) {
  uint32_t seen = 0;
  size_t i;
  for (i = 0; i < count; ++i) {
    CHECK(flags[i] != 0);
    CHECK((flags[i] & seen) == 0);
    seen |= flags[i];
  }
}
#define EXPECT_DISJOINT(...)                                   \
  do {                                                         \
    const uint32_t flags_[] = {__VA_ARGS__};                   \
    expect_disjoint(flags_, sizeof flags_ / sizeof flags_[0]); \
  } while (0)

#define SEGMENT_FLAGS                                                                                   \
  GEX_FLAG_SELF_SEG_UNKNOWN, GEX_FLAG_SELF_SEG_SOME, GEX_FLAG_SELF_SEG_BOUND, GEX_FLAG_SELF_SEG_OFFSET, \
      GEX_FLAG_PEER_SEG_UNKNOWN, GEX_FLAG_PEER_SEG_SOME, GEX_FLAG_PEER_SEG_BOUND, GEX_FLAG_PEER_SEG_OFFSET

static void flags_of_one_call_do_not_overlap(void) {
  EXPECT_DISJOINT(GEX_FLAG_IMMEDIATE, SEGMENT_FLAGS, GEX_FLAG_AM_PREPARE_LEAST_CLIENT,
                  GEX_FLAG_AM_PREPARE_LEAST_ALLOC);
  EXPECT_DISJOINT(GEX_FLAG_IMMEDIATE, SEGMENT_FLAGS, GEX_FLAG_PEER_NEVER_SELF, GEX_FLAG_PEER_NEVER_NBRHD);
  EXPECT_DISJOINT(GEX_FLAG_IMMEDIATE, SEGMENT_FLAGS, GEX_FLAG_ENABLE_LEAF_LC);
  EXPECT_DISJOINT(GEX_FLAG_IMMEDIATE, SEGMENT_FLAGS, GEX_FLAG_RANK_IS_JOBRANK, GEX_FLAG_AD_MY_RANK,
                  GEX_FLAG_AD_MY_NBRHD, GEX_FLAG_AD_ACQ, GEX_FLAG_AD_REL);
  EXPECT_DISJOINT(GEX_FLAG_AD_FAVOR_MY_RANK, GEX_FLAG_AD_FAVOR_MY_NBRHD, GEX_FLAG_AD_FAVOR_REMOTE);
  EXPECT_DISJOINT(GEX_FLAG_AM_SHORT, GEX_FLAG_AM_MEDIUM, GEX_FLAG_AM_LONG, GEX_FLAG_AM_REQUEST,
                  GEX_FLAG_AM_REPLY);
  EXPECT_DISJOINT(GEX_FLAG_USES_GASNET1, GEX_FLAG_DEFER_THREADS);
  EXPECT_DISJOINT(GEX_FLAG_TM_SCRATCH_SIZE_MIN, GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED,
                  GEX_FLAG_TM_GLOBAL_SCRATCH, GEX_FLAG_TM_LOCAL_SCRATCH, GEX_FLAG_TM_SYMMETRIC_SCRATCH,
                  GEX_FLAG_TM_NO_SCRATCH, GEX_FLAG_SCRATCH_SEG_OFFSET, GEX_FLAG_RANK_IS_JOBRANK);
  EXPECT_DISJOINT(GEX_FLAG_HINT_ACCEL_AD, GEX_FLAG_HINT_ACCEL_COLL);
}

static void members_of_a_set_do_not_overlap(void) {
  EXPECT_DISJOINT(GEX_DT_I32, GEX_DT_U32, GEX_DT_I64, GEX_DT_U64, GEX_DT_FLT, GEX_DT_DBL, GEX_DT_USER);
  EXPECT_DISJOINT(GEX_OP_AND, GEX_OP_OR, GEX_OP_XOR, GEX_OP_ADD, GEX_OP_SUB, GEX_OP_MULT, GEX_OP_MIN,
                  GEX_OP_MAX, GEX_OP_INC, GEX_OP_DEC, GEX_OP_SET, GEX_OP_CAS, GEX_OP_FAND, GEX_OP_FOR,
                  GEX_OP_FXOR, GEX_OP_FADD, GEX_OP_FSUB, GEX_OP_FMULT, GEX_OP_FMIN, GEX_OP_FMAX, GEX_OP_FINC,
                  GEX_OP_FDEC, GEX_OP_SWAP, GEX_OP_FCAS, GEX_OP_GET, GEX_OP_USER, GEX_OP_USER_NC);
  EXPECT_DISJOINT(GEX_TI_SRCRANK, GEX_TI_EP, GEX_TI_ENTRY, GEX_TI_IS_REQ, GEX_TI_IS_LONG);
  EXPECT_DISJOINT(GEX_EC_GET, GEX_EC_PUT, GEX_EC_AM, GEX_EC_LC, GEX_EC_RMW);
}

static void names_are_printable(void) {
  CHECK(strcmp(GASNET_CONDUIT_NAME_STR, "SMP") == 0 && strcmp(GASNET_CORE_NAME_STR, "AQUEDUCT") == 0);
  CHECK(strlen(GASNET_CORE_VERSION_STR) > 0 &&
        strcmp(GASNET_EXTENDED_VERSION_STR, GASNET_CORE_VERSION_STR) == 0);
  CHECK(strncmp(GASNET_CONFIG_STRING, "RELEASE=2025.8.0,SPEC=0.19,CONDUIT=SMP(AQUEDUCT-", 48) == 0);
#if defined(EXPECT_PAR)
  CHECK(strstr(GASNET_CONFIG_STRING, ",THREADMODEL=PAR,") != NULL);
#elif defined(EXPECT_PARSYNC)
  CHECK(strstr(GASNET_CONFIG_STRING, ",THREADMODEL=PARSYNC,") != NULL);
#else
  CHECK(strstr(GASNET_CONFIG_STRING, ",THREADMODEL=SEQ,") != NULL);
#endif
  CHECK(strstr(GASNET_CONFIG_STRING, ",SEGMENT=FAST,PTR=64bit,") != NULL);
}

/* Names outside the interface that programs take the address of, and thread hints in nested scopes. */
static void leftovers_of_older_programs_compile(void) {
  void (*key)(void) = _gasneti_threadkey_init;
  void (*trace)(const char*, ...) = _gasnett_trace_printf_noop;
  gasnet_threadinfo_t outer = GASNET_GET_THREADINFO();
  GASNET_BEGIN_FUNCTION();
  {
    GASNET_BEGIN_FUNCTION();
    {
      GASNET_POST_THREADINFO(outer);
      CHECK(GASNET_GET_THREADINFO() == outer);
    }
  }
  key();
  trace("%d", 1);
}

int main(void) {
  positional_initialisers_reach_their_fields();
  handles_have_their_special_values();
  flags_of_one_call_do_not_overlap();
  members_of_a_set_do_not_overlap();
  names_are_printable();
  leftovers_of_older_programs_compile();
  return 0;
}
