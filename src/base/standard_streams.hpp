// The descriptors 0, 1 and 2 of a process that was started without some of them (`program >&-`).
//
// The next file that is opened would take the place of one that is missing, and what the program prints would
// go into it: into the shared memory of a job, say.
#pragma once

namespace aqueduct {

/// Takes the places of those that are closed, so that nothing else gets them. What is written there fails as
/// before, with EBADF, and so does what is read. For the beginning of a process; any number of times.
void keep_standard_descriptors();

}  // namespace aqueduct
