// A launcher's library, loaded if it is installed. It stays loaded until the process ends, because threads
// that it has started may still run.
#pragma once
#include <dlfcn.h>

#include <string>

#include "base/fatal.hpp"

namespace aqueduct::job::launchers {

class LauncherLibrary {
 public:
  /// Whether libraries that it loads find its symbols; some need that.
  enum class Names : bool { kHidden, kVisible };

  /// Loads the file `name` from the system's search path.
  explicit LauncherLibrary(const char* name, Names names = Names::kHidden)
      : name_(name),
        handle_(::dlopen(name, RTLD_NOW | (names == Names::kVisible ? RTLD_GLOBAL : RTLD_LOCAL))) {
    if (handle_) return;
    const char* const error = ::dlerror();
    why_not_ = error ? error : "it cannot be loaded";
  }

  explicit operator bool() const { return handle_ != nullptr; }
  const char* name() const { return name_; }
  /// The system's reason if it is not loaded.
  const std::string& why_not() const { return why_not_; }

  /// Sets `function` to the library's function `name`. Fatal if there is none: it is another library of that
  /// name.
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
