// without_segmentation PROGRAM ARGUMENT...: runs a program on a kernel that knows neither UDP_SEGMENT nor
// UDP_GRO, as far as the program can tell: a filter answers ENOPROTOOPT, as such kernels do. With --check it
// says itself whether that is so.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kUdpSegment = 103, kUdpGro = 104 };

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, member))
#define SKIP_UNLESS(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (count))

static int forget_segmentation(void) {
  // Arguments are 64 bits wide; these are small, and their lower halves come first on the processors that we
  // have.
  struct sock_filter filter[] = {
      LOAD(nr),
      SKIP_UNLESS(SYS_setsockopt, 6),
      LOAD(args[1]),
      SKIP_UNLESS(IPPROTO_UDP, 4),
      LOAD(args[2]),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kUdpSegment, 1, 0),
      SKIP_UNLESS(kUdpGro, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOPROTOOPT),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int is_refused(int name, int value) {
  const int descriptor = socket(AF_INET, SOCK_DGRAM, 0);
  const int result = setsockopt(descriptor, IPPROTO_UDP, name, &value, sizeof value);
  const int error = errno;
  close(descriptor);
  return result != 0 && error == ENOPROTOOPT;
}

int main(int argc, char** argv) {
  if (argc < 2 || !forget_segmentation()) {
    perror("without_segmentation");
    return 2;
  }
  if (strcmp(argv[1], "--check") != 0) {
    execv(argv[1], argv + 1);
    perror(argv[1]);
    return 127;
  }
  int size = 1 << 16;
  const int descriptor = socket(AF_INET, SOCK_DGRAM, 0);
  const int others_work = setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, sizeof size) == 0;
  const int works = others_work && is_refused(kUdpSegment, 0) && is_refused(kUdpGro, 1);
  puts(works ? "UDP_SEGMENT and UDP_GRO are refused, other options are not"
             : "the filter does not do what it should");
  return works ? 0 : 1;
}
