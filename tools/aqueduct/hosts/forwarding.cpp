#include "hosts/forwarding.hpp"

#include <algorithm>
#include <cstdlib>

#include "job/place/variables.hpp"

namespace aqueduct::job {
namespace {

bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == name;
}

}  // namespace

bool is_forwarded(std::string_view name) {
  const auto is_it = [&](std::string_view pattern) { return matches(pattern, name); };
  return !std::any_of(std::begin(kNotForwarded), std::end(kNotForwarded), is_it) &&
         !std::any_of(std::begin(place::kAll), std::end(place::kAll), is_it) && !is_it(place::kKey);
}

std::vector<std::string> forwarded_environment(const char* const* environment,
                                               const std::vector<std::string>& added, std::string* error) {
  std::vector<std::string> variables;
  for (const char* const* each = environment; *each != nullptr; ++each) {
    const std::string_view variable = *each;
    const std::size_t equals = variable.find('=');
    if (equals != variable.npos && equals != 0 && is_forwarded(variable.substr(0, equals)))
      variables.emplace_back(variable);
  }
  for (const std::string& each : added) {
    const std::size_t equals = each.find('=');
    const std::string name = each.substr(0, equals);
    if (name.empty()) *error = "--env " + each + ": a variable has a name: NAME=VALUE, or NAME";
    if (equals != each.npos) {
      variables.push_back(each);
    } else if (const char* const value = std::getenv(name.c_str())) {
      variables.push_back(name + "=" + value);
    } else {
      *error = "--env " + each + ": " + name + " is not set here; give it a value: --env " + name + "=VALUE";
    }
  }
  return variables;
}

void set_environment(const std::vector<std::string>& variables) {
  for (const std::string& each : variables) {
    const std::size_t equals = each.find('=');
    if (equals == each.npos || equals == 0) continue;
    setenv(each.substr(0, equals).c_str(), each.substr(equals + 1).c_str(), 1);
  }
}

}  // namespace aqueduct::job
