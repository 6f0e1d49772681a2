#include "extended/reference_atomic.hpp"

#include <bit>
#include <cstring>

#include "extended/messages.hpp"

namespace aqueduct::extended {
namespace {

using core::Internal;
using observe::TransferKind;

// Operation and type are single bits; their positions fit in one argument.
constexpr unsigned kTypeShift = 8;
std::int32_t pack(gex_OP_t operation, gex_DT_t type) {
  return std::countr_zero(operation) | std::countr_zero(type) << kTypeShift;
}

void on_atomic(gex_Token_t token, gex_AM_Arg_t what, gex_AM_Arg_t address_low, gex_AM_Arg_t address_high,
               gex_AM_Arg_t first_low, gex_AM_Arg_t first_high, gex_AM_Arg_t second_low,
               gex_AM_Arg_t second_high, gex_AM_Arg_t result_low, gex_AM_Arg_t result_high,
               gex_AM_Arg_t pending_low, gex_AM_Arg_t pending_high) {
  const gex_OP_t operation = gex_OP_t{1} << (what & 31);
  const gex_DT_t type = gex_DT_t{1} << (what >> kTypeShift & 31);
  const Halves before = split(apply(join<void>(address_low, address_high), type, operation,
                                    join_bits(first_low, first_high), join_bits(second_low, second_high)));
  const auto bytes = static_cast<std::int32_t>(AQ_OP_FETCHES_(operation) ? element_bytes(type) : 0);
  const std::int32_t args[] = {pending_low, pending_high, result_low, result_high,
                               before.low,  before.high,  bytes};
  count_served(token, TransferKind::kAtomic);
  core::send_reply("atomic", core::this_thread("atomic"), core::from_handle(token),
                   {am::Category::kShort, true, static_cast<std::uint8_t>(Internal::kAtomicDone), 7, args},
                   0);
}

void on_atomic_done(gex_Token_t token, gex_AM_Arg_t pending_low, gex_AM_Arg_t pending_high,
                    gex_AM_Arg_t result_low, gex_AM_Arg_t result_high, gex_AM_Arg_t before_low,
                    gex_AM_Arg_t before_high, gex_AM_Arg_t bytes) {
  if (bytes != 0) {
    const std::uint64_t before = join_bits(before_low, before_high);
    std::memcpy(join<void>(result_low, result_high), &before, static_cast<std::size_t>(bytes));
  }
  count_down(token, TransferKind::kAtomic, *join<Pending>(pending_low, pending_high));
}

}  // namespace

void register_reference_atomics(core::HandlerTable& handlers) {
  handlers.add_internal(Internal::kAtomic, reinterpret_cast<gex_AM_Fn_t>(&on_atomic), 11, "atomic");
  handlers.add_internal(Internal::kAtomicDone, reinterpret_cast<gex_AM_Fn_t>(&on_atomic_done), 7,
                        "atomic done");
}

int reference_atomic(const char* where, Thread& thread, const Atomic& atomic, Pending& pending,
                     gex_Flags_t flags) {
  const Halves address = split(atomic.address);
  const Halves first = split(atomic.first);
  const Halves second = split(atomic.second);
  const Halves result = split(atomic.result);
  const Halves counter = split(&pending);
  const std::int32_t args[] = {pack(atomic.operation, atomic.type),
                               address.low,
                               address.high,
                               first.low,
                               first.high,
                               second.low,
                               second.high,
                               result.low,
                               result.high,
                               counter.low,
                               counter.high};
  count_up(thread, atomic.target, TransferKind::kAtomic, pending);
  const int sent = core::send_request(
      where, thread, atomic.target,
      {am::Category::kShort, false, static_cast<std::uint8_t>(Internal::kAtomic), 11, args}, flags);
  return sent == GASNET_OK ? sent : take_back(thread, atomic.target, TransferKind::kAtomic, pending);
}

}  // namespace aqueduct::extended
