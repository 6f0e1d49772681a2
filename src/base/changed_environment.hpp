// Sets variables of the environment for a while: what a library reads when it starts is not for programs that
// the rank starts later. By one thread, while nobody else looks at the environment.
#pragma once
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace aqueduct {

class ChangedEnvironment {
 public:
  ChangedEnvironment() = default;
  ChangedEnvironment(const ChangedEnvironment&) = delete;
  ChangedEnvironment& operator=(const ChangedEnvironment&) = delete;
  ~ChangedEnvironment() {
    for (auto variable = before_.rbegin(); variable != before_.rend(); ++variable)
      variable->value ? ::setenv(variable->name.c_str(), variable->value->c_str(), 1)
                      : ::unsetenv(variable->name.c_str());
  }

  void set(const std::string& name, const std::string& value) {
    remember(name);
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  /// The user's setting, if there is one, stays.
  void set_default(const std::string& name, const std::string& value) {
    if (!::getenv(name.c_str())) set(name, value);
  }
  void remove(const std::string& name) {
    remember(name);
    ::unsetenv(name.c_str());
  }

 private:
  struct Variable {
    std::string name;
    std::optional<std::string> value;
  };
  void remember(const std::string& name) {
    const char* const value = ::getenv(name.c_str());
    before_.push_back({name, value ? std::optional<std::string>(value) : std::nullopt});
  }
  std::vector<Variable> before_;
};

}  // namespace aqueduct
