/* The program, and what it needs of the library's inside, which its client side cannot see. */
#pragma once
#ifdef __cplusplus
extern "C" {
#endif

/* Of each rank. Ends with code 1 in the second audit. */
int lost_credit_main(void);

void join_books(unsigned ranks);
void meet_and_audit(void);
/* The calling rank believes that it holds one more credit of `peer`. */
void make_a_credit_of(unsigned peer);

#ifdef __cplusplus
}
#endif
