/* Programs that run in a simulation: `aqueduct sim --network seastar-xt4 --nodes 64 ./program.so ARGS`.
 *
 * Such a program is a shared object that defines aqueduct_sim_main() in place of main(). It is called once
 * for each simulated rank, as main() would be in each process of a live job, and calls gex_Client_Init() and
 * everything else as usual. What differs from a live job:
 *
 *   - All ranks are in one process and take turns, so global and static variables are common to all of them.
 *     What belongs to a rank belongs on its stack, on the heap, or in client data (gex_EP_SetCData).
 *   - Time is virtual. It passes only where the library waits or polls, and in aqueduct_sim_compute_ns();
 *     computing as such takes none.
 *   - A rank is alone on its thread: it may not start threads that enter the library.
 *   - Stacks are small (256 KiB unless `--stack` says otherwise).
 *
 * The functions below may also be called in a live job.
 */
#ifndef AQUEDUCT_SIM_H_
#define AQUEDUCT_SIM_H_

#include <stdint.h>

#include "aqueduct/detail/attributes.h"

AQ_BEGIN_C_

/* Defined by the program. What it returns is the rank's exit code. */
__attribute__((__visibility__("default"))) int aqueduct_sim_main(int argc, char** argv);

/* Whether the caller is a simulated rank. */
AQ_API_ int aqueduct_sim_active(void);

/* Nanoseconds from an arbitrary origin: virtual ones in a simulation, else the machine's. */
AQ_API_ uint64_t aqueduct_sim_time_ns(void);

/* Computes for so long: lets virtual time pass, or, in a live job, keeps the processor busy. */
AQ_API_ void aqueduct_sim_compute_ns(uint64_t ns);

/* The seed of the simulation, for programs that behave at random; 0 in a live job. */
AQ_API_ uint64_t aqueduct_sim_seed(void);

AQ_END_C_

#endif
