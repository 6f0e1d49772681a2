/* Teams. Making and destroying them is collective over the parent team; a PE outside the new team gets
 * SHMEM_TEAM_INVALID. The result is 0, or not if a team could not be made. */
#ifndef AQUEDUCT_SHMEM_TEAMS_H_
#define AQUEDUCT_SHMEM_TEAMS_H_

#include "shmem/types.h"

SHMEM_BEGIN_C_

SHMEM_API_ int shmem_team_my_pe(shmem_team_t team); /* -1 for SHMEM_TEAM_INVALID */
SHMEM_API_ int shmem_team_n_pes(shmem_team_t team);
SHMEM_API_ int shmem_team_get_config(shmem_team_t team, long config_mask, shmem_team_config_t* config);
SHMEM_API_ int shmem_team_translate_pe(shmem_team_t src_team, int src_pe, shmem_team_t dest_team);
SHMEM_API_ int shmem_team_split_strided(shmem_team_t parent_team, int start, int stride, int size,
                                        const shmem_team_config_t* config, long config_mask,
                                        shmem_team_t* new_team);
SHMEM_API_ int shmem_team_split_2d(shmem_team_t parent_team, int xrange,
                                   const shmem_team_config_t* xaxis_config, long xaxis_mask,
                                   shmem_team_t* xaxis_team, const shmem_team_config_t* yaxis_config,
                                   long yaxis_mask, shmem_team_t* yaxis_team);
SHMEM_API_ void shmem_team_destroy(shmem_team_t team);
SHMEM_API_ int shmem_team_sync(shmem_team_t team);

SHMEM_END_C_

#endif
