#include "papers/conduit/extoll/settings.hpp"

#include <cstring>

#include "base/env.hpp"
#include "base/fatal.hpp"

namespace aqueduct::conduit::extoll {
namespace {

AmVersion am_from_environment() {
  constexpr const char* kVariable = "AQUEDUCT_EXTOLL_AM";
  const char* const text = env::text({kVariable});
  if (!text || std::strcmp(text, "second") == 0) return AmVersion::kSecond;
  if (std::strcmp(text, "first") == 0) return AmVersion::kFirst;
  fatal(kVariable, "'%s' is none of first, second", text);
}

unsigned number_from(const char* name, unsigned least, unsigned most, unsigned fallback) {
  return static_cast<unsigned>(env::integer({name}, least, most).value_or(fallback));
}

std::size_t size_from(const char* name, std::size_t least, std::size_t most, std::size_t fallback) {
  const std::size_t bytes = env::bytes({name}).value_or(fallback);
  if (bytes < least || bytes > most) fatal(name, "%zu is not a size from %zu to %zu", bytes, least, most);
  return bytes;
}

}  // namespace

ExtollSettings ExtollSettings::from_environment() {
  ExtollSettings settings;
  settings.am = am_from_environment();
  settings.requests = number_from("AQUEDUCT_EXTOLL_REQUESTS", 1, 255, settings.requests);
  settings.posts = number_from("AQUEDUCT_EXTOLL_POSTS", 1, 4096, settings.posts);
  settings.packed_long_bytes =
      size_from("AQUEDUCT_EXTOLL_PACKED_LONG", 0, kMaxMedium, settings.packed_long_bytes);
  settings.bounce_bytes = size_from("AQUEDUCT_EXTOLL_BOUNCE", 64, 65536, settings.bounce_bytes);
  settings.bounce_pool_bytes =
      size_from("AQUEDUCT_EXTOLL_BOUNCE_POOL", settings.bounce_bytes, std::size_t{1} << 30,
                settings.bounce_pool_bytes < settings.bounce_bytes ? 4 * settings.bounce_bytes
                                                                   : settings.bounce_pool_bytes);
  settings.registrations = number_from("AQUEDUCT_EXTOLL_REGISTRATIONS", 1, 65536, settings.registrations);
  return settings;
}

}  // namespace aqueduct::conduit::extoll
