// The interface between programs that gfortran 8 to 14 compiles with -fcoarray=lib and their library, as
// GCC's manual
// ("Coarray Programming") and the compiler's own calls (-fdump-tree-original) define it: layouts and
// constants. The functions are in clients/caf/gfortran8, which holds nothing else, as a library of its own:
// later compilers have other functions, some of them under the same names. What all of them do is in
// clients/caf.
#pragma once
#include <cstddef>
#include <cstdint>

#define CAF_ENTRY(name) extern "C" __attribute__((visibility("default"))) name

namespace aqueduct::caf {

/// Element types of descriptors.
enum class TypeCode : signed char {
  kInteger = 1,
  kLogical = 2,
  kReal = 3,
  kComplex = 4,
  kDerived = 5,
  kCharacter = 6
};

inline constexpr int kMaxRank = 15;

/// An array (or, with rank 0, a scalar) in memory. Bounds are inclusive and strides in elements.
struct Descriptor {
  struct Dimension {
    std::ptrdiff_t stride, lower, upper;
    std::ptrdiff_t extent() const { return upper >= lower ? upper - lower + 1 : 0; }
  };
  void* base;
  std::size_t offset;
  struct {
    std::size_t element_bytes;
    int version;
    signed char rank;
    TypeCode type;
    short attribute;
  } dtype;
  std::ptrdiff_t span;      ///< bytes from one element to the next; not set in all descriptors
  Dimension dim[kMaxRank];  ///< as many as the rank says; there is no memory behind those
};
static_assert(offsetof(Descriptor, dim) == 40);

/// How one dimension of a section is subscripted: by `count` indices, or, if that is 0, by a triplet.
struct VectorSubscript {
  std::size_t count;
  union {
    struct {
      void* indices;
      int kind;
    } vector;
    struct {
      std::ptrdiff_t lower, upper, stride;
    } triplet;
  };
};
static_assert(sizeof(VectorSubscript) == 32);

/// One step from a coarray to a part of it: a component, or elements of an array that has a descriptor or has
/// none.
struct Reference {
  enum Kind : int { kComponent, kArray, kStaticArray };
  enum Mode : unsigned char { kNone, kVector, kFull, kRange, kSingle, kOpenEnd, kOpenStart };
  Reference* next;
  int kind;
  std::size_t item_bytes;
  union {
    struct {
      std::ptrdiff_t offset;
      std::ptrdiff_t token_offset;  ///< not 0 if the component is allocatable or a pointer
    } component;
    struct {
      unsigned char mode[kMaxRank];
      int static_array_type;
      union {
        struct {
          std::ptrdiff_t start, end, stride;
        } range;
        struct {
          void* indices;
          std::size_t count;
          int kind;
        } vector;
      } dim[kMaxRank];
    } array;
  };
};

/// What is registered.
enum class Registration : int {
  kStatic,
  kAllocatable,
  kLockStatic,
  kLockAllocatable,
  kCritical,
  kEventStatic,
  kEventAllocatable,
  kComponentToken,   ///< of a component that is not allocated
  kComponentMemory,  ///< of a component that has such a token
};
enum class Deregistration : int { kAll, kMemoryOnly };

/// Bits of co_reduce's flags: how the user's function takes its arguments and gives its result.
inline constexpr int kResultByReference = 1, kHiddenLength = 2, kArgumentsByValue = 4,
                     kArgumentsByDescriptor = 8;

}  // namespace aqueduct::caf
