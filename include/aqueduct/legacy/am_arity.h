/* The message families of GASNet-1, each with 0 to 16 arguments, as macros over those of am_arity.h:
 *
 *   gasnet_AMRequestShort2(node, handler, arg0, arg1)
 *   gasnet_AMRequestMedium1(node, handler, source, nbytes, arg0)
 *   gasnet_AMRequestLong0(node, handler, source, nbytes, destination)      also gasnet_AMRequestLongAsync0
 *   gasnet_AMReplyShort2(token, handler, arg0, arg1)                       and so on
 */
#ifndef AQUEDUCT_LEGACY_AM_ARITY_H_
#define AQUEDUCT_LEGACY_AM_ARITY_H_

#include "aqueduct/am_arity.h"
#include "aqueduct/legacy/job.h"

/* clang-format off */

/* One family each, for at least one argument. */
#define AQ_LEGACY_REQUEST_SHORT_(call, node, handler, ...) \
  call(aq_legacy_team_(), node, handler, 0, __VA_ARGS__)
#define AQ_LEGACY_REQUEST_MEDIUM_(call, node, handler, source, nbytes, ...) \
  call(aq_legacy_team_(), node, handler, source, nbytes, GEX_EVENT_NOW, 0, __VA_ARGS__)
#define AQ_LEGACY_REQUEST_LONG_(call, node, handler, source, nbytes, destination, ...) \
  call(aq_legacy_team_(), node, handler, source, nbytes, destination, GEX_EVENT_NOW, 0, __VA_ARGS__)
#define AQ_LEGACY_REPLY_SHORT_(call, token, handler, ...) call(token, handler, 0, __VA_ARGS__)
#define AQ_LEGACY_REPLY_MEDIUM_(call, token, handler, source, nbytes, ...) \
  call(token, handler, source, nbytes, GEX_EVENT_NOW, 0, __VA_ARGS__)
#define AQ_LEGACY_REPLY_LONG_(call, token, handler, source, nbytes, destination, ...) \
  call(token, handler, source, nbytes, destination, GEX_EVENT_NOW, 0, __VA_ARGS__)

#define gasnet_AMRequestShort0(node, handler) gex_AM_RequestShort0(aq_legacy_team_(), node, handler, 0)
#define gasnet_AMRequestMedium0(node, handler, source, nbytes) \
  gex_AM_RequestMedium0(aq_legacy_team_(), node, handler, source, nbytes, GEX_EVENT_NOW, 0)
#define gasnet_AMRequestLong0(node, handler, source, nbytes, destination) \
  gex_AM_RequestLong0(aq_legacy_team_(), node, handler, source, nbytes, destination, GEX_EVENT_NOW, 0)
#define gasnet_AMReplyShort0(token, handler) gex_AM_ReplyShort0(token, handler, 0)
#define gasnet_AMReplyMedium0(token, handler, source, nbytes) \
  gex_AM_ReplyMedium0(token, handler, source, nbytes, GEX_EVENT_NOW, 0)
#define gasnet_AMReplyLong0(token, handler, source, nbytes, destination) \
  gex_AM_ReplyLong0(token, handler, source, nbytes, destination, GEX_EVENT_NOW, 0)

#define gasnet_AMRequestShort1(...) AQ_LEGACY_REQUEST_SHORT_(gex_AM_RequestShort1, __VA_ARGS__)
#define gasnet_AMRequestShort2(...) AQ_LEGACY_REQUEST_SHORT_(gex_AM_RequestShort2, __VA_ARGS__)
#define gasnet_AMRequestShort3(...) AQ_LEGACY_REQUEST_SHORT_(gex_AM_RequestShort3, __VA_ARGS__)
#define gasnet_AMRequestShort4(...) AQ_LEGACY_REQUEST_SHORT_(gex_AM_RequestShort4, __VA_ARGS__)
#define gasnet_AMRequestShort5(...) AQ_LEGACY_REQUEST_SHORT_(gex_AM_RequestShort5, __VA_ARGS__)
#define gasnet_AMRequestShort6(...) AQ_LEGACY_REQUEST_SHORT_(gex_AM_RequestShort6, __VA_ARGS__)
#define gasnet_AMRequestShort7(...) AQ_LEGACY_REQUEST_SHORT_(gex_AM_RequestShort7, __VA_ARGS__)
#define gasnet_AMRequestShort8(...) AQ_LEGACY_REQUEST_SHORT_(gex_AM_RequestShort8, __VA_ARGS__)
#define gasnet_AMRequestShort9(...) AQ_LEGACY_REQUEST_SHORT_(gex_AM_RequestShort9, __VA_ARGS__)
#define gasnet_AMRequestShort10(...) AQ_LEGACY_REQUEST_SHORT_(gex_AM_RequestShort10, __VA_ARGS__)
#define gasnet_AMRequestShort11(...) AQ_LEGACY_REQUEST_SHORT_(gex_AM_RequestShort11, __VA_ARGS__)
#define gasnet_AMRequestShort12(...) AQ_LEGACY_REQUEST_SHORT_(gex_AM_RequestShort12, __VA_ARGS__)
#define gasnet_AMRequestShort13(...) AQ_LEGACY_REQUEST_SHORT_(gex_AM_RequestShort13, __VA_ARGS__)
#define gasnet_AMRequestShort14(...) AQ_LEGACY_REQUEST_SHORT_(gex_AM_RequestShort14, __VA_ARGS__)
#define gasnet_AMRequestShort15(...) AQ_LEGACY_REQUEST_SHORT_(gex_AM_RequestShort15, __VA_ARGS__)
#define gasnet_AMRequestShort16(...) AQ_LEGACY_REQUEST_SHORT_(gex_AM_RequestShort16, __VA_ARGS__)

#define gasnet_AMRequestMedium1(...) AQ_LEGACY_REQUEST_MEDIUM_(gex_AM_RequestMedium1, __VA_ARGS__)
#define gasnet_AMRequestMedium2(...) AQ_LEGACY_REQUEST_MEDIUM_(gex_AM_RequestMedium2, __VA_ARGS__)
#define gasnet_AMRequestMedium3(...) AQ_LEGACY_REQUEST_MEDIUM_(gex_AM_RequestMedium3, __VA_ARGS__)
#define gasnet_AMRequestMedium4(...) AQ_LEGACY_REQUEST_MEDIUM_(gex_AM_RequestMedium4, __VA_ARGS__)
#define gasnet_AMRequestMedium5(...) AQ_LEGACY_REQUEST_MEDIUM_(gex_AM_RequestMedium5, __VA_ARGS__)
#define gasnet_AMRequestMedium6(...) AQ_LEGACY_REQUEST_MEDIUM_(gex_AM_RequestMedium6, __VA_ARGS__)
#define gasnet_AMRequestMedium7(...) AQ_LEGACY_REQUEST_MEDIUM_(gex_AM_RequestMedium7, __VA_ARGS__)
#define gasnet_AMRequestMedium8(...) AQ_LEGACY_REQUEST_MEDIUM_(gex_AM_RequestMedium8, __VA_ARGS__)
#define gasnet_AMRequestMedium9(...) AQ_LEGACY_REQUEST_MEDIUM_(gex_AM_RequestMedium9, __VA_ARGS__)
#define gasnet_AMRequestMedium10(...) AQ_LEGACY_REQUEST_MEDIUM_(gex_AM_RequestMedium10, __VA_ARGS__)
#define gasnet_AMRequestMedium11(...) AQ_LEGACY_REQUEST_MEDIUM_(gex_AM_RequestMedium11, __VA_ARGS__)
#define gasnet_AMRequestMedium12(...) AQ_LEGACY_REQUEST_MEDIUM_(gex_AM_RequestMedium12, __VA_ARGS__)
#define gasnet_AMRequestMedium13(...) AQ_LEGACY_REQUEST_MEDIUM_(gex_AM_RequestMedium13, __VA_ARGS__)
#define gasnet_AMRequestMedium14(...) AQ_LEGACY_REQUEST_MEDIUM_(gex_AM_RequestMedium14, __VA_ARGS__)
#define gasnet_AMRequestMedium15(...) AQ_LEGACY_REQUEST_MEDIUM_(gex_AM_RequestMedium15, __VA_ARGS__)
#define gasnet_AMRequestMedium16(...) AQ_LEGACY_REQUEST_MEDIUM_(gex_AM_RequestMedium16, __VA_ARGS__)

#define gasnet_AMRequestLong1(...) AQ_LEGACY_REQUEST_LONG_(gex_AM_RequestLong1, __VA_ARGS__)
#define gasnet_AMRequestLong2(...) AQ_LEGACY_REQUEST_LONG_(gex_AM_RequestLong2, __VA_ARGS__)
#define gasnet_AMRequestLong3(...) AQ_LEGACY_REQUEST_LONG_(gex_AM_RequestLong3, __VA_ARGS__)
#define gasnet_AMRequestLong4(...) AQ_LEGACY_REQUEST_LONG_(gex_AM_RequestLong4, __VA_ARGS__)
#define gasnet_AMRequestLong5(...) AQ_LEGACY_REQUEST_LONG_(gex_AM_RequestLong5, __VA_ARGS__)
#define gasnet_AMRequestLong6(...) AQ_LEGACY_REQUEST_LONG_(gex_AM_RequestLong6, __VA_ARGS__)
#define gasnet_AMRequestLong7(...) AQ_LEGACY_REQUEST_LONG_(gex_AM_RequestLong7, __VA_ARGS__)
#define gasnet_AMRequestLong8(...) AQ_LEGACY_REQUEST_LONG_(gex_AM_RequestLong8, __VA_ARGS__)
#define gasnet_AMRequestLong9(...) AQ_LEGACY_REQUEST_LONG_(gex_AM_RequestLong9, __VA_ARGS__)
#define gasnet_AMRequestLong10(...) AQ_LEGACY_REQUEST_LONG_(gex_AM_RequestLong10, __VA_ARGS__)
#define gasnet_AMRequestLong11(...) AQ_LEGACY_REQUEST_LONG_(gex_AM_RequestLong11, __VA_ARGS__)
#define gasnet_AMRequestLong12(...) AQ_LEGACY_REQUEST_LONG_(gex_AM_RequestLong12, __VA_ARGS__)
#define gasnet_AMRequestLong13(...) AQ_LEGACY_REQUEST_LONG_(gex_AM_RequestLong13, __VA_ARGS__)
#define gasnet_AMRequestLong14(...) AQ_LEGACY_REQUEST_LONG_(gex_AM_RequestLong14, __VA_ARGS__)
#define gasnet_AMRequestLong15(...) AQ_LEGACY_REQUEST_LONG_(gex_AM_RequestLong15, __VA_ARGS__)
#define gasnet_AMRequestLong16(...) AQ_LEGACY_REQUEST_LONG_(gex_AM_RequestLong16, __VA_ARGS__)

#define gasnet_AMReplyShort1(...) AQ_LEGACY_REPLY_SHORT_(gex_AM_ReplyShort1, __VA_ARGS__)
#define gasnet_AMReplyShort2(...) AQ_LEGACY_REPLY_SHORT_(gex_AM_ReplyShort2, __VA_ARGS__)
#define gasnet_AMReplyShort3(...) AQ_LEGACY_REPLY_SHORT_(gex_AM_ReplyShort3, __VA_ARGS__)
#define gasnet_AMReplyShort4(...) AQ_LEGACY_REPLY_SHORT_(gex_AM_ReplyShort4, __VA_ARGS__)
#define gasnet_AMReplyShort5(...) AQ_LEGACY_REPLY_SHORT_(gex_AM_ReplyShort5, __VA_ARGS__)
#define gasnet_AMReplyShort6(...) AQ_LEGACY_REPLY_SHORT_(gex_AM_ReplyShort6, __VA_ARGS__)
#define gasnet_AMReplyShort7(...) AQ_LEGACY_REPLY_SHORT_(gex_AM_ReplyShort7, __VA_ARGS__)
#define gasnet_AMReplyShort8(...) AQ_LEGACY_REPLY_SHORT_(gex_AM_ReplyShort8, __VA_ARGS__)
#define gasnet_AMReplyShort9(...) AQ_LEGACY_REPLY_SHORT_(gex_AM_ReplyShort9, __VA_ARGS__)
#define gasnet_AMReplyShort10(...) AQ_LEGACY_REPLY_SHORT_(gex_AM_ReplyShort10, __VA_ARGS__)
#define gasnet_AMReplyShort11(...) AQ_LEGACY_REPLY_SHORT_(gex_AM_ReplyShort11, __VA_ARGS__)
#define gasnet_AMReplyShort12(...) AQ_LEGACY_REPLY_SHORT_(gex_AM_ReplyShort12, __VA_ARGS__)
#define gasnet_AMReplyShort13(...) AQ_LEGACY_REPLY_SHORT_(gex_AM_ReplyShort13, __VA_ARGS__)
#define gasnet_AMReplyShort14(...) AQ_LEGACY_REPLY_SHORT_(gex_AM_ReplyShort14, __VA_ARGS__)
#define gasnet_AMReplyShort15(...) AQ_LEGACY_REPLY_SHORT_(gex_AM_ReplyShort15, __VA_ARGS__)
#define gasnet_AMReplyShort16(...) AQ_LEGACY_REPLY_SHORT_(gex_AM_ReplyShort16, __VA_ARGS__)

#define gasnet_AMReplyMedium1(...) AQ_LEGACY_REPLY_MEDIUM_(gex_AM_ReplyMedium1, __VA_ARGS__)
#define gasnet_AMReplyMedium2(...) AQ_LEGACY_REPLY_MEDIUM_(gex_AM_ReplyMedium2, __VA_ARGS__)
#define gasnet_AMReplyMedium3(...) AQ_LEGACY_REPLY_MEDIUM_(gex_AM_ReplyMedium3, __VA_ARGS__)
#define gasnet_AMReplyMedium4(...) AQ_LEGACY_REPLY_MEDIUM_(gex_AM_ReplyMedium4, __VA_ARGS__)
#define gasnet_AMReplyMedium5(...) AQ_LEGACY_REPLY_MEDIUM_(gex_AM_ReplyMedium5, __VA_ARGS__)
#define gasnet_AMReplyMedium6(...) AQ_LEGACY_REPLY_MEDIUM_(gex_AM_ReplyMedium6, __VA_ARGS__)
#define gasnet_AMReplyMedium7(...) AQ_LEGACY_REPLY_MEDIUM_(gex_AM_ReplyMedium7, __VA_ARGS__)
#define gasnet_AMReplyMedium8(...) AQ_LEGACY_REPLY_MEDIUM_(gex_AM_ReplyMedium8, __VA_ARGS__)
#define gasnet_AMReplyMedium9(...) AQ_LEGACY_REPLY_MEDIUM_(gex_AM_ReplyMedium9, __VA_ARGS__)
#define gasnet_AMReplyMedium10(...) AQ_LEGACY_REPLY_MEDIUM_(gex_AM_ReplyMedium10, __VA_ARGS__)
#define gasnet_AMReplyMedium11(...) AQ_LEGACY_REPLY_MEDIUM_(gex_AM_ReplyMedium11, __VA_ARGS__)
#define gasnet_AMReplyMedium12(...) AQ_LEGACY_REPLY_MEDIUM_(gex_AM_ReplyMedium12, __VA_ARGS__)
#define gasnet_AMReplyMedium13(...) AQ_LEGACY_REPLY_MEDIUM_(gex_AM_ReplyMedium13, __VA_ARGS__)
#define gasnet_AMReplyMedium14(...) AQ_LEGACY_REPLY_MEDIUM_(gex_AM_ReplyMedium14, __VA_ARGS__)
#define gasnet_AMReplyMedium15(...) AQ_LEGACY_REPLY_MEDIUM_(gex_AM_ReplyMedium15, __VA_ARGS__)
#define gasnet_AMReplyMedium16(...) AQ_LEGACY_REPLY_MEDIUM_(gex_AM_ReplyMedium16, __VA_ARGS__)

#define gasnet_AMReplyLong1(...) AQ_LEGACY_REPLY_LONG_(gex_AM_ReplyLong1, __VA_ARGS__)
#define gasnet_AMReplyLong2(...) AQ_LEGACY_REPLY_LONG_(gex_AM_ReplyLong2, __VA_ARGS__)
#define gasnet_AMReplyLong3(...) AQ_LEGACY_REPLY_LONG_(gex_AM_ReplyLong3, __VA_ARGS__)
#define gasnet_AMReplyLong4(...) AQ_LEGACY_REPLY_LONG_(gex_AM_ReplyLong4, __VA_ARGS__)
#define gasnet_AMReplyLong5(...) AQ_LEGACY_REPLY_LONG_(gex_AM_ReplyLong5, __VA_ARGS__)
#define gasnet_AMReplyLong6(...) AQ_LEGACY_REPLY_LONG_(gex_AM_ReplyLong6, __VA_ARGS__)
#define gasnet_AMReplyLong7(...) AQ_LEGACY_REPLY_LONG_(gex_AM_ReplyLong7, __VA_ARGS__)
#define gasnet_AMReplyLong8(...) AQ_LEGACY_REPLY_LONG_(gex_AM_ReplyLong8, __VA_ARGS__)
#define gasnet_AMReplyLong9(...) AQ_LEGACY_REPLY_LONG_(gex_AM_ReplyLong9, __VA_ARGS__)
#define gasnet_AMReplyLong10(...) AQ_LEGACY_REPLY_LONG_(gex_AM_ReplyLong10, __VA_ARGS__)
#define gasnet_AMReplyLong11(...) AQ_LEGACY_REPLY_LONG_(gex_AM_ReplyLong11, __VA_ARGS__)
#define gasnet_AMReplyLong12(...) AQ_LEGACY_REPLY_LONG_(gex_AM_ReplyLong12, __VA_ARGS__)
#define gasnet_AMReplyLong13(...) AQ_LEGACY_REPLY_LONG_(gex_AM_ReplyLong13, __VA_ARGS__)
#define gasnet_AMReplyLong14(...) AQ_LEGACY_REPLY_LONG_(gex_AM_ReplyLong14, __VA_ARGS__)
#define gasnet_AMReplyLong15(...) AQ_LEGACY_REPLY_LONG_(gex_AM_ReplyLong15, __VA_ARGS__)
#define gasnet_AMReplyLong16(...) AQ_LEGACY_REPLY_LONG_(gex_AM_ReplyLong16, __VA_ARGS__)

/* Local completion is immediate, so there is nothing to gain by letting it come later. */
#define gasnet_AMRequestLongAsync0 gasnet_AMRequestLong0
#define gasnet_AMRequestLongAsync1 gasnet_AMRequestLong1
#define gasnet_AMRequestLongAsync2 gasnet_AMRequestLong2
#define gasnet_AMRequestLongAsync3 gasnet_AMRequestLong3
#define gasnet_AMRequestLongAsync4 gasnet_AMRequestLong4
#define gasnet_AMRequestLongAsync5 gasnet_AMRequestLong5
#define gasnet_AMRequestLongAsync6 gasnet_AMRequestLong6
#define gasnet_AMRequestLongAsync7 gasnet_AMRequestLong7
#define gasnet_AMRequestLongAsync8 gasnet_AMRequestLong8
#define gasnet_AMRequestLongAsync9 gasnet_AMRequestLong9
#define gasnet_AMRequestLongAsync10 gasnet_AMRequestLong10
#define gasnet_AMRequestLongAsync11 gasnet_AMRequestLong11
#define gasnet_AMRequestLongAsync12 gasnet_AMRequestLong12
#define gasnet_AMRequestLongAsync13 gasnet_AMRequestLong13
#define gasnet_AMRequestLongAsync14 gasnet_AMRequestLong14
#define gasnet_AMRequestLongAsync15 gasnet_AMRequestLong15
#define gasnet_AMRequestLongAsync16 gasnet_AMRequestLong16

/* clang-format on */

#endif
