// Calling the program's function for co_reduce. How gfortran passes results and arguments:
//
//   numbers, logicals  the result is that of a C function; arguments are addresses, or values if they have VALUE
//   characters         (result, length, left, right, length, length), nothing returned
//   derived types      the result is a C structure: beyond 16 bytes the first argument says where it goes. Smaller ones come
//                      in registers that depend on their components, which nobody tells us.
#include <cstring>

#include "clients/caf/element_operations.hpp"
#include "clients/caf/scratch.hpp"

namespace aqueduct::caf {
namespace {

template <class T>
void apply_by_value(const UserContext& context, const char* left, char* right_and_result) {
  T a, b;
  std::memcpy(&a, left, sizeof a);
  std::memcpy(&b, right_and_result, sizeof b);
  b = reinterpret_cast<T (*)(T, T)>(context.operation.function)(a, b);
  std::memcpy(right_and_result, &b, sizeof b);
}

template <class T>
void apply_by_address(const UserContext& context, const char* left, char* right_and_result) {
  const T result =
      reinterpret_cast<T (*)(const void*, const void*)>(context.operation.function)(left, right_and_result);
  std::memcpy(right_and_result, &result, sizeof result);
}

void apply_to_text(const UserContext& context, const char* left, char* right_and_result) {
  using Function = void (*)(char*, std::size_t, const char*, const char*, std::size_t, std::size_t);
  const std::size_t length = context.operation.text_length;
  Scratch scratch;
  char* const result = scratch.take(context.element_bytes);
  reinterpret_cast<Function>(context.operation.function)(result, length, left, right_and_result, length,
                                                         length);
  std::memcpy(right_and_result, result, context.element_bytes);
}

void apply_to_object(const UserContext& context, const char* left, char* right_and_result) {
  Scratch scratch;
  char* const result = scratch.take(context.element_bytes);
  reinterpret_cast<void (*)(char*, const char*, const char*)>(context.operation.function)(result, left,
                                                                                          right_and_result);
  std::memcpy(right_and_result, result, context.element_bytes);
}

template <class T>
bool use(UserContext& context) {
  context.apply = context.operation.flags & kArgumentsByValue ? apply_by_value<T> : apply_by_address<T>;
  return true;
}

bool prepare_integer(UserContext& context) {
  switch (context.element_bytes) {
    case 1:
      return use<std::int8_t>(context);
    case 2:
      return use<std::int16_t>(context);
    case 4:
      return use<std::int32_t>(context);
    case 8:
      return use<std::int64_t>(context);
    case 16:
      return use<__int128>(context);
    default:
      return false;
  }
}

void apply_to_all(const void* left, void* right_and_result, std::size_t count, const void* data) {
  const auto& context = *static_cast<const UserContext*>(data);
  const auto* in = static_cast<const char*>(left);
  auto* out = static_cast<char*>(right_and_result);
  for (std::size_t i = 0; i < count; ++i, in += context.element_bytes, out += context.element_bytes)
    context.apply(context, in, out);
}

}  // namespace

bool prepare(UserContext& context) {
  const std::size_t bytes = context.element_bytes;
  switch (context.type) {
    case TypeCode::kInteger:
    case TypeCode::kLogical:
      return prepare_integer(context);
    case TypeCode::kReal:
      return bytes == 4 ? use<float>(context) : bytes == 8 && use<double>(context);
    case TypeCode::kComplex:
      return bytes == 8 ? use<__complex__ float>(context) : bytes == 16 && use<__complex__ double>(context);
    case TypeCode::kCharacter:
      context.apply = apply_to_text;
      return true;
    default:
      context.apply = apply_to_object;
      return bytes > 16 && !(context.operation.flags & kArgumentsByValue);
  }
}

ElementOperation operation_of(UserContext& context) {
  return {GEX_DT_USER, GEX_OP_USER, apply_to_all, &context, 1};
}

}  // namespace aqueduct::caf
