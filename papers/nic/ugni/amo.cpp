#include "papers/nic/ugni/amo.hpp"

#include <algorithm>
#include <bit>

namespace aqueduct::ugni {
namespace {

using Operation = AmoCommand::Operation;

constexpr std::uint32_t kPutType = 0x100, kHalf = 0x200, kFirstCached = 0x10, kSecondCached = 0x20;

/// Decodes a code without width, direction and cache.
std::optional<Operation> first_generation(std::uint32_t code) {
  switch (code) {
    case 0x8:
      return Operation::kAdd;
    case 0x9:
      return Operation::kAnd;
    case 0xa:
      return Operation::kOr;
    case 0xb:
      return Operation::kXor;
    case 0xc:
      return Operation::kAndXor;
    case 0xd:
      return Operation::kCompareSwap;
    default:
      return std::nullopt;
  }
}

std::optional<Operation> second_generation(std::uint32_t code) {
  switch (code) {
    case 0x40:
      return Operation::kAnd;
    case 0x42:
      return Operation::kOr;
    case 0x44:
      return Operation::kXor;
    case 0x46:
      return Operation::kSwap;
    case 0x48:
      return Operation::kAndXor;
    case 0x4a:
      return Operation::kCompareSwap;
    case 0x50:
      return Operation::kMin;
    case 0x52:
      return Operation::kMax;
    case 0x54:
      return Operation::kAdd;
    case 0x58:
      return Operation::kFloatMin;
    case 0x5a:
      return Operation::kFloatMax;
    case 0x5c:
      return Operation::kFloatAdd;
    default:
      return std::nullopt;
  }
}

template <class Word, class Signed, class Float>
Word result_of(Operation operation, Word old, Word first, Word second) {
  const auto number = [](Word word) { return static_cast<Signed>(word); };
  const auto real = [](Word word) { return std::bit_cast<Float>(word); };
  switch (operation) {
    case Operation::kAdd:
      return old + first;
    case Operation::kAnd:
      return old & first;
    case Operation::kOr:
      return old | first;
    case Operation::kXor:
      return old ^ first;
    case Operation::kSwap:
      return first;
    case Operation::kAndXor:
      return (old & first) ^ second;
    case Operation::kCompareSwap:
      return old == first ? second : old;
    case Operation::kMin:
      return static_cast<Word>(std::min(number(old), number(first)));
    case Operation::kMax:
      return static_cast<Word>(std::max(number(old), number(first)));
    case Operation::kFloatMin:
      return std::bit_cast<Word>(std::min(real(old), real(first)));
    case Operation::kFloatMax:
      return std::bit_cast<Word>(std::max(real(old), real(first)));
    case Operation::kFloatAdd:
      return std::bit_cast<Word>(real(old) + real(first));
  }
  return old;
}

template <class Word, class Signed, class Float>
Word apply(Operation operation, void* place, Word first, Word second) {
  Word* const word = static_cast<Word*>(place);
  Word old = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &old,
                                      result_of<Word, Signed, Float>(operation, old, first, second), true,
                                      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
  }
  return old;
}

}  // namespace

std::optional<AmoCommand> AmoCommand::decode(std::uint32_t command) {
  AmoCommand decoded;
  decoded.fetches = (command & kPutType) == 0;
  command &= ~kPutType;
  std::optional<Operation> operation;
  if (command < 0x40) {
    decoded.is_cached = (command & kFirstCached) != 0;
    operation = first_generation(command & ~kFirstCached);
    // Compare-and-swap of this generation has a fetching form only.
    if (operation == Operation::kCompareSwap && !decoded.fetches) return std::nullopt;
  } else {
    const bool is_half = (command & kHalf) != 0;
    if (is_half == ((command & 1) != 0)) return std::nullopt;
    decoded.bytes = is_half ? 4 : 8;
    decoded.is_cached = (command & kSecondCached) != 0;
    operation = second_generation(command & ~(kHalf | kSecondCached | 1));
  }
  if (!operation) return std::nullopt;
  decoded.operation = *operation;
  return decoded;
}

std::uint64_t apply_amo(const AmoCommand& command, void* place, std::uint64_t first, std::uint64_t second) {
  if (command.bytes == 8) {
    return apply<std::uint64_t, std::int64_t, double>(command.operation, place, first, second);
  }
  return apply<std::uint32_t, std::int32_t, float>(
      command.operation, place, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second));
}

}  // namespace aqueduct::ugni
