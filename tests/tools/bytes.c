/* Zeros are counted at every alignment and length, copies are exact, and checksums tell data apart. */
#include <string.h>

#include "../support/check.h"
#include "gasnet_tools.h"

enum { kRoom = 96 };

static void test_areas(void) {
  unsigned char source[kRoom], copy[kRoom];
  for (int at = 0; at < kRoom; ++at) source[at] = (unsigned char)(at % 3 == 0 ? 0 : at % 5 == 0 ? 0x80 : at);
  for (size_t from = 0; from < 9; ++from) {
    for (size_t to = 1; to < 9; ++to) {
      for (size_t length = 0; length < 40; ++length) {
        size_t zeros = 0;
        for (size_t at = from; at < from + length; ++at) zeros += source[at] == 0;
        memset(copy, 0xee, sizeof copy);
        CHECK(gasnett_count0s(source + from, length) == zeros);
        CHECK(gasnett_count0s_copy(copy + to, source + from, length) == zeros);
        CHECK(memcmp(copy + to, source + from, length) == 0);
        CHECK(copy[to - 1] == 0xee && copy[to + length] == 0xee);
      }
    }
  }
}

/* Longer than the counters inside can count without help. */
static void test_long_areas(void) {
  static unsigned char source[5000], copy[5000];
  for (size_t length = 2000; length <= sizeof source; length += 333) {
    CHECK(gasnett_count0s(source, length) == length);
    CHECK(gasnett_count0s_copy(copy, source, length) == length);
  }
  memset(source, 0x7f, sizeof source);
  CHECK(gasnett_count0s(source, sizeof source) == 0);
  CHECK(gasnett_count0s_copy(copy, source, sizeof source) == 0);
  CHECK(memcmp(copy, source, sizeof source) == 0);
}

static void test_numbers(void) {
  CHECK(gasnett_count0s_uint32_t(0) == 4 && gasnett_count0s_uint64_t(0) == 8);
  CHECK(gasnett_count0s_uintptr_t(0) == (int)sizeof(uintptr_t));
  CHECK(gasnett_count0s_uint32_t(UINT32_MAX) == 0 && gasnett_count0s_uint64_t(UINT64_MAX) == 0);
  CHECK(gasnett_count0s_uint32_t(0x80008001u) == 1);
  CHECK(gasnett_count0s_uint64_t(0x0100ff0080000001u) == 4);
  for (int bit = 0; bit < 64; ++bit) {
    CHECK(gasnett_count0s_uint64_t((uint64_t)1 << bit) == 7);
    CHECK(gasnett_count0s_uintptr_t((uintptr_t)1 << bit % (8 * sizeof(uintptr_t))) ==
          (int)sizeof(uintptr_t) - 1);
    CHECK(gasnett_count0s_uint32_t((uint32_t)1 << bit % 32) == 3);
  }
}

static void test_checksum(void) {
  unsigned char data[kRoom], moved[kRoom + 1];
  for (int at = 0; at < kRoom; ++at) data[at] = (unsigned char)(7 * at);
  for (int length = 0; length < kRoom; ++length) {
    memcpy(moved + 1, data, (size_t)length);
    const uint64_t sum = gasnett_checksum(data, length);
    CHECK(gasnett_checksum(moved + 1, length) == sum);
    CHECK(gasnett_checksum(data, length + 1) != sum);
    for (int at = 0; at < length; ++at) {
      moved[1 + at] ^= 0x10;
      CHECK(gasnett_checksum(moved + 1, length) != sum);
      moved[1 + at] ^= 0x10;
    }
  }
  memset(moved, 0, sizeof moved);
  CHECK(gasnett_checksum(moved, 8) != gasnett_checksum(moved, 16));
  CHECK(gasnett_checksum(data, 16) ==
        0x9324e7cfa4d9a798u); /* the same on every machine and in every release */
}

int main(void) {
  test_areas();
  test_long_areas();
  test_numbers();
  test_checksum();
  return 0;
}
