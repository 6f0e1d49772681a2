#include <atomic>

#include "api/face.hpp"

namespace aqueduct::api {
namespace {

// May be set before there is a rank to hold it.
std::atomic<bool> verbose{true};

struct Code {
  int code;
  const char* name;
  const char* description;
};
constexpr Code kCodes[] = {
    {GASNET_OK, "GASNET_OK", "no error"},
    {GASNET_ERR_NOT_INIT, "GASNET_ERR_NOT_INIT",
     "called in the wrong order: not started yet, or started already"},
    {GASNET_ERR_RESOURCE, "GASNET_ERR_RESOURCE", "a resource is exhausted or not available"},
    {GASNET_ERR_BAD_ARG, "GASNET_ERR_BAD_ARG", "an argument is not valid"},
    {GASNET_ERR_NOT_READY, "GASNET_ERR_NOT_READY", "the operation is not complete yet"},
    {GASNET_ERR_BARRIER_MISMATCH, "GASNET_ERR_BARRIER_MISMATCH", "ranks gave different names to one barrier"},
};

const Code* find(int code) {
  for (const Code& known : kCodes) {
    if (known.code == code) return &known;
  }
  return nullptr;
}

}  // namespace

bool verbose_errors() { return verbose.load(std::memory_order_relaxed); }
void set_verbose_errors(bool enable) { verbose.store(enable, std::memory_order_relaxed); }

int returned_error(const char* where, int code, const std::string& reason) {
  if (verbose_errors()) warn(where, "returns %s: %s", gasnet_ErrorName(code), reason.c_str());
  return code;
}

}  // namespace aqueduct::api

using namespace aqueduct::api;

extern "C" {

const char* gasnet_ErrorName(int error) {
  const Code* known = find(error);
  return known ? known->name : "unknown";
}

const char* gasnet_ErrorDesc(int error) {
  const Code* known = find(error);
  return known ? known->description : "not an error code of this library";
}

int gex_System_GetVerboseErrors(void) { return verbose_errors(); }
void gex_System_SetVerboseErrors(int enable) { set_verbose_errors(enable != 0); }

void aq_at_(const char* file, int line) { aqueduct::current_call_site() = {file, line}; }
}
