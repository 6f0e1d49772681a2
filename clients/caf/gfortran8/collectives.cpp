// Collective subroutines. What gfortran passes for errmsg= is the text that is in the variable, in place of
// an address: nothing is stored.
#include "clients/caf/collective.hpp"

using namespace aqueduct::caf;

CAF_ENTRY(void _gfortran_caf_co_broadcast)
(Descriptor* array, int source_image, int* stat, char*, std::size_t) {
  co_broadcast(*array, source_image, {stat});
}
CAF_ENTRY(void _gfortran_caf_co_sum)(Descriptor* array, int result_image, int* stat, char*, std::size_t) {
  co_reduction(Reduction::kSum, *array, result_image, {stat});
}
CAF_ENTRY(void _gfortran_caf_co_min)
(Descriptor* array, int result_image, int* stat, char*, int, std::size_t) {
  co_reduction(Reduction::kMin, *array, result_image, {stat});
}
CAF_ENTRY(void _gfortran_caf_co_max)
(Descriptor* array, int result_image, int* stat, char*, int, std::size_t) {
  co_reduction(Reduction::kMax, *array, result_image, {stat});
}
CAF_ENTRY(void _gfortran_caf_co_reduce)
(Descriptor* array, void* function, int flags, int result_image, int* stat, char*, int text_length,
 std::size_t) {
  co_reduce({function, flags, static_cast<std::size_t>(text_length)}, *array, result_image, {stat});
}
