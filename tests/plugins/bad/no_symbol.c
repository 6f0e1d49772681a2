/* A shared object without an entry. It says when it is loaded and when it is not any more. */
#include <unistd.h>

static void say(const char* text, unsigned long bytes) {
  if (write(STDOUT_FILENO, text, bytes) < 0) _exit(3);
}
__attribute__((constructor)) static void come(void) { say("no-symbol comes\n", 16); }
__attribute__((destructor)) static void go(void) { say("no-symbol goes\n", 15); }
