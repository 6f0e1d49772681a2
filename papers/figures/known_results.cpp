#include "known_results.hpp"

#include <fmt/format.h>

#include <iterator>

namespace aqueduct::figures {

std::string key_of(const sim::NetworkModel& model, const std::vector<scenarios::Setting>& settings) {
  // The checksum stands for what is no number: topology, routing, order.
  std::string key = fmt::format("{} {:08x}", model.name, model.file_crc32);
  for (const sim::Number& number : model.numbers())
    fmt::format_to(std::back_inserter(key), " {}={}+{}", number.name, number.value, number.fs_per_byte);
  for (const auto& [name, value] : settings) fmt::format_to(std::back_inserter(key), " {}={}", name, value);
  return key;
}

}  // namespace aqueduct::figures
