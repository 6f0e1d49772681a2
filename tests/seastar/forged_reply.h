/* A program of three ranks, of which rank 2 answers a request that went to rank 1, before rank 1 does. */
#pragma once
#ifdef __cplusplus
extern "C" {
#endif

/* Of each rank. Answers how many replies rank 0 got; 1 elsewhere. */
int forged_reply_main(void);

/* By the calling rank: puts an empty reply into each place where `target` could expect one. */
void forge_replies(unsigned target);

#ifdef __cplusplus
}
#endif
