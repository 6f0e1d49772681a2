#include "clients/caf/status.hpp"

#include <aqueduct/failure.h>

#include <algorithm>
#include <cstdlib>

namespace aqueduct::caf {
namespace {

unsigned char* stopped;  // of each rank
std::uint32_t stopped_count;
int greatest_code;

void take_stop(gex_Token_t token, gex_AM_Arg_t code) {
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_SRCRANK);
  if (stopped[info.gex_srcrank]) return;
  stopped[info.gex_srcrank] = 1;
  ++stopped_count;
  greatest_code = std::max(greatest_code, static_cast<int>(code));
}

void take_wake(gex_Token_t) {}

}  // namespace

void begin_status() {
  stopped = static_cast<unsigned char*>(std::calloc(job.size, 1));
  if (!stopped) fatal("the start", "no memory for the states of %u images", job.size);
  constexpr gex_Flags_t kShort = GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST;
  gex_AM_Entry_t entries[] = {
      {kStopHandler, reinterpret_cast<gex_AM_Fn_t>(take_stop), kShort, 1, nullptr, "an image stops"},
      {kWakeHandler, reinterpret_cast<gex_AM_Fn_t>(take_wake), kShort, 0, nullptr, "an image looks again"},
  };
  gex_EP_RegisterHandlers(job.endpoint, entries, 2);
}

std::uint32_t departures() {
  return stopped_count + (job.reports_failures ? aqueduct_failed_ranks(job.world, nullptr, 0) : 0);
}

bool has_stopped(gex_Rank_t rank) { return stopped[rank]; }
bool has_failed(gex_Rank_t rank) { return job.reports_failures && aqueduct_has_failed(job.world, rank); }

StatValue status_of(gex_Rank_t rank) {
  if (has_failed(rank)) return kFailedImage;
  return has_stopped(rank) ? kStoppedImage : kOk;
}

StatValue status_of(const Team& team) {
  if (departures() == 0) return kOk;
  StatValue worst = kOk;
  for (int image = 1; image <= team.size; ++image) {
    const StatValue state = status_of(team.rank_of(image));
    if (state == kStoppedImage) return state;
    if (state != kOk) worst = state;
  }
  return worst;
}

bool all_others_have_departed() {
  for (gex_Rank_t rank = 0; rank < job.size; ++rank)
    if (rank != job.rank && status_of(rank) == kOk) return false;
  return true;
}

int greatest_stop_code() { return greatest_code; }

}  // namespace aqueduct::caf
