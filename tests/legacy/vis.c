/* Vector, indexed and strided transfers, in all their forms, to the next node. */
#include <string.h>

#include "legacy.h"

enum { kRows = 5, kColumns = 7, kPitch = 16 };

static unsigned char pattern[kRows][kPitch], back[kRows][kPitch];

/* Where the matrix lies in the next node's segment. */
static unsigned char* there(void) { return (unsigned char*)segments[next].addr + 256; }

static void fresh_pattern(void) {
  static unsigned char turn = 0;
  int row, column;
  ++turn;
  for (row = 0; row < kRows; ++row)
    for (column = 0; column < kPitch; ++column)
      pattern[row][column] = (unsigned char)(turn * 31 + row * 16 + column);
  memset(back, 0, sizeof back);
  gasnet_memset(next, there(), 0, sizeof pattern);
}

/* The first columns have come back, and the rest was not touched. */
static void expect_matrix(void) {
  int row, column;
  for (row = 0; row < kRows; ++row)
    for (column = 0; column < kPitch; ++column)
      CHECK(back[row][column] == (column < kColumns ? pattern[row][column] : 0));
}

void check_vectors(void) {
  gasnet_memvec_t here[kRows], away[kRows], home[kRows];
  void *here_list[kRows], *away_list[kRows], *home_list[kRows];
  const size_t strides[1] = {kPitch};
  const size_t count[2] = {kColumns, kRows};
  int row, form;
  for (row = 0; row < kRows; ++row) {
    here[row].addr = here_list[row] = pattern[row];
    away[row].addr = away_list[row] = there() + row * kPitch;
    home[row].addr = home_list[row] = back[row];
    here[row].len = away[row].len = home[row].len = kColumns;
  }
  for (form = 0; form < 9; ++form) {
    fresh_pattern();
    switch (form) {
      case 0:
        gasnet_putv_bulk(next, kRows, away, kRows, here);
        gasnet_getv_bulk(kRows, home, next, kRows, away);
        break;
      case 1:
        gasnet_wait_syncnb(gasnet_putv_nb_bulk(next, kRows, away, kRows, here));
        gasnet_wait_syncnb(gasnet_getv_nb_bulk(kRows, home, next, kRows, away));
        break;
      case 2:
        gasnet_putv_nbi_bulk(next, kRows, away, kRows, here);
        gasnet_wait_syncnbi_puts();
        gasnet_getv_nbi_bulk(kRows, home, next, kRows, away);
        gasnet_wait_syncnbi_gets();
        break;
      case 3:
        gasnet_puti_bulk(next, kRows, away_list, kColumns, kRows, here_list, kColumns);
        gasnet_geti_bulk(kRows, home_list, kColumns, next, kRows, away_list, kColumns);
        break;
      case 4:
        gasnet_wait_syncnb(gasnet_puti_nb_bulk(next, kRows, away_list, kColumns, kRows, here_list, kColumns));
        gasnet_wait_syncnb(gasnet_geti_nb_bulk(kRows, home_list, kColumns, next, kRows, away_list, kColumns));
        break;
      case 5:
        gasnet_puti_nbi_bulk(next, kRows, away_list, kColumns, kRows, here_list, kColumns);
        gasnet_wait_syncnbi_puts();
        gasnet_geti_nbi_bulk(kRows, home_list, kColumns, next, kRows, away_list, kColumns);
        gasnet_wait_syncnbi_gets();
        break;
      case 6:
        gasnet_puts_bulk(next, there(), strides, pattern, strides, count, 1);
        gasnet_gets_bulk(back, strides, next, there(), strides, count, 1);
        break;
      case 7:
        gasnet_wait_syncnb(gasnet_puts_nb_bulk(next, there(), strides, pattern, strides, count, 1));
        gasnet_wait_syncnb(gasnet_gets_nb_bulk(back, strides, next, there(), strides, count, 1));
        break;
      case 8:
        gasnet_puts_nbi_bulk(next, there(), strides, pattern, strides, count, 1);
        gasnet_wait_syncnbi_all();
        gasnet_gets_nbi_bulk(back, strides, next, there(), strides, count, 1);
        gasnet_wait_syncnbi_all();
        break;
    }
    expect_matrix();
  }
}
