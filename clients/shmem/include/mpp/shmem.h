/* The place where programs for Cray's and SGI's SHMEM look for it. */
#ifndef AQUEDUCT_MPP_SHMEM_H_
#define AQUEDUCT_MPP_SHMEM_H_

#include <shmem.h>

#endif
