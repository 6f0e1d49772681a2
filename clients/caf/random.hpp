// random_init: seeds of the Fortran runtime's generator.
#pragma once

namespace aqueduct::caf {

/// `repeatable`: the same in each run; `image_distinct`: another one on each image. Collective for neither:
/// images that are to have the same seed, but not the same in each run, take that of image 1, which all of
/// them then must ask for.
void random_init(bool repeatable, bool image_distinct);

}  // namespace aqueduct::caf
