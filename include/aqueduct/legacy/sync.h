/* Completion of non-blocking operations in GASNet-1: handles are events (event.h), except that a try polls
 * once before it tests. */
#ifndef AQUEDUCT_LEGACY_SYNC_H_
#define AQUEDUCT_LEGACY_SYNC_H_

#include "aqueduct/event.h"
#include "aqueduct/progress.h"

#define gasnet_wait_syncnb(handle) gex_Event_Wait(handle)
#define gasnet_wait_syncnb_some(handles, count) gex_Event_WaitSome(handles, count, 0)
#define gasnet_wait_syncnb_all(handles, count) gex_Event_WaitAll(handles, count, 0)

#define gasnet_try_syncnb_nopoll(handle) gex_Event_Test(handle)
#define gasnet_try_syncnb_some_nopoll(handles, count) gex_Event_TestSome(handles, count, 0)
#define gasnet_try_syncnb_all_nopoll(handles, count) gex_Event_TestAll(handles, count, 0)

#define gasnet_try_syncnb(handle) ((void)gasnet_AMPoll(), gex_Event_Test(handle))
#define gasnet_try_syncnb_some(handles, count) ((void)gasnet_AMPoll(), gex_Event_TestSome(handles, count, 0))
#define gasnet_try_syncnb_all(handles, count) ((void)gasnet_AMPoll(), gex_Event_TestAll(handles, count, 0))

#define gasnet_wait_syncnbi_gets() gex_NBI_Wait(GEX_EC_GET, 0)
#define gasnet_wait_syncnbi_puts() gex_NBI_Wait(GEX_EC_PUT, 0)
#define gasnet_wait_syncnbi_all() gex_NBI_Wait(GEX_EC_ALL, 0)
#define gasnet_try_syncnbi_gets() ((void)gasnet_AMPoll(), gex_NBI_Test(GEX_EC_GET, 0))
#define gasnet_try_syncnbi_puts() ((void)gasnet_AMPoll(), gex_NBI_Test(GEX_EC_PUT, 0))
#define gasnet_try_syncnbi_all() ((void)gasnet_AMPoll(), gex_NBI_Test(GEX_EC_ALL, 0))

#define gasnet_begin_nbi_accessregion() gex_NBI_BeginAccessRegion(0)
#define gasnet_end_nbi_accessregion() gex_NBI_EndAccessRegion(0)

#endif
