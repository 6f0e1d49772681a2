// Programs of gfortran 15 and later call functions that these programs do not have, one of them before main()
// in each program, and pass other arguments to some that they share. Linked with this library, by pkg-config
// for instance, they say so at their start in place of failing somewhere.
#include "clients/caf/error.hpp"
#include "clients/caf/interface/gfortran8.hpp"
#include "clients/caf/job.hpp"

using namespace aqueduct::caf;

namespace {

[[noreturn]] void refuse() {
  need_job();
  if (job.rank == 0)
    fatal("the start",
          "gfortran 15 or later has compiled this program; there is a library for the interface of gfortran "
          "8 to 14");
  for (;;) gasnet_AMPoll();  // until that ends the job
}

}  // namespace

CAF_ENTRY(void _gfortran_caf_register_accessor)() { refuse(); }
CAF_ENTRY(void _gfortran_caf_register_accessors_finish)() { refuse(); }
CAF_ENTRY(void _gfortran_caf_get_remote_function_index)() { refuse(); }
CAF_ENTRY(void _gfortran_caf_get_from_remote)() { refuse(); }
CAF_ENTRY(void _gfortran_caf_send_to_remote)() { refuse(); }
CAF_ENTRY(void _gfortran_caf_transfer_between_remotes)() { refuse(); }
CAF_ENTRY(void _gfortran_caf_is_present_on_remote)() { refuse(); }
