// Texts for return codes and for the status of events.
#include <cstdio>

#include "papers/nic/ugni/process.hpp"

AQ_API_DATA_ const char* gni_err_str[];
const char* gni_err_str[] = {
    "GNI_RC_SUCCESS",       "GNI_RC_NOT_DONE",         "GNI_RC_INVALID_PARAM",    "GNI_RC_ERROR_RESOURCE",
    "GNI_RC_TIMEOUT",       "GNI_RC_PERMISSION_ERROR", "GNI_RC_DESCRIPTOR_ERROR", "GNI_RC_ALIGNMENT_ERROR",
    "GNI_RC_INVALID_STATE", "GNI_RC_NO_MATCH",         "GNI_RC_SIZE_ERROR",       "GNI_RC_TRANSACTION_ERROR",
    "GNI_RC_ILLEGAL_OP",    "GNI_RC_ERROR_NOMEM",
};
static_assert(sizeof(gni_err_str) / sizeof(*gni_err_str) == GNI_RC_ERROR_NOMEM + 1);

gni_return_t GNI_CqErrorStr(gni_cq_entry_t entry, void* buffer, uint32_t length) {
  if (buffer == nullptr || length == 0) return GNI_RC_INVALID_PARAM;
  const char* const text = aqueduct::ugni::status_text(static_cast<std::uint8_t>(GNI_CQ_GET_STATUS(entry)));
  const char* const overrun = GNI_CQ_OVERRUN(entry) != 0 ? "the completion queue was overrun" : text;
  const int needed = std::snprintf(static_cast<char*>(buffer), length, "%s", overrun);
  return static_cast<uint32_t>(needed) < length ? GNI_RC_SUCCESS : GNI_RC_SIZE_ERROR;
}

gni_return_t GNI_CqErrorRecoverable(gni_cq_entry_t entry, uint32_t* recoverable) {
  if (recoverable == nullptr) return GNI_RC_INVALID_PARAM;
  const std::uint64_t status = GNI_CQ_GET_STATUS(entry);
  *recoverable = status == AQ_GNI_STATUS_OK || status == AQ_GNI_STATUS_BROKEN_OFF;
  return GNI_RC_SUCCESS;
}
