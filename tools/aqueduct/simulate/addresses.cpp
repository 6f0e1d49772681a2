#include "simulate/addresses.hpp"

#include <sys/personality.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <vector>

#include "sim/process/program.hpp"

namespace aqueduct::simulate {

void keep_addresses(const std::string& word) {
  constexpr unsigned long kAsk = 0xffffffff;
  if (word.find('/') == std::string::npos || !sim::process::Program::is_executable(word)) return;
  const int now = ::personality(kAsk);
  if (now < 0 || (now & ADDR_NO_RANDOMIZE) != 0) return;
  if (::personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) < 0) return;
  if ((::personality(kAsk) & ADDR_NO_RANDOMIZE) == 0) return;
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string words((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<char*> arguments;
  for (std::size_t start = 0; start < words.size(); start = words.find('\0', start) + 1)
    arguments.push_back(words.data() + start);
  arguments.push_back(nullptr);
  ::execv("/proc/self/exe", arguments.data());
}

}  // namespace aqueduct::simulate
