// One copy of a program in memory: its code, which all copies share, and variables of its own, bound and
// ready for its constructors.
//
// Copies lie behind each other at addresses that are the same in every run, with pages between them that
// nobody may touch.
#pragma once
#include <cstddef>
#include <cstdint>

#include "sim/process/program.hpp"

namespace aqueduct::sim::process {

class Image {
 public:
  /// The copy number `number`. Ends the program with one line if the system refuses the mappings.
  Image(const Program& program, std::size_t number);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  std::byte* base() const { return base_; }
  /// Where the program's code begins (_start).
  const void* entry() const { return base_ + program_.objects().front().file->header().e_entry; }
  /// The variable of the executable that it has taken over from a library under that name; null if there is
  /// none.
  template <class T>
  T* variable(const char* name) const {
    const std::size_t* const place = program_.variable(name);
    return place ? reinterpret_cast<T*>(base_ + *place) : nullptr;
  }
  /// The variable of the executable that has that name, whoever else can see it; null if there is none.
  void* find(const char* name) const;
  /// Writes the initial values of its thread-local variables below a thread pointer.
  void fill_thread_locals(std::byte* pointer) const;
  /// The copy that has the address, of all that there are; null if none.
  static const Image* at(const void* address);
  const Program& program() const { return program_; }
  std::size_t number() const { return number_; }

 private:
  void map(const Program::Object& object);
  void write_words();

  const Program& program_;
  std::size_t number_;
  std::byte* base_;
};

}  // namespace aqueduct::sim::process
