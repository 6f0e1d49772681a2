#include "hosts/agent_messages.hpp"

namespace aqueduct::job::agent {

std::optional<Version> version_in(std::string_view bytes) {
  std::uint32_t length = 0;
  std::uint8_t kind = 0;
  Version version;
  FieldReader reader(bytes);
  reader(length, kind, version.protocol, version.version);
  if (!reader.is_good() || kind != 1) return std::nullopt;
  return version;
}

}  // namespace aqueduct::job::agent
