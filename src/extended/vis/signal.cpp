#include "extended/vis/signal.hpp"

#include "core/am.hpp"

namespace aqueduct::extended::vis {
namespace {

using am::Category;
using am::Message;
using core::Internal;

void on_signal(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t handler) {
  Message as_reply;
  as_reply.category = Category::kMedium;
  as_reply.is_reply = true;
  as_reply.handler = static_cast<std::uint8_t>(handler);
  as_reply.payload = payload;
  as_reply.payload_bytes = bytes;
  core::Token& request = core::from_handle(token);
  request.rank.deliver(as_reply, request.origin);
}

}  // namespace

void register_signal(core::HandlerTable& handlers) {
  handlers.add_internal(Internal::kVisSignal, reinterpret_cast<gex_AM_Fn_t>(&on_signal), 1,
                        "peer completion");
}

void send_signal(const char* where, Thread& thread, RankId target, const PeerSignal& signal) {
  const std::int32_t args[] = {signal.handler};
  Message message;
  message.category = Category::kMedium;
  message.handler = static_cast<std::uint8_t>(Internal::kVisSignal);
  message.nargs = 1;
  message.args = args;
  message.payload = signal.payload;
  message.payload_bytes = signal.bytes;
  core::send_request(where, thread, target, message, 0);
}

}  // namespace aqueduct::extended::vis
