// Whether the processor has neither AVX nor instructions for AES, as programs see it.
#include <stdio.h>

int main(void) {
  const int has_avx = __builtin_cpu_supports("avx") != 0, has_aes = __builtin_cpu_supports("aes") != 0;
  printf("AVX: %s, AES: %s\n", has_avx ? "yes" : "no", has_aes ? "yes" : "no");
  return has_avx || has_aes;
}
