/* One pointer for each thread, NULL at first.
 *
 *   GASNETT_THREADKEY_DEFINE(key);     in one file, at file scope
 *   GASNETT_THREADKEY_DECLARE(key);    in others
 *   gasnett_threadkey_set(key, pointer);  void *p = gasnett_threadkey_get(key);
 *
 * gasnett_threadkey_init(key) does nothing: a key is ready before main, so that the forms with _noinit are
 * the same. In a client of one thread a key is a plain variable.
 */
#ifndef AQUEDUCT_TOOLS_THREADKEY_H_
#define AQUEDUCT_TOOLS_THREADKEY_H_

#include <stddef.h>

#include "aqueduct/tools/mode.h"

#if GASNETT_THREAD_SAFE
#define AQ_PER_THREAD_ __thread
#else
#define AQ_PER_THREAD_
#endif

#define GASNETT_THREADKEY_DECLARE(key) extern AQ_PER_THREAD_ void* aq_threadkey_##key##_
#define GASNETT_THREADKEY_DEFINE(key) AQ_PER_THREAD_ void* aq_threadkey_##key##_ = NULL

#define gasnett_threadkey_get(key) (aq_threadkey_##key##_)
#define gasnett_threadkey_set(key, pointer) ((void)(aq_threadkey_##key##_ = (void*)(pointer)))
#define gasnett_threadkey_get_noinit(key) gasnett_threadkey_get(key)
#define gasnett_threadkey_set_noinit(key, pointer) gasnett_threadkey_set(key, pointer)
#define gasnett_threadkey_init(key) ((void)&aq_threadkey_##key##_)

#endif
