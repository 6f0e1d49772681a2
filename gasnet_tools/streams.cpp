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
  // Closed numbers would be given to the next files that are opened, and whatever still prints would write
  // there.
  const int nowhere = open("/dev/null", O_RDWR);
  if (nowhere < 0) return;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
  if (nowhere > STDERR_FILENO) close(nowhere);
}

}  // extern "C"
