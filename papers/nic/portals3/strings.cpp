// Texts for people.
#include "portals3.h"

// The header's declaration gives these constants external linkage.
const char* const ptl_err_str[PTL_MAX_ERRNO + 1] = {
    "PTL_OK",
    "PTL_AC_INDEX_INVALID",
    "PTL_EQ_DROPPED",
    "PTL_EQ_EMPTY",
    "PTL_EQ_INVALID",
    "PTL_FAIL",
    "PTL_HANDLE_INVALID",
    "PTL_IFACE_INVALID",
    "PTL_MD_ILLEGAL",
    "PTL_MD_INVALID",
    "PTL_MD_IN_USE",
    "PTL_MD_NO_UPDATE",
    "PTL_ME_INVALID",
    "PTL_ME_IN_USE",
    "PTL_ME_LIST_TOO_LONG",
    "PTL_NI_INVALID",
    "PTL_NO_INIT",
    "PTL_NO_SPACE",
    "PTL_PID_INVALID",
    "PTL_PROCESS_INVALID",
    "PTL_PT_FULL",
    "PTL_PT_INDEX_INVALID",
    "PTL_SEGV",
    "PTL_SR_INDEX_INVALID",
    "PTL_UNKNOWN_ERROR",
    "PTL_IFACE_DUP",
    "PTL_EQ_IN_USE",
    "PTL_VAL_FAILED",
    "PTL_MAX_ERRNO",
};
static_assert(PTL_VAL_FAILED == 27 && PTL_MAX_ERRNO == 28, "the list follows the enumeration");

const char* const ptl_event_str[PTL_EVENT_UNLINK + 1] = {
    "PTL_EVENT_GET_START",    "PTL_EVENT_GET_END",    "PTL_EVENT_PUT_START",   "PTL_EVENT_PUT_END",
    "PTL_EVENT_GETPUT_START", "PTL_EVENT_GETPUT_END", "PTL_EVENT_REPLY_START", "PTL_EVENT_REPLY_END",
    "PTL_EVENT_SEND_START",   "PTL_EVENT_SEND_END",   "PTL_EVENT_ACK",         "PTL_EVENT_UNLINK",
};

const char* PtlErrorStr(int code) {
  return code >= 0 && code < PTL_MAX_ERRNO ? ptl_err_str[code] : "not a Portals return code";
}

const char* PtlNIFailStr(ptl_handle_ni_t, ptl_ni_fail_t fail_type) {
  switch (fail_type) {
    case PTL_NI_OK:
      return "PTL_NI_OK";
    case PTL_NI_FAIL:
      return "PTL_NI_FAIL";
    case PTL_NI_UNDELIVERABLE:
      return "PTL_NI_UNDELIVERABLE";
    case PTL_NI_INCOMPLETE:
      return "PTL_NI_INCOMPLETE";
    default:
      return "not a failure type of this interface";
  }
}

const char* PtlEventKindStr(ptl_event_kind_t kind) {
  const auto number = static_cast<unsigned>(kind);
  return number <= PTL_EVENT_UNLINK ? ptl_event_str[number] : "not a kind of event";
}
