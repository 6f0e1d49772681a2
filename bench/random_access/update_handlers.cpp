// How updates arrive as active messages.
#include "version.hpp"

namespace aqueduct::bench::random_access {
namespace {

/// Of a live process, whose only rank this is.
Share* only = nullptr;

Share& share_of(gex_Token_t token) {
  if (!world::is_simulated()) return *only;
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_EP);
  return *static_cast<Share*>(gex_EP_QueryCData(info.gex_ep));
}

void on_update(gex_Token_t token, gex_AM_Arg_t high, gex_AM_Arg_t low) {
  Share& share = share_of(token);
  share.table.update(std::uint64_t{static_cast<std::uint32_t>(high)} << 32 | static_cast<std::uint32_t>(low));
  ++share.received;
}

void on_updates(gex_Token_t token, void* values, std::size_t bytes) {
  Share& share = share_of(token);
  const std::size_t count = bytes / sizeof(std::uint64_t);
  share.table.update_all(static_cast<const std::uint64_t*>(values), count);
  share.received += count;
}

}  // namespace

void announce(Share* share) { only = share; }

std::vector<gex_AM_Entry_t> handlers_of_updates() {
  return {{kUpdateHandler, reinterpret_cast<gex_AM_Fn_t>(on_update), GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST,
           2, nullptr, "update"},
          {kUpdatesHandler, reinterpret_cast<gex_AM_Fn_t>(on_updates),
           GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 0, nullptr, "updates"}};
}

}  // namespace aqueduct::bench::random_access
