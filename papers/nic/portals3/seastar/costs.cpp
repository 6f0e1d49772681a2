#include "papers/nic/portals3/seastar/costs.hpp"

namespace aqueduct::portals3::seastar {

using sim::Dimension;

Costs::Costs(const NetworkModel& network)
    : model(network),
      trap(network.cost("trap")),
      system_call(network.cost("system_call")),
      call_put(network.cost("call_put")),
      call_get(network.cost("call_get")),
      call_event(network.cost("call_event")),
      call_other(network.cost("call_other")),
      pin(network.cost("pin")),
      unpin(network.cost("unpin")),
      page_list(network.cost("page_list")),
      push_command(network.cost("push_command")),
      push_page(network.cost("push_page")),
      interrupt_entry(network.cost("interrupt_entry")),
      match(network.cost("match")),
      complete(network.cost("complete")),
      interrupt_exit(network.cost("interrupt_exit")),
      firmware_transmit(network.cost("firmware_transmit")),
      firmware_transmitted(network.cost("firmware_transmitted")),
      firmware_header(network.cost("firmware_header")),
      firmware_deposit(network.cost("firmware_deposit")),
      firmware_deposited(network.cost("firmware_deposited")),
      firmware_page(network.cost("firmware_page")),
      firmware_match(network.cost("firmware_match")),
      firmware_event(network.cost("firmware_event")),
      firmware_overflow(network.cost("firmware_overflow")),
      crossing(network.nic("crossing", Dimension::kTime)),
      page_bytes(network.nic("page_bytes", Dimension::kBytes)),
      transmit_slots(network.nic("transmit_slots", Dimension::kCount)),
      accelerated_clients(network.nic("accelerated_clients", Dimension::kCount)) {}

}  // namespace aqueduct::portals3::seastar
