/* For performance programs that use teams, compiled against an implementation of OpenSHMEM 1.4, which has
 * none: what they need of teams in a job of two PEs, where a half is one PE. Nothing for later versions. */
#ifndef AQUEDUCT_SHMEM_BENCH_TEAMS_OF_TWO_H_
#define AQUEDUCT_SHMEM_BENCH_TEAMS_OF_TWO_H_

#include <shmem.h>

#if SHMEM_MAJOR_VERSION == 1 && SHMEM_MINOR_VERSION < 5
#include <stddef.h>

/* 0: none; 1: this PE alone; 2: both. */
typedef int shmem_team_t;
#define SHMEM_TEAM_INVALID 0
#define SHMEM_TEAM_WORLD 2

static inline int shmem_team_split_strided(shmem_team_t parent, int start, int stride, int size,
                                           const void* config, long mask, shmem_team_t* made) {
  (void)parent, (void)stride, (void)config, (void)mask;
  *made = size == 2 ? SHMEM_TEAM_WORLD : start == shmem_my_pe() ? 1 : SHMEM_TEAM_INVALID;
  return 0;
}
static inline void shmem_team_destroy(shmem_team_t team) { (void)team; }
static inline int shmem_team_sync(shmem_team_t team) {
  if (team == SHMEM_TEAM_WORLD) shmem_sync_all();
  return 0;
}
static inline int shmem_char_fcollect(shmem_team_t team, char* to, const char* from, size_t n) {
  const int me = team == SHMEM_TEAM_WORLD ? shmem_my_pe() : 0;
  shmem_putmem(to + (size_t)me * n, from, n, shmem_my_pe());
  if (team == SHMEM_TEAM_WORLD) shmem_putmem(to + (size_t)me * n, from, n, 1 - me), shmem_barrier_all();
  return 0;
}
/* The programs reduce in teams of one. */
#define TEAMS_OF_TWO_REDUCE_(NAME)                                                                  \
  static inline int shmem_double_##NAME##_reduce(shmem_team_t team, double* to, const double* from, \
                                                 size_t n) {                                        \
    if (team == SHMEM_TEAM_WORLD) shmem_global_exit(3);                                             \
    for (size_t i = 0; i < n; ++i) to[i] = from[i];                                                 \
    return 0;                                                                                       \
  }
TEAMS_OF_TWO_REDUCE_(min)
TEAMS_OF_TWO_REDUCE_(max)
TEAMS_OF_TWO_REDUCE_(sum)
#endif

#endif
