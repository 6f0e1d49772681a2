/* Histogram and index gather by the rules of bale with its conveyors, as clients/cxx/bench/bale.cpp does them
 * with aggregators. Compile it against a build of conveyors over MPI (-DOVER_MPI, mpicc) or over OpenSHMEM
 * (oshcc). Prints the same names. */
#include <convey.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef OVER_MPI
#include <mpi.h>
static int me(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
static int ranks(void) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}
int xmpi_init(int argc, char* argv[]); /* of the library of conveyors */
static void start(int argc, char** argv) { xmpi_init(argc, argv); }
static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void finish(void) { MPI_Finalize(); }
#else
#include <shmem.h>
static int me(void) { return shmem_my_pe(); }
static int ranks(void) { return shmem_n_pes(); }
int xshmem_init(int argc); /* of the library of conveyors */
static void start(int argc, char** argv) {
  (void)argv;
  xshmem_init(argc);
}
static void barrier(void) { shmem_barrier_all(); }
static void finish(void) {
  shmem_barrier_all();
  shmem_global_exit(0);
}
#endif

enum { REPETITIONS = 5, EACH = 10000 };

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}
static int by_size(const void* a, const void* b) {
  return (*(const double*)a > *(const double*)b) - (*(const double*)a < *(const double*)b);
}
static void figure(const char* name, double* times) {
  qsort(times, REPETITIONS, sizeof *times, by_size);
  if (me() == 0) printf("%s %.2f\n", name, times[REPETITIONS / 2]);
}

static int64_t* packed_places(int64_t count) {
  int64_t* places = malloc((size_t)count * sizeof *places);
  uint64_t state = (uint64_t)(me() + 1) * 0x9e3779b97f4a7c15;
  for (int64_t i = 0; i < count; ++i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    int64_t index = (int64_t)((unsigned __int128)state * (uint64_t)(EACH * ranks()) >> 64);
    places[i] = index / ranks() << 20 | index % ranks();
  }
  return places;
}

static void histogram(int64_t count) {
  int64_t* places = packed_places(count);
  int64_t* counts = calloc(EACH, sizeof *counts);
  double times[REPETITIONS];
  for (int repetition = 0; repetition < REPETITIONS; ++repetition) {
    convey_t* updates = convey_new(SIZE_MAX, 0, NULL, convey_opt_SCATTER);
    convey_begin(updates, sizeof(int64_t), 0);
    barrier();
    double begun = now_ns();
    int64_t i = 0, at;
    while (convey_advance(updates, i == count)) {
      for (; i < count; ++i) {
        at = places[i] >> 20;
        if (convey_push(updates, &at, places[i] & 0xfffff) != convey_OK) break;
      }
      while (convey_pull(updates, &at, NULL) == convey_OK) counts[at] += 1;
    }
    barrier();
    times[repetition] = (now_ns() - begun) / (double)count;
    convey_free(updates);
  }
  figure("histogram", times);
  free(counts);
  free(places);
}

typedef struct {
  int64_t number, value;
} item_t;

static void index_gather(int64_t count) {
  int64_t* places = packed_places(count);
  int64_t* found = calloc((size_t)count, sizeof *found);
  int64_t* table = malloc(EACH * sizeof *table);
  for (int64_t i = 0; i < EACH; ++i) table[i] = 3 * (i * ranks() + me());
  double times[REPETITIONS];
  for (int repetition = 0; repetition < REPETITIONS; ++repetition) {
    convey_t* requests = convey_new(SIZE_MAX, 0, NULL, convey_opt_SCATTER);
    convey_t* answers = convey_new(SIZE_MAX, 0, NULL, 0);
    convey_begin(requests, sizeof(item_t), 0);
    convey_begin(answers, sizeof(item_t), 0);
    barrier();
    double begun = now_ns();
    int64_t i = 0, from;
    item_t item;
    for (;;) {
      int more = convey_advance(requests, i == count);
      int more_answers = convey_advance(answers, !more);
      if (!more && !more_answers) break;
      for (; i < count; ++i) {
        item = (item_t){i, places[i] >> 20};
        if (convey_push(requests, &item, places[i] & 0xfffff) != convey_OK) break;
      }
      while (convey_pull(requests, &item, &from) == convey_OK) {
        item.value = table[item.value];
        if (convey_push(answers, &item, from) != convey_OK) {
          convey_unpull(requests);
          break;
        }
      }
      while (convey_pull(answers, &item, NULL) == convey_OK) found[item.number] = item.value;
    }
    barrier();
    times[repetition] = (now_ns() - begun) / (double)count;
    convey_free(requests);
    convey_free(answers);
  }
  for (int64_t i = 0; i < count; ++i) {
    if (found[i] != 3 * ((places[i] >> 20) * ranks() + (places[i] & 0xfffff))) puts("a wrong element");
  }
  figure("index-gather", times);
  free(table);
  free(found);
  free(places);
}

int main(int argc, char** argv) {
  start(argc, argv);
  int64_t count = argc > 1 ? strtol(argv[1], NULL, 10) : 5000000;
  histogram(count);
  index_gather(count);
  finish();
  return 0;
}
