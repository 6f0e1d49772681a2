// What the C++ interface adds to the C interface that it calls, between rank 0 and the last rank: an awaited
// put of 8 bytes to gex_RMA_PutBlocking, an awaited call to the same messages with a handler each. In turns,
// in one program.
#include <aqueduct.hpp>
#include <cstdlib>

#include "figure.hpp"

using namespace bench;

namespace {

constexpr int kTurns = 25;

std::uint64_t increment(std::uint64_t value) { return value + 1; }

gex_AM_Index_t request_index, reply_index;
std::uint64_t answered;
bool has_answer;

void on_request(gex_Token_t token, void* payload, std::size_t, gex_AM_Arg_t, gex_AM_Arg_t slot0,
                gex_AM_Arg_t slot1) {
  const std::uint64_t value = *static_cast<std::uint64_t*>(payload) + 1;
  gex_AM_ReplyShort4(token, reply_index, 0, slot0, slot1, static_cast<gex_AM_Arg_t>(value),
                     static_cast<gex_AM_Arg_t>(value >> 32));
}
void on_reply(gex_Token_t, gex_AM_Arg_t, gex_AM_Arg_t, gex_AM_Arg_t low, gex_AM_Arg_t high) {
  answered = static_cast<std::uint32_t>(low) | static_cast<std::uint64_t>(high) << 32;
  has_answer = true;
}

void register_handlers(gex_TM_t world) {
  gex_AM_Entry_t table[] = {{0, reinterpret_cast<gex_AM_Fn_t>(on_request),
                             GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 3, nullptr, nullptr},
                            {0, reinterpret_cast<gex_AM_Fn_t>(on_reply),
                             GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 4, nullptr, nullptr}};
  if (gex_EP_RegisterHandlers(gex_TM_QueryEP(world), table, 2) != GASNET_OK) std::abort();
  request_index = table[0].gex_index;
  reply_index = table[1].gex_index;
}

double of_each(double start, int count) { return (now_ns() - start) / count; }

double c_puts(gex_TM_t world, aqueduct::global_ptr<std::uint64_t> to, int count) {
  void* const there = reinterpret_cast<void*>(to.address());
  const double start = now_ns();
  for (int i = 0; i < count; ++i) {
    std::uint64_t value = i;
    gex_RMA_PutBlocking(world, to.rank(), there, &value, sizeof value, 0);
  }
  return of_each(start, count);
}

aqueduct::task<double> awaited_puts(aqueduct::global_ptr<std::uint64_t> to, int count) {
  const double start = now_ns();
  for (int i = 0; i < count; ++i) co_await aqueduct::rput(std::uint64_t(i), to);
  co_return of_each(start, count);
}

double c_calls(gex_TM_t world, aqueduct::rank_t peer, int count) {
  const double start = now_ns();
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) {
    has_answer = false;
    gex_AM_RequestMedium3(world, peer, request_index, &value, sizeof value, GEX_EVENT_NOW, 0, 0, 0, 0);
    GASNET_BLOCKUNTIL(has_answer);
    value = answered;
  }
  return of_each(start, count);
}

aqueduct::task<double> awaited_calls(aqueduct::rank_t peer, int count) {
  const double start = now_ns();
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) value = co_await aqueduct::call<increment>(peer, value);
  co_return of_each(start, count);
}

aqueduct::task<> body(aqueduct::job& job, int count) {
  const gex_TM_t world = job.handle();
  register_handlers(world);
  const aqueduct::rank_t peer = job.size() - 1;
  const auto memory = aqueduct::allocate<std::uint64_t>(8);
  const auto to = (co_await job.gather_all(memory.data()))[peer];
  if (job.rank() == 0) {
    std::vector<double> puts[2], calls[2];
    for (int turn = 0; turn < kTurns; ++turn) {
      puts[0].push_back(c_puts(world, to, 50 * count));
      puts[1].push_back(co_await awaited_puts(to, 50 * count));
      calls[0].push_back(c_calls(world, peer, count));
      calls[1].push_back(co_await awaited_calls(peer, count));
    }
    figure("put-8-c", puts[0], true);
    figure("put-8-awaited", puts[1], true);
    figure("message-and-reply-c", calls[0], true);
    figure("call-awaited", calls[1], true);
  }
  co_await job.barrier();
  aqueduct::deallocate(memory);
}

}  // namespace

// The argument: how many calls in a turn (2,000).
int main(int argc, char** argv) {
  aqueduct::job job{argc, argv};
  aqueduct::run(body(job, argc > 1 ? std::atoi(argv[1]) : 2'000));
}
