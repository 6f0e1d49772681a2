/* The checking allocator, while nothing is wrong. What it finds when something is: misuse.cpp. */
#include <string.h>

#include "../support/check.h"
#include "gasnet_tools.h"

int main(void) {
  gasnett_heapstats_t before, during, after;
  gasnett_setenv("GASNET_MALLOC_INIT", "1");
  gasnett_setenv("GASNET_MALLOC_INITVAL", "0x5a");
  gasnett_setenv("GASNET_MALLOC_EXTRACHECK", "1");
  gasnett_getheapstats(&before);
  CHECK(before.live_objects == 0);

  unsigned char* block = (unsigned char*)gasnett_debug_malloc(100);
  for (int at = 0; at < 100; ++at) CHECK(block[at] == 0x5a);
  CHECK((uintptr_t)block % 16 == 0);
  memset(block, 1, 100);
  gasnett_debug_memcheck(block);
  block = (unsigned char*)gasnett_debug_realloc(block, 5000);
  CHECK(block[0] == 1 && block[99] == 1 && block[100] == 0x5a);
  block = (unsigned char*)gasnett_debug_realloc(block, 10);
  CHECK(block[9] == 1);

  unsigned char* zeros = (unsigned char*)gasnett_debug_calloc(10, 20);
  for (int at = 0; at < 200; ++at) CHECK(zeros[at] == 0);
  char* text = gasnett_debug_strdup("some text");
  CHECK(strcmp(text, "some text") == 0);
  char* start = gasnett_debug_strndup(text, 4);
  CHECK(strcmp(start, "some") == 0);
  char* all = gasnett_debug_strndup(text, 400);
  CHECK(strcmp(all, text) == 0);
  void* empty = gasnett_debug_malloc(0);
  CHECK(empty != NULL);
  for (int step = 0; step < 20; ++step) gasnett_debug_memcheck_one();
  gasnett_debug_memcheck_all();

  gasnett_getheapstats(&during);
  CHECK(during.live_objects == 6 && during.live_bytes == 10 + 200 + 10 + 5 + 10 + 0);
  CHECK(during.live_bytes_max >= 5000 && during.live_objects_max >= 6 && during.overhead_bytes > 0);
  CHECK(gasnett_heapinfo_dump("stdout", 1) == 0);
  CHECK(gasnett_heapinfo_dump("/nowhere/at/all", 1) != 0);

  gasnett_debug_free(block);
  gasnett_debug_free(zeros);
  gasnett_debug_free(text);
  gasnett_debug_free(start);
  gasnett_debug_free(all);
  gasnett_debug_free(empty);
  gasnett_debug_free(NULL);
  gasnett_getheapstats(&after);
  CHECK(after.live_objects == 0 && after.live_bytes == 0 && after.overhead_bytes == 0);
  CHECK(after.allocated_objects == after.freed_objects && after.allocated_bytes == after.freed_bytes);
  return 0;
}
