#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <initializer_list>

#include "aqueduct/tools/system.h"

extern "C" {

void gasnett_flush_streams(void) {
  std::fflush(stdout);
  std::fflush(stderr);
}

void gasnett_close_streams(void) {
  gasnett_flush_streams();
  // The next files that are opened would get closed descriptor numbers, and later output would go to them.
  const int nowhere = open("/dev/null", O_RDWR);
  if (nowhere < 0) return;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
  if (nowhere > STDERR_FILENO) close(nowhere);
}

}  // extern "C"
