// What differs from one run of a program to the next, and from one machine to another: random numbers come
// from the simulation's seed, and a process's number, its host and its processors are those of the simulated
// machine.
#include <sched.h>
#include <sys/random.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "sim/engine/random.hpp"
#include "sim/fiber.hpp"
#include "sim/host.hpp"
#include "sim/process/groups.hpp"
#include "sim/process/process.hpp"
#include "world/world.hpp"

namespace aqueduct::sim::process {
namespace {

constexpr long kMemory = long{16} << 30;

std::uint64_t next_number() {
  Process& process = Process::current();
  return mix(mix(world::current().seed() ^ (std::uint64_t{process.rank()} << 32)) + ++process.chance.drawn);
}

ssize_t get_random(void* buffer, std::size_t bytes, unsigned) {
  auto* const to = static_cast<std::byte*>(buffer);
  for (std::size_t done = 0; done < bytes; done += sizeof(std::uint64_t)) {
    const std::uint64_t number = next_number();
    std::memcpy(to + done, &number, std::min(bytes - done, sizeof number));
  }
  return static_cast<ssize_t>(bytes);
}

int get_entropy(void* buffer, std::size_t bytes) {
  get_random(buffer, bytes, 0);
  return 0;
}

std::uint32_t arc4_random() { return static_cast<std::uint32_t>(next_number()); }
void arc4_random_bytes(void* buffer, std::size_t bytes) { get_random(buffer, bytes, 0); }
std::uint32_t arc4_random_below(std::uint32_t limit) {
  return limit == 0 ? 0 : static_cast<std::uint32_t>(next_number() % limit);
}

// std::random_device, which would ask the processor.
void begin_device(void*, const std::string&) {}
void end_device(void*) {}
unsigned device_number(void*) { return static_cast<unsigned>(next_number()); }

// The C library's own generators, with a state for each process.
random_data& numbers() {
  Process::Chance& chance = Process::current().chance;
  if (!std::exchange(chance.numbers_begun, true))
    ::initstate_r(1, chance.numbers_state, sizeof chance.numbers_state, &chance.numbers);
  return chance.numbers;
}

long random_number() {
  std::int32_t number = 0;
  ::random_r(&numbers(), &number);
  return number;
}
int rand_number() { return static_cast<int>(random_number()); }
void seed_numbers(unsigned seed) { ::srandom_r(seed, &numbers()); }

drand48_data& wide_numbers() {
  Process::Chance& chance = Process::current().chance;
  // 48 bits that are not seeded are zero.
  return chance.wide_numbers;
}
double drand48_number() {
  double number = 0;
  ::drand48_r(&wide_numbers(), &number);
  return number;
}
long lrand48_number() {
  long number = 0;
  ::lrand48_r(&wide_numbers(), &number);
  return number;
}
long mrand48_number() {
  long number = 0;
  ::mrand48_r(&wide_numbers(), &number);
  return number;
}
void seed_wide_numbers(long seed) { ::srand48_r(seed, &wide_numbers()); }

pid_t process_number() { return kFirstProcessNumber + static_cast<pid_t>(Process::current().rank()); }
pid_t parent_number() { return kFirstProcessNumber - 1; }

std::string host_name() { return "node" + std::to_string(Fiber::current()->host().node()); }

int get_host_name(char* name, std::size_t bytes) {
  const std::string here = host_name();
  if (here.size() >= bytes) {
    errno = ENAMETOOLONG;
    return -1;
  }
  std::memcpy(name, here.c_str(), here.size() + 1);
  return 0;
}

const char* tool_host_name() {
  std::string& name = Process::current().host_name;
  if (name.empty()) name = host_name();
  return name.c_str();
}
const char* tool_program_name() { return Process::current().path(); }
std::uint64_t tool_memory(int) { return kMemory; }

int describe_system(utsname* system) {
  const int result = ::uname(system);
  get_host_name(system->nodename, sizeof system->nodename);
  return result;
}

int processors() { return static_cast<int>(std::max<unsigned>(world::current().place().cores, 1)); }

long ask_system(int what) {
  constexpr long kPageBytes = 4096;
  switch (what) {
    case _SC_NPROCESSORS_ONLN:
    case _SC_NPROCESSORS_CONF:
      return processors();
    case _SC_PHYS_PAGES:
    case _SC_AVPHYS_PAGES:
      return kMemory / kPageBytes;
    default:
      return ::sysconf(what);
  }
}

int get_affinity(pid_t, std::size_t bytes, cpu_set_t* set) {
  CPU_ZERO_S(bytes, set);
  for (int i = 0; i < processors(); ++i) CPU_SET_S(static_cast<std::size_t>(i), bytes, set);
  return 0;
}
int set_affinity(pid_t, std::size_t, const cpu_set_t*) { return 0; }
int this_processor() {
  const job::Membership& place = world::current().place();
  return static_cast<int>(place.hosts.place(place.rank).local);
}

}  // namespace

OverrideGroup chance_overrides() {
  static const Override table[] = {
      replaces("getrandom", get_random),
      replaces("getentropy", get_entropy),
      replaces("arc4random", arc4_random),
      replaces("arc4random_buf", arc4_random_bytes),
      replaces("arc4random_uniform", arc4_random_below),
      replaces("_ZNSt13random_device7_M_initERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
               begin_device),
      replaces("_ZNSt13random_device7_M_finiEv", end_device),
      replaces("_ZNSt13random_device9_M_getvalEv", device_number),
      replaces("random", random_number),
      replaces("srandom", seed_numbers),
      replaces("rand", rand_number),
      replaces("srand", seed_numbers),
      replaces("drand48", drand48_number),
      replaces("lrand48", lrand48_number),
      replaces("mrand48", mrand48_number),
      replaces("srand48", seed_wide_numbers),
      replaces("getpid", process_number),
      replaces("gettid", process_number),
      replaces("getppid", parent_number),
      replaces("gethostname", get_host_name),
      replaces("gasnett_gethostname", tool_host_name),
      replaces("gasnett_exe_name", tool_program_name),
      replaces("gasnett_cpu_count", processors),
      replaces("gasnett_getPhysMemSz", tool_memory),
      replaces("uname", describe_system),
      replaces("sysconf", ask_system),
      replaces("get_nprocs", processors),
      replaces("get_nprocs_conf", processors),
      replaces("sched_getaffinity", get_affinity),
      replaces("sched_setaffinity", set_affinity),
      replaces("sched_getcpu", this_processor),
  };
  return table;
}

}  // namespace aqueduct::sim::process
