/* Polling and waiting. */
#ifndef AQUEDUCT_PROGRESS_H_
#define AQUEDUCT_PROGRESS_H_

#include "aqueduct/detail/attributes.h"
#include "gasnet_fwd.h"

/* How threads that wait behave: SPIN never sleeps; BLOCK yields the core to others at once and sleeps when
 * nothing has come for a while; SPINBLOCK polls first, then does the same. */
#define GASNET_WAIT_SPIN 0
#define GASNET_WAIT_BLOCK 1
#define GASNET_WAIT_SPINBLOCK 2

/* What a wait in progress remembers; only the calls below look inside. */
struct aq_wait_ {
  uint64_t must_end_; /* that aq_wait_end_ must be called */
  uint64_t state_[15];
};

/* Something that could speed up later calls of the same thread; this library needs none, so it is always
 * NULL. */
typedef void* gasnet_threadinfo_t;

AQ_BEGIN_C_

/* Makes progress: runs the handlers of messages that have arrived. Returns GASNET_OK. Any thread, not in
 * handlers. */
AQ_API_ int gasnet_AMPoll(void);

/* The waiting behaviour of this process from now on. GASNET_ERR_BAD_ARG for anything but GASNET_WAIT_*. */
AQ_API_ int gasnet_set_waitmode(int wait_mode);

/* One wait is begin, then step while there is still something to wait for, then end. A step polls and then,
 * after enough steps without news, may sleep until something arrives. Any thread, not in handlers: a debug
 * client is told so, another one gets replies and no requests while its handler waits. */
AQ_API_ void aq_wait_begin_(struct aq_wait_* wait);
AQ_API_ void aq_wait_step_(struct aq_wait_* wait);
AQ_API_ void aq_wait_end_(struct aq_wait_* wait);

AQ_END_C_

/* Polls until `condition`, which handlers (or other threads) make true, and sees what they wrote before. A
 * statement. */
#define GASNET_BLOCKUNTIL(condition)                             \
  do {                                                           \
    struct aq_wait_ aq_blockuntil_;                              \
    aq_wait_begin_(&aq_blockuntil_);                             \
    while (!(condition)) aq_wait_step_(&aq_blockuntil_);         \
    if (aq_blockuntil_.must_end_) aq_wait_end_(&aq_blockuntil_); \
    __atomic_thread_fence(__ATOMIC_ACQUIRE);                     \
  } while (0)

/* Hints about the calling thread, as statements; they cost nothing and may be nested. */
#define GASNET_BEGIN_FUNCTION() ((void)0)
#define GASNET_GET_THREADINFO() ((gasnet_threadinfo_t)0)
#define GASNET_POST_THREADINFO(info) ((void)(info))

#endif
