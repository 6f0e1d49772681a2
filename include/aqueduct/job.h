/* The start and the end of a job, and error codes. */
#ifndef AQUEDUCT_JOB_H_
#define AQUEDUCT_JOB_H_

#include "aqueduct/detail/attributes.h"
#include "aqueduct/identity.h"
#include "gasnet_fwd.h"

/* What calls with an int result return. Unless said otherwise a call returns GASNET_OK, and an error that has
 * no code here ends the job with one line. A warning on stderr names each error returned
 * (gex_System_SetVerboseErrors). */
#define GASNET_OK 0
#define GASNET_ERR_NOT_INIT 10001         /* not started yet, or already started */
#define GASNET_ERR_RESOURCE 10002         /* more than there is */
#define GASNET_ERR_BAD_ARG 10003          /* an argument that can never be right */
#define GASNET_ERR_NOT_READY 10004        /* not complete, not free: try again */
#define GASNET_ERR_BARRIER_MISMATCH 10005 /* the ranks named different barriers */

AQ_BEGIN_C_

/* The name of a code and a sentence about it; for unknown codes too. Any thread, any time. The text is
 * static. */
AQ_API_ const char* gasnet_ErrorName(int error);
AQ_API_ const char* gasnet_ErrorDesc(int error);

/* Starts the library: collective over the job, the first call of a client, made by one thread.
 *   int gex_Client_Init(gex_Client_t *client_p, gex_EP_t *ep_p, gex_TM_t *tm_p, const char *name,
 *                       int *argc, char ***argv, gex_Flags_t flags)
 * Gives the client, endpoint 0 of this process, and the team of all ranks. argc and argv may be NULL; they
 * are never changed. `name` is copied. Flags: GEX_FLAG_USES_GASNET1, GEX_FLAG_DEFER_THREADS. Returns when all
 * ranks have started. GASNET_ERR_NOT_INIT on a second call; GASNET_ERR_BAD_ARG for a NULL output, a NULL or
 * empty name or an unknown flag. */
#define gex_Client_Init(client_p, ep_p, tm_p, name, argc, argv, flags) \
  aq_client_init_(client_p, ep_p, tm_p, name, argc, argv, flags, AQ_START_CONFIG_)

AQ_API_ int aq_client_init_(gex_Client_t* client_p, gex_EP_t* ep_p, gex_TM_t* tm_p, const char* name,
                            int* argc, char*** argv, gex_Flags_t flags, uint32_t client_config);

/* What gex_Client_Init was given, and one pointer that the client may keep there. Any thread, also in
 * handlers. */
AQ_API_ const char* gex_Client_QueryName(gex_Client_t client);
AQ_API_ gex_Flags_t gex_Client_QueryFlags(gex_Client_t client);
AQ_API_ void gex_Client_SetCData(gex_Client_t client, const void* value);
AQ_API_ void* gex_Client_QueryCData(gex_Client_t client);

/* Ends the whole job with `code`, whichever ranks call it. Any thread, any time, also in handlers. Flushes
 * stdio; runs no atexit functions. */
AQ_API_ void gasnet_exit(int code) AQ_NORETURN_;

/* If set before gex_Segment_Attach, called there once on this rank's new segment (its address and size)
 * before any other rank can reach it; for instance to touch its pages from the threads that will use them. */
AQ_API_DATA_ void (*gasnet_client_attach_hook)(void*, uintptr_t);

AQ_END_C_

#endif
