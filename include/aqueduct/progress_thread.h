/* A progress thread: an extension of the GASNet interface.
 *
 * Handlers run, and other ranks get answers, inside calls of the library. A rank whose program computes for
 * long, or looks at its memory in a loop without a call, keeps them waiting. With a progress thread it does
 * not: once nobody has been in the library for a while, this thread looks for messages, asleep where the
 * network wakes it.
 *
 *   aqueduct_progress_thread(2000);
 *   gex_Client_Init(...);
 *   ...
 *   aqueduct_away();                     // the thread exists from here on
 *   while (!flag) compute();             // another rank may put to `flag` meanwhile
 *   aqueduct_back();
 *   gex_Event_Wait(...);
 *
 * Handlers run on that thread, too. With GASNET_SEQ they never run at the same time as calls of the client's
 * thread: they run only while it is away, and aqueduct_back() waits for the end of the one that runs.
 * aqueduct_away() and aqueduct_back() take a few nanoseconds, and no lock.
 */
#ifndef AQUEDUCT_PROGRESS_THREAD_H_
#define AQUEDUCT_PROGRESS_THREAD_H_

#include "gasnetex.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Before gex_Client_Init: there is to be a progress thread, which looks for messages when no thread of this
 * rank has done so for that many microseconds. 0: none, as usual. There is none in a job without a network,
 * whose ranks reach each other by loads and stores, in a simulation, and over an MPI that the program calls,
 * too, or has started, unless it has MPI_THREAD_MULTIPLE.
 *
 * GASNET_OK; GASNET_ERR_RESOURCE, and nothing happens, when the library has been started already. */
AQ_API_ int aqueduct_progress_thread(uint32_t idle_us);

/* The calling thread makes no calls of the library until aqueduct_back(). The first call starts the progress
 * thread. Not in handlers. With GASNET_PAR, where threads need not say so, the first call is all it takes.
 * With GASNET_PARSYNC it is as with GASNET_SEQ: no thread calls the library between the two. */
AQ_API_ void aqueduct_away(void);

/* Ends that. Needed before any call of a GASNET_SEQ or GASNET_PARSYNC client but aqueduct_away(). */
AQ_API_ void aqueduct_back(void);

#ifdef __cplusplus
}
#endif

#endif
