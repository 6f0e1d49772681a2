#include "sim/process/computing.hpp"

#include <sys/mman.h>
#include <time.h>

#include <cstddef>
#include <cstring>

#include "base/fatal.hpp"
#include "sim/process/process.hpp"
#include "world/world.hpp"

namespace aqueduct::sim::process {
namespace {

ComputeModel model;
std::uint64_t last_look_ns = 0;

std::uint64_t real_ns() {
  timespec now;
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

void charge_call() {
  if (!Thread::current()) return;
  if (model.kind == ComputeModel::Kind::kFixed) world::current().compute(model.ns);
  charge_measured();
}

/// Room for code.
std::byte* take_room(std::size_t bytes) {
  constexpr std::size_t kBlock = std::size_t{64} << 10;
  static std::byte* block = nullptr;
  static std::size_t left = 0;
  if (left < bytes) {
    void* const mapped =
        ::mmap(nullptr, kBlock, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) fatal("simulation", "--compute: the system allows no code that is made here");
    block = static_cast<std::byte*>(mapped);
    left = kBlock;
  }
  left -= bytes;
  return block + left;
}

}  // namespace

void set_compute_model(const ComputeModel& chosen) { model = chosen; }

void* wrapped(void* function) {
  if (model.kind == ComputeModel::Kind::kFree) return function;
  // push rdi, rsi, rdx, rcx, r8, r9, rax; mov rax, charge_call; call rax; pop them; mov r11, function; jmp
  // r11
  unsigned char code[] = {0x57, 0x56, 0x52, 0x51, 0x41, 0x50, 0x41, 0x51, 0x50, 0x48, 0xb8,
                          0,    0,    0,    0,    0,    0,    0,    0,    0xff, 0xd0, 0x58,
                          0x41, 0x59, 0x41, 0x58, 0x59, 0x5a, 0x5e, 0x5f, 0x49, 0xbb, 0,
                          0,    0,    0,    0,    0,    0,    0,    0x41, 0xff, 0xe3};
  constexpr std::size_t kCallee = 11, kFunction = 32;
  void (*const callee)() = charge_call;
  std::memcpy(code + kCallee, &callee, sizeof callee);
  std::memcpy(code + kFunction, &function, sizeof function);
  std::byte* const room = take_room((sizeof code + 15) / 16 * 16);
  std::memcpy(room, code, sizeof code);
  return room;
}

void begin_measuring() {
  if (model.kind == ComputeModel::Kind::kMeasured) last_look_ns = real_ns();
}

void charge_measured() {
  if (model.kind != ComputeModel::Kind::kMeasured) return;
  const std::uint64_t now = real_ns();
  const auto ns = static_cast<std::uint64_t>(static_cast<double>(now - last_look_ns) * model.scale);
  world::current().compute(ns);
  last_look_ns = real_ns();
}

}  // namespace aqueduct::sim::process
