// Types that cereal can serialise, as arguments and results of calls. Not part of aqueduct.hpp: include it
// where cereal's headers are installed.
//
//   template <>
//   struct aqueduct::serial<Tree> : aqueduct::by_cereal<Tree> {};
//
// Its binary archive travels; the type can be made without arguments.
#ifndef AQUEDUCT_CXX_CEREAL_HPP_
#define AQUEDUCT_CXX_CEREAL_HPP_

#include "aqueduct/cxx/pack.hpp"

#if __has_include(<cereal/archives/binary.hpp>)
#include <cereal/archives/binary.hpp>
#include <istream>
#include <ostream>
#include <streambuf>

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

class WriterStream : public std::streambuf {
 public:
  explicit WriterStream(writer& to) : to_(to) {}

 protected:
  int_type overflow(int_type one) override {
    const char byte = traits_type::to_char_type(one);
    to_.bytes(&byte, 1);
    return one;
  }
  std::streamsize xsputn(const char* from, std::streamsize size) override {
    to_.bytes(from, static_cast<std::size_t>(size));
    return size;
  }

 private:
  writer& to_;
};

// Cereal reads exactly what it has written, so that nothing is ever put back.
class ReaderStream : public std::streambuf {
 public:
  explicit ReaderStream(reader& from) : from_(from) {}

 protected:
  std::streamsize xsgetn(char* to, std::streamsize size) override {
    std::memcpy(to, from_.bytes(static_cast<std::size_t>(size)), static_cast<std::size_t>(size));
    return size;
  }

 private:
  reader& from_;
};

}  // namespace detail

template <class T>
struct by_cereal {
  static void write(writer& to, const T& value) {
    detail::WriterStream bytes(to);
    std::ostream stream(&bytes);
    cereal::BinaryOutputArchive archive(stream);
    archive(value);
  }
  static T read(reader& from) {
    detail::ReaderStream bytes(from);
    std::istream stream(&bytes);
    cereal::BinaryInputArchive archive(stream);
    T value{};
    archive(value);
    return value;
  }
};

}  // namespace AQ_CXX_
}  // namespace aqueduct
#endif

#endif
