// Coarrays begin and end.
#include "clients/caf/coarray.hpp"

using namespace aqueduct::caf;

CAF_ENTRY(void _gfortran_caf_register)
(std::size_t bytes, Registration kind, void** token, Descriptor* descriptor, int* stat, char* message,
 std::size_t message_bytes) {
  need_job();
  register_coarray(bytes, kind, token, descriptor, {stat, message, message_bytes});
}

CAF_ENTRY(void _gfortran_caf_deregister)
(void** token, Deregistration kind, int* stat, char* message, std::size_t message_bytes) {
  deregister_coarray(token, kind, {stat, message, message_bytes});
}
