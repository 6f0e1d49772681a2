// Puts and gets of memory on devices, which the stand-in of tests/device has.
#include <aqueduct.hpp>
#include <aqueduct/cxx/device.hpp>
#include <cstdio>
#include <numeric>

aqueduct::task<bool> go_around(aqueduct::job& job, aqueduct::device_memory& gpu) {
  const std::size_t count = 1000;
  const aqueduct::rank_t next = (job.rank() + 1) % job.size(),
                         before = (job.rank() + job.size() - 1) % job.size();
  const auto mine = gpu.allocate<int>(count), from_before = gpu.allocate<int>(count);
  const auto everyones = co_await job.gather_all(from_before);
  const auto segment = aqueduct::allocate<int>(count);
  std::vector<int> host(count), found(count), pattern(count);
  std::iota(host.begin(), host.end(), static_cast<int>(1000 * job.rank()));
  std::iota(pattern.begin(), pattern.end(), static_cast<int>(1000 * before));
  co_await aqueduct::rput(std::span<const int>(host), mine);
  co_await gpu.put(mine, everyones[next], count);
  co_await job.barrier();
  co_await aqueduct::rget(from_before, std::span<int>(found));
  bool is_right = found == pattern;
  co_await gpu.put(from_before, segment.data(), count);
  is_right = is_right && std::ranges::equal(segment.local(), pattern);
  co_await gpu.get(everyones[next], mine, count);
  co_await aqueduct::rget(mine, std::span<int>(found));
  is_right = is_right && found == host;
  bool is_full = false;
  try {
    gpu.allocate<int>(1 << 20);
  } catch (const std::bad_alloc&) {
    is_full = true;
  }
  co_await job.barrier();
  aqueduct::deallocate(segment);
  co_return is_right&& is_full;
}

int main(int argc, char** argv) {
  aqueduct::job job{argc, argv};
  bool is_refused = false;
  try {
    aqueduct::device_memory nowhere{job, aqueduct::device_class::cuda, 1000, 1 << 20};
  } catch (const std::runtime_error&) {
    is_refused = true;
  }
  aqueduct::device_memory gpu{job, aqueduct::device_class::cuda, 0, 1 << 20};
  const bool is_right = aqueduct::run(go_around(job, gpu)) && is_refused;
  std::printf("rank %u: memory of a device %s\n", job.rank(), is_right ? "goes around" : "is wrong");
}
