// Loads one plug-in (plugin.hpp), or says why it cannot.
//
// It refuses a file, and leaves nothing loaded, if the file is not a shared object or lacks symbols (with the
// dynamic linker's words), has no entry symbol or a foreign symbol of that name, was made for another version
// of the library or other headers (the line names both), describes a conduit whose name is not the file's, or
// has a higher preference than the file announces.
//
// It undoes what the plug-in's libraries change in the process while they are loaded (process_guard.hpp). A
// plug-in stays loaded until the process ends. One thread at a time.
#pragma once
#include <string>

#include "conduit/conduit.hpp"

namespace aqueduct::conduit::plugin {

struct Loaded {
  const Description* description = nullptr;
  std::string reason;  ///< why `description` is null
};

/// `name`: the conduit's name in the file's name.
Loaded load(const std::string& path, const std::string& name);

}  // namespace aqueduct::conduit::plugin
