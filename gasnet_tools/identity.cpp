#include "aqueduct/tools/identity.h"

#include "aqueduct/tools/trace.h"

extern "C" {

const char* gasnett_release_version_str(void) {
  return AQ_TEXT_(GASNET_RELEASE_VERSION_MAJOR) "." AQ_TEXT_(GASNET_RELEASE_VERSION_MINOR) "." AQ_TEXT_(
      GASNET_RELEASE_VERSION_PATCH);
}

uint64_t gasnett_release_version(void) {
  return GASNET_RELEASE_VERSION_MAJOR * uint64_t{1'000'000} +
         GASNET_RELEASE_VERSION_MINOR * uint64_t{10'000} + GASNET_RELEASE_VERSION_PATCH;
}

const char* gasnett_performance_warning_str(void) {
  return ""
#ifdef GASNET_DEBUG
         "        debugging\n"
#endif
#ifndef __OPTIMIZE__
         "        no optimisation by the compiler\n"
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
         "        a sanitizer\n"
#endif
      ;
}

}  // extern "C"
