// A program of the user's, as it is on disk: the executable and the libraries of which every rank has its own
// copy, and how all of them are bound. Made once; each rank's copy (image.hpp) is then some mappings and a
// list of words to write.
//
// Every object but those of the C library (libc, libm, the loader, ...) and those that the user names as
// shared is private. Copies of a program's objects lie behind each other, at the same distances in every
// rank, so that what one refers to in another is found once for all ranks.
//
// A name is looked up, in this order, in: the executable, the functions that programs of a simulation get
// instead of the system's (overrides.hpp), the private libraries as the dynamic linker would do it, the
// library's interface in this process, and the shared libraries. libaqueduct.so itself is not loaded: this
// process has the library.
//
// An executable that contains the library (libaqueduct.a): its copy of every function of the interface begins
// with a jump to that of this process, in a copy of the file.
//
// Thread-local variables: what the linker has fixed for an executable lies right below the thread pointer.
// The tool keeps that place free (thread_area.hpp); those of private libraries follow below.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/process/elf_file.hpp"

namespace aqueduct::sim::process {

class Program {
 public:
  /// An executable that load() could take, or at least nothing else that a command could: not a shared object
  /// without entry.
  static bool is_executable(const std::string& path);
  /// Null if it cannot be simulated, with one line in `why` that says what to do about it. `shared` are names
  /// of libraries of which all ranks use the same copy.
  static std::unique_ptr<Program> load(const std::string& path, const std::vector<std::string>& shared,
                                       std::string* why);

  /// A private object, and where it is in a copy of the program.
  struct Object {
    std::unique_ptr<ElfFile> file;
    std::size_t place = 0;
    std::size_t tls_below =
        0;  ///< its thread-local variables begin so far below the thread pointer; 0: has none
  };
  /// Whether anything of it refers to the library; otherwise its ranks know nothing of each other.
  bool uses_library() const { return uses_library_; }
  /// The executable is the first.
  const std::vector<Object>& objects() const { return objects_; }
  /// The objects in the order in which they are initialised: each after what it needs.
  const std::vector<std::size_t>& in_order() const { return order_; }
  std::size_t span_bytes() const { return span_bytes_; }
  std::size_t tls_bytes() const { return tls_bytes_; }

  /// A word of a copy that holds an address or another number.
  struct Word {
    std::size_t place;
    std::uint64_t value;
    bool moves;  ///< the address of the copy is added
  };
  /// Memory of a copy that begins as that of a library: a variable that the executable has taken over.
  struct TakenOver {
    std::size_t place;
    std::uint64_t source;
    bool moves;  ///< `source` is in the copy
    std::size_t bytes;
  };
  const std::vector<Word>& words() const { return words_; }
  /// Words that hold what the function of the copy at `value` returns.
  const std::vector<Word>& asked_words() const { return asked_words_; }
  const std::vector<TakenOver>& taken_over() const { return taken_over_; }

  /// Where the executable has a variable of that name of its own; null if it has not.
  const std::size_t* variable(const std::string& name) const;
  /// Which object has that place of a copy; null if none.
  const Object* object_at(std::size_t place) const;

 private:
  Program() = default;
  bool find_objects(std::unique_ptr<ElfFile> executable, const std::vector<std::string>& shared,
                    std::string* why);
  bool add_library(const std::string& name, const ElfFile& wanted_by, const std::vector<std::string>& shared,
                   std::string* why);
  void put_in_order(std::size_t object, std::vector<bool>& seen);
  void lay_out();
  bool replace_library(std::string* why);
  bool bind(const Object& object, const Elf64_Rela& relocation, std::string* why);

  struct Definition {
    enum class Kind : std::uint8_t {
      kNone,
      kInCopy,
      kFunctionThatChooses,
      kThreadLocal,
      kAbsolute
    } kind = Kind::kNone;
    std::uint64_t value =
        0;  ///< a place, an address, or, of a thread-local variable, its distance from the pointer
    const Object* object = nullptr;
    std::size_t bytes = 0;
  };
  Definition define(const Object& object, const Elf64_Sym& symbol) const;
  Definition find(const Object& asking, std::uint32_t symbol, bool not_in_executable) const;

  std::vector<Object> objects_;
  std::vector<std::size_t> order_;
  std::vector<void*> shared_;        // handles
  std::vector<std::string> needed_;  // names that were looked at
  std::size_t span_bytes_ = 0, tls_bytes_ = 0;
  bool uses_library_ = false;
  std::vector<Word> words_, asked_words_;
  std::vector<TakenOver> taken_over_;
  std::unordered_map<std::string, std::size_t> variables_;
};

}  // namespace aqueduct::sim::process
