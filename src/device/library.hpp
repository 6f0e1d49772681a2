// A driver's library, and the functions that it exports.
#pragma once
#include <memory>
#include <string>

#include "device/driver.hpp"

namespace aqueduct::device {

/// An opened library; it stays for as long as the process.
class Library {
 public:
  /// Null, and the reason in `*why`, if there is none.
  static std::unique_ptr<Library> open(Family family, std::string* why);

  /// Fills in a function; one that is missing is remembered.
  template <class Function>
  void find(const char* symbol, Function*& function) {
    function = reinterpret_cast<Function*>(look_up(symbol));
  }
  /// One that may be missing; it is null then.
  template <class Function>
  void find_if_there(const char* symbol, Function*& function) {
    const char* const missing = missing_;
    find(symbol, function);
    missing_ = missing;
  }
  /// The first function that is missing; null if none is.
  const char* missing() const { return missing_; }
  const std::string& name() const { return name_; }

 private:
  void* look_up(const char* symbol);

  void* handle_ = nullptr;
  std::string name_;
  const char* missing_ = nullptr;
};

// One for each family: a driver over `library`, which has been opened; null with the reason.
std::unique_ptr<Driver> cuda_driver(Library& library, std::string* why);
std::unique_ptr<Driver> hip_driver(Library& library, std::string* why);
std::unique_ptr<Driver> ze_driver(Library& library, std::string* why);

}  // namespace aqueduct::device
