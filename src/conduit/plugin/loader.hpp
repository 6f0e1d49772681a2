// Loads one plug-in (plugin.hpp), or says why that cannot be done.
//
// Refused, with nothing left loaded: what is no shared object or lacks symbols (in the words of the dynamic
// linker), has no entry symbol, has another one by that name, was made for another version of the library or
// other headers (both are named), describes a conduit of another name than that of the file, or one that is
// preferred more than the file announces.
//
// What its libraries change in the process when they are loaded is put back (process_guard.hpp). A plug-in
// stays loaded until the process ends. One thread at a time.
#pragma once
#include <string>

#include "conduit/conduit.hpp"

namespace aqueduct::conduit::plugin {

struct Loaded {
  const Description* description = nullptr;
  std::string reason;  ///< if it is null
};

/// `name`: what its file says that it is.
Loaded load(const std::string& path, const std::string& name);

}  // namespace aqueduct::conduit::plugin
