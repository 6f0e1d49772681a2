// stdin, stdout and stderr of one rank.
//
// What a rank writes goes on in whole lines, so that those of different ranks do not mix, with the rank in
// front if lines are tagged. stdout is written line by line, whoever reads it.
#pragma once
#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/types.hpp"

namespace aqueduct::sim::process {

class Streams {
 public:
  Streams(RankId rank, bool tagged);
  ~Streams();
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  std::FILE* in() const { return in_; }
  std::FILE* out() const { return out_.file; }
  std::FILE* err() const { return err_.file; }
  /// What the rank writes to descriptor 1 or 2 itself.
  void write(int descriptor, std::string_view text) { (descriptor == 2 ? err_ : out_).append(text); }
  /// Everything, unfinished lines as well: the rank has ended.
  void finish();

 private:
  struct Output {
    std::FILE* file = nullptr;
    std::FILE* target = nullptr;
    const std::string* prefix = nullptr;
    std::string line;  // unfinished

    void open(std::FILE* where, const std::string& tag, const char* mode);
    void append(std::string_view text);
    void finish();
    static ssize_t take(void* cookie, const char* text, std::size_t bytes);
  };

  std::string prefix_;
  Output out_, err_;
  std::FILE* in_ = nullptr;
  std::array<char, 1024> buffer_;
};

}  // namespace aqueduct::sim::process
