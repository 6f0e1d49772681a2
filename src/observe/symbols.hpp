// Names for addresses in a process of this host: from its map and the symbol tables of the files in it.
//
// Addresses that no symbol covers are named by their file and the place in it, which addr2line takes.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "observe/frame.hpp"

namespace aqueduct::observe {

/// A function's name for people: "f" of "void f<int>(long)" in C++, itself in C.
std::string plain_name(const std::string& mangled);

/// The functions of an ELF file. Files are shared by many processes and read once.
class SymbolTable {
 public:
  /// Of the file; empty if it cannot be read or is no such file.
  static SymbolTable read(const std::string& path);

  /// Where in the address space of the file the byte at `offset` of it lies; the offset itself if it is in no
  /// segment.
  std::uint64_t address_of(std::uint64_t offset) const;
  /// "function+0x12"; empty if none is known there.
  std::string name(std::uint64_t address) const;

 private:
  struct Segment {
    std::uint64_t offset, bytes, address;
  };
  struct Function {
    std::uint64_t address, bytes;
    std::string name;  ///< mangled
  };
  std::vector<Segment> segments_;
  std::vector<Function> functions_;  ///< by address
};

class Symbols {
 public:
  /// One frame for each address, as they are in the process now. The first address is where the thread is,
  /// the others are where calls return to. Adds the files that have line numbers to `files`, each once.
  std::vector<Frame> name(pid_t process, const std::vector<std::uint64_t>& addresses,
                          std::vector<CodeFile>& files);

 private:
  using FileId = std::pair<dev_t, ino_t>;  // each process has its own path to the same file
  struct Known {
    SymbolTable table;
    std::optional<std::string> identity;  ///< if it has line numbers
  };

  const Known& known(const std::string& path);

  std::map<FileId, Known> files_;
};

}  // namespace aqueduct::observe
