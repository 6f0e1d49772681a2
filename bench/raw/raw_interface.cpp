#include "raw/raw_interface.hpp"

#include <fmt/format.h>

namespace aqueduct::bench {

std::unique_ptr<RawInterface> open_raw_interface(Session& session, const Parameters& parameters) {
  if (parameters.against != "raw") return nullptr;
  if (parameters.conduit == "udp") return open_raw_udp(session);
  if (std::unique_ptr<RawInterface> raw = open_further_raw(session, parameters)) return raw;
  if (std::unique_ptr<RawInterface> raw = open_raw_plugin(session, parameters)) return raw;
  throw Unsuitable(fmt::format(
      "--against raw: the conduit {} has no bare interface to compare with (udp, extoll, mpi and ofi have)",
      parameters.conduit));
}

}  // namespace aqueduct::bench
