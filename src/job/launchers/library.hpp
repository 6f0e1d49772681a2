// A library of a launcher, loaded when it is there. It stays until the process ends: what it has started may
// still run.
#pragma once
#include <dlfcn.h>

#include <string>

#include "base/fatal.hpp"

namespace aqueduct::job::launchers {

class Library {
 public:
  /// Whether libraries that it loads itself find its names: some expect that and do not say so.
  enum class Names : bool { kHidden, kVisible };

  /// By its file name, where the system finds libraries.
  explicit Library(const char* name, Names names = Names::kHidden)
      : name_(name),
        handle_(::dlopen(name, RTLD_NOW | (names == Names::kVisible ? RTLD_GLOBAL : RTLD_LOCAL))) {
    if (handle_) return;
    const char* const error = ::dlerror();
    why_not_ = error ? error : "it cannot be loaded";
  }

  explicit operator bool() const { return handle_ != nullptr; }
  const char* name() const { return name_; }
  /// Where there is none: the system's words.
  const std::string& why_not() const { return why_not_; }

  /// Sets `function` to the library's of that name; a library without it is not what its name says: fatal.
  template <class Function>
  void find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(::dlsym(handle_, name));
    if (function == nullptr)
      fatal("start", "%s has no function %s; another library of that name is in the way", name_, name);
  }

 private:
  const char* name_;
  void* handle_;
  std::string why_not_;
};

}  // namespace aqueduct::job::launchers
