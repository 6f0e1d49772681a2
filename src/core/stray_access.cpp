#include "core/stray_access.hpp"

#include "base/context.hpp"
#include "base/fatal.hpp"
#include "core/rank.hpp"
#include "core/token.hpp"

namespace aqueduct::core {
namespace {

RankId whose_access(Rank& rank, std::uintptr_t address) {
  const Thread* const thread = current_thread();
  const Token* const token = thread ? thread->handling : nullptr;
  const bool is_own_handler =
      token && token->entry.client.gex_fnptr && token->entry.client.gex_index < kFirstClientHandler;
  if (is_own_handler) return token->origin.source;
  return rank.conduit().borrower_of(address);
}

}  // namespace

void explain_bad_access(const void* address) {
  Rank* const rank = process_rank();
  if (!rank || !rank->objects().segment_everything) return;
  const RankId source = whose_access(*rank, reinterpret_cast<std::uintptr_t>(address));
  if (source == kNoRank) return;
  fatal("poll", "rank %u accesses memory of rank %u at %p, which is not mapped for that, or not any more",
        source, rank->id(), address);
}

}  // namespace aqueduct::core
