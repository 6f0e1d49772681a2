#include "extended/vis_settings.hpp"

#include "base/env.hpp"

namespace aqueduct::extended {

VisSettings VisSettings::from_environment() {
  VisSettings settings;
  if (!env::flag({"GASNET_VIS_AMPIPE"}, true)) {
    settings.put_max_chunk = settings.get_max_chunk = 0;
    return settings;
  }
  const std::size_t both = env::bytes({"GASNET_VIS_MAXCHUNK"}).value_or(kDefaultMaxChunk);
  settings.put_max_chunk = env::bytes({"GASNET_VIS_PUT_MAXCHUNK"}).value_or(both);
  settings.get_max_chunk = env::bytes({"GASNET_VIS_GET_MAXCHUNK"}).value_or(both);
  return settings;
}

}  // namespace aqueduct::extended
