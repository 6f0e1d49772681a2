// The typed functions in C++, also where objects are made before shmem_init and destroyed after
// shmem_finalize.
#include <complex>
#include <vector>

#include "check.h"

namespace {

struct Counter {
  int value = 5;
  std::vector<int> numbers{1, 2, 3};
  ~Counter() {
    if (value != 6 || numbers.size() != 4) std::_Exit(9);
  }
};
Counter counter;
std::complex<double> sum, mine(1, 2);

}  // namespace

int main() {
  shmem_init();
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  counter.numbers.push_back(4);
  shmem_barrier_all();
  shmem_int_atomic_inc(&counter.value, right);
  shmem_barrier_all();
  CHECK_EQUAL(counter.value, 6);
  shmem_complexd_sum_reduce(SHMEM_TEAM_WORLD, reinterpret_cast<double _Complex*>(&sum),
                            reinterpret_cast<double _Complex*>(&mine), 1);
  CHECK(sum == std::complex<double>(shmem_n_pes(), 2 * shmem_n_pes()));
  auto* const function = &shmem_long_p;
  static long word;
  function(&word, 7, right);
  shmem_barrier_all();
  CHECK_EQUAL(word, 7);
  shmem_finalize();
}
