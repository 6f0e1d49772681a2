/* Teams by strides and in two dimensions, the numbers of their PEs, and contexts that count in them. */
#include "check.h"

int main(void) {
  static long word;
  shmem_team_t even = SHMEM_TEAM_WORLD, x, y, backwards;
  shmem_team_config_t config = {3}, found = {0};
  shmem_ctx_t context;
  int me, pes;
  shmem_init();
  me = shmem_my_pe(), pes = shmem_n_pes();
  CHECK_EQUAL(shmem_team_my_pe(SHMEM_TEAM_WORLD), me);
  CHECK_EQUAL(shmem_team_n_pes(SHMEM_TEAM_INVALID), -1);
  CHECK(shmem_team_n_pes(SHMEM_TEAM_SHARED) >= 1);

  CHECK_EQUAL(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (pes + 1) / 2, &config,
                                       SHMEM_TEAM_NUM_CONTEXTS, &even),
              0);
  CHECK_EQUAL(even != SHMEM_TEAM_INVALID, me % 2 == 0);
  if (me % 2 == 0) {
    const int mine = shmem_team_my_pe(even), size = shmem_team_n_pes(even);
    CHECK_EQUAL(mine, me / 2);
    CHECK_EQUAL(shmem_team_translate_pe(even, mine, SHMEM_TEAM_WORLD), me);
    CHECK_EQUAL(shmem_team_translate_pe(SHMEM_TEAM_WORLD, 1 % pes, even), pes == 1 ? 0 : -1);
    CHECK_EQUAL(shmem_team_get_config(even, SHMEM_TEAM_NUM_CONTEXTS, &found), 0);
    CHECK_EQUAL(found.num_contexts, 3);
    word = 0;
    CHECK_EQUAL(shmem_team_sync(even), 0);
    CHECK_EQUAL(shmem_team_create_ctx(even, 0, &context), 0);
    shmem_ctx_long_atomic_add(context, &word, mine + 1, (mine + 1) % size);
    shmem_ctx_quiet(context);
    shmem_team_sync(even);
    CHECK_EQUAL(word, (mine + size - 1) % size + 1);
    CHECK_EQUAL(shmem_ctx_long_g(context, &word, (mine + 1) % size), mine + 1);
    shmem_ctx_destroy(context);
    shmem_team_destroy(even);
  }

  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes + 1, NULL, 0, &even) != 0 &&
        even == SHMEM_TEAM_INVALID);
  CHECK_EQUAL(shmem_team_split_strided(SHMEM_TEAM_WORLD, pes - 1, -1, pes, NULL, 0, &backwards), 0);
  CHECK_EQUAL(shmem_team_my_pe(backwards), pes - 1 - me);
  CHECK_EQUAL(shmem_team_split_2d(backwards, 2, NULL, 0, &x, NULL, 0, &y), 0);
  CHECK_EQUAL(shmem_team_my_pe(x), (pes - 1 - me) % 2);
  CHECK_EQUAL(shmem_team_my_pe(y), (pes - 1 - me) / 2);
  shmem_team_destroy(x);
  shmem_team_destroy(y);
  shmem_team_destroy(backwards);
  shmem_finalize();
  return 0;
}
