// Packets of records on their way to an aggregator (aggregator.hpp), which has the same name at all members.
#ifndef AQUEDUCT_CXX_RECORDS_HPP_
#define AQUEDUCT_CXX_RECORDS_HPP_

#include "aqueduct/cxx/outgoing.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

// An aggregator, as packets see it. `is_for_host`: the records are for ranks of this host, not all for this
// one.
struct RecordReceiver {
  void (*receive)(RecordReceiver*, const std::byte* records, std::size_t bytes, bool is_for_host);
};

// What a packet is that comes before its aggregator: a call that waits for it.
struct DeliverRecords {
  void operator()(RecordReceiver& to, std::uint64_t is_for_host, std::span<const std::byte> records) const {
    to.receive(&to, records.data(), records.size(), is_for_host != 0);
  }
};
inline void deliver_late(Context& here, gex_Token_t token, std::uint64_t name, const void* records,
                         std::size_t bytes, bool is_for_host) {
  const Function& entry =
      function_entry<DeliverRecords, ObjectName<RecordReceiver>, std::uint64_t, std::span<const std::byte>>;
  const auto write = [&](writer& to) {
    to(ObjectName<RecordReceiver>{name});
    to(std::uint64_t{is_for_host});  // so that the records behind it are aligned
    to(std::span(static_cast<const std::byte*>(records), bytes));
  };
  writer count;
  write(count);
  void* const copy = FramePool::allocate(count.size());
  writer to(copy);
  write(to);
  Incoming call(here, token, entry, 0, copy, count.size(), Incoming::Memory::kPooled);
  entry.invoke(call);
}

inline RecordReceiver* find_receiver(Context& here, std::uint64_t name) {
  if constexpr (kThreads) return static_cast<RecordReceiver*>(find_object(here, name));
  auto& recent = here.recent_objects[name % std::size(here.recent_objects)];
  if (recent.number != name) [[unlikely]] {
    recent = {name, find_object(here, name)};
    if (!recent.object) recent.number = 0;
  }
  return static_cast<RecordReceiver*>(recent.object);
}

inline void on_records(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t name0,
                       gex_AM_Arg_t name1, gex_AM_Arg_t is_for_host) {
  Context& here = context();
  const HandlerDepth depth(here);
  const std::uint64_t name = joined(name0, name1);
  RecordReceiver* const receiver = find_receiver(here, name);
  // The call has its own copy of the records, which is aligned.
  if (!receiver || address_of(payload) % 8) [[unlikely]] {
    return deliver_late(here, token, name, payload, bytes, is_for_host);
  }
  receiver->receive(receiver, static_cast<const std::byte*>(payload), bytes, is_for_host);
}

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
