// How the library exports its functions: each as pshmem_X, and as the weak X, in whose place a tool puts its
// own.
#pragma once

// Defines TYPE pshmem_NAME PARAMETERS, of which shmem_NAME is another name; a body follows.
#define SHMEM_EXPORT(TYPE, NAME, PARAMETERS)                                                                \
  extern "C" SHMEM_API_ TYPE pshmem_##NAME PARAMETERS;                                                      \
  extern "C" SHMEM_API_ TYPE shmem_##NAME PARAMETERS __attribute__((__weak__, __alias__("pshmem_" #NAME))); \
  extern "C" SHMEM_API_ TYPE pshmem_##NAME PARAMETERS
