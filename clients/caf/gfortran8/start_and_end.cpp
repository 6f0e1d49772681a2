// The start and the end of images, and what they ask about each other.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "clients/caf/images.hpp"
#include "clients/caf/interface/gfortran8.hpp"
#include "clients/caf/job_end.hpp"
#include "clients/caf/random.hpp"
#include "clients/caf/team.hpp"

using namespace aqueduct::caf;

namespace {

/// The numbers of the images of the current team in this state, as an array of the program's kind.
void list_images(StatValue state, Descriptor& array, const int* kind) {
  const int bytes = kind ? *kind : 4;
  int count = 0;
  for (int image = 1; image <= job.team->size; ++image) count += status_of(job.team->rank_of(image)) == state;
  if (!array.base)
    array.base =
        std::malloc(static_cast<std::size_t>(count > 0 ? count : 1) * static_cast<std::size_t>(bytes));
  if (!array.base) fatal("a list of images", "no memory for %d numbers", count);
  char* out = static_cast<char*>(array.base);
  for (int image = 1; image <= job.team->size; ++image) {
    if (status_of(job.team->rank_of(image)) != state) continue;
    const std::int64_t wide = image;
    const auto narrow = static_cast<std::int32_t>(image);
    const auto narrower = static_cast<std::int16_t>(image);
    const auto narrowest = static_cast<std::int8_t>(image);
    const void* const from = bytes == 8   ? static_cast<const void*>(&wide)
                             : bytes == 4 ? static_cast<const void*>(&narrow)
                             : bytes == 2 ? static_cast<const void*>(&narrower)
                                          : static_cast<const void*>(&narrowest);
    __builtin_memcpy(out, from, static_cast<std::size_t>(bytes));
    out += bytes;
  }
  array.dtype.type = TypeCode::kInteger;
  array.dtype.element_bytes = static_cast<std::size_t>(bytes);
  array.span = bytes;
  array.dim[0] = {1, 0, count - 1};
  array.offset = 0;
}

}  // namespace

// Static coarrays were registered and given their first values before main(): from here on others may change
// them.
CAF_ENTRY(void _gfortran_caf_init)(int*, char***) {
  need_job();
  gex_Coll_BarrierBlocking(job.world, 0);
}
CAF_ENTRY(void _gfortran_caf_finalize)() { stop(0); }

CAF_ENTRY(int _gfortran_caf_this_image)(int distance) {
  need_job();
  return ancestor(distance).me;
}
CAF_ENTRY(int _gfortran_caf_num_images)(int distance, int failed) {
  need_job();
  const Team& team = ancestor(distance);
  if (failed < 0 || !job.reports_failures) return failed > 0 ? 0 : team.size;
  int count = 0;
  for (int image = 1; image <= team.size; ++image) count += has_failed(team.rank_of(image));
  return failed ? count : team.size - count;
}

CAF_ENTRY(void _gfortran_caf_stop_numeric)(int code, bool quiet) {
  if (!quiet) {
    flush_units();
    std::fprintf(stderr, "STOP %d\n", code);
  }
  stop(code);
}
CAF_ENTRY(void _gfortran_caf_stop_str)(const char* text, std::size_t length, bool quiet) {
  if (!quiet && length > 0) {
    flush_units();
    std::fprintf(stderr, "STOP %.*s\n", static_cast<int>(length), text);
  }
  stop(0);
}
CAF_ENTRY(void _gfortran_caf_error_stop)(int code, bool quiet) {
  if (!quiet) std::fprintf(stderr, "ERROR STOP %d\n", code);
  error_stop(code);
}
CAF_ENTRY(void _gfortran_caf_error_stop_str)(const char* text, std::size_t length, bool quiet) {
  if (!quiet) std::fprintf(stderr, "ERROR STOP %.*s\n", static_cast<int>(length), text);
  error_stop(1);
}
CAF_ENTRY(void _gfortran_caf_fail_image)() { fail_image(); }

CAF_ENTRY(int _gfortran_caf_image_status)(int image, void*) {
  need_job();
  look_for_departures();
  return status_of(rank_of_image(image, "IMAGE_STATUS"));
}
CAF_ENTRY(void _gfortran_caf_failed_images)(Descriptor* array, void*, int* kind) {
  look_for_departures();
  list_images(kFailedImage, *array, kind);
}
CAF_ENTRY(void _gfortran_caf_stopped_images)(Descriptor* array, void*, int* kind) {
  look_for_departures();
  list_images(kStoppedImage, *array, kind);
}

CAF_ENTRY(void _gfortran_caf_random_init)(bool repeatable, bool image_distinct) {
  random_init(repeatable, image_distinct);
}
