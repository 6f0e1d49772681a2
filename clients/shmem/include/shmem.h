/* OpenSHMEM 1.6, and what earlier versions had, over Aqueduct.
 *
 *   #include <shmem.h>
 *   #include <stdio.h>
 *
 *   static long from = -1;                 // static and global variables are symmetric
 *
 *   int main(void) {
 *     shmem_init();
 *     shmem_long_p(&from, shmem_my_pe(), (shmem_my_pe() + 1) % shmem_n_pes());
 *     shmem_barrier_all();
 *     printf("PE %d was written to by PE %ld\n", shmem_my_pe(), from);
 *     shmem_finalize();
 *   }
 *
 *   aqueduct-oshcc ring.c -o ring && aqueduct-oshrun -n 3 ./ring
 *
 * What goes wrong is one line on stderr, and ends the job: an address that is not symmetric, a PE that does
 * not exist, a call before shmem_init.
 */
#ifndef AQUEDUCT_SHMEM_H_
#define AQUEDUCT_SHMEM_H_

#include "shmem/atomics.h"
#include "shmem/collectives.h"
#include "shmem/generic.h"
#include "shmem/inline.h"
#include "shmem/job.h"
#include "shmem/rma.h"
#include "shmem/sync.h"
#include "shmem/teams.h"
#include "shmem/types.h"

/* Python's shmem4py takes implementations that it does not know for old ones. By these names it knows one
 * that has all of version 1.5. */
#define SHMEM_DEF_H
#define SHMEM_FUNCTION_ATTRIBUTES

#endif
