// The functions that other ranks may call, each with a number.
//
// Whatever a program passes to call() makes the compiler define a Function, which is in a list before main()
// begins. At the start of a job the list is sorted by the names of the types, so that all ranks of a program
// give a function the same number wherever it was loaded. Two functions of one name, from files that hide
// their names from each other, keep the order in which the program was linked. A hash over all names tells
// programs apart.
#ifndef AQUEDUCT_CXX_FUNCTION_TABLE_HPP_
#define AQUEDUCT_CXX_FUNCTION_TABLE_HPP_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "aqueduct/cxx/config.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

class Incoming;

struct Function {
  using Invoke = void (*)(Incoming&);

  Function(Invoke invoked, const char* type_name) noexcept : invoke(invoked), name(type_name), next(first) {
    first = this;
  }

  static constexpr std::uint32_t kUnnumbered = ~std::uint32_t{0};

  Invoke invoke;
  const char* name;
  Function* next;
  std::uint32_t number = kUnnumbered;

  static inline constinit Function* first = nullptr;
};

class FunctionTable {
 public:
  // The one of this program, made when it is asked for first. The same from then on.
  static const FunctionTable& get() {
    static const FunctionTable table;
    return table;
  }
  const Function* const* begin() const noexcept { return functions_.data(); }
  std::size_t size() const noexcept { return functions_.size(); }
  std::uint64_t hash() const noexcept { return hash_; }

 private:
  FunctionTable() {
    for (Function* f = Function::first; f; f = f->next) functions_.push_back(f);
    std::stable_sort(functions_.begin(), functions_.end(),
                     [](const Function* a, const Function* b) { return std::strcmp(a->name, b->name) < 0; });
    std::uint32_t number = 0;
    for (Function* f : functions_) {
      f->number = number++;
      for (const char* c = f->name;; ++c) {
        hash_ = (hash_ ^ static_cast<unsigned char>(*c)) * 0x100000001b3;
        if (!*c) break;
      }
    }
  }

  std::vector<Function*> functions_;
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
