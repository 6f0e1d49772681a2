#include "extoll_native.hpp"

#include <rma2.h>
#include <velo2.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "papers/bench/portals/side.hpp"
#include "papers/nic/extoll/card/machine.hpp"

namespace aqueduct::figures {
namespace {

using extoll::Process;
using extoll::card::Machine;

constexpr unsigned kWarmUp = 2, kTurns = 8;
constexpr std::size_t kMostByVelo = 8192;  // beyond that RMA is faster

enum class Unit : std::uint8_t { kVelo, kRma };

void must(bool is_good) {
  if (!is_good) throw bench::portals::Failed("bare EXTOLL: a call of the ping-pong failed");
}

/// One of the two, with ports, connections and a registered window.
struct Side {
  Side(std::uint16_t node, std::size_t bytes) : window(bytes) {
    const auto peer = static_cast<std::uint16_t>(1 - node);
    must(velo2_open(&velo) == VELO2_RET_SUCCESS && velo2_connect(&velo, &to, peer, 0) == VELO2_RET_SUCCESS);
    must(rma2_open(&rma) == RMA2_SUCCESS);
    must(rma2_connect(rma, peer, 0, RMA2_CONN_DEFAULT, &handle) == RMA2_SUCCESS);
    must(rma2_register(rma, window.data(), bytes, &region) == RMA2_SUCCESS);
    must(rma2_get_nla(region, 0, &nla) == RMA2_SUCCESS);
  }

  void send(Unit unit, std::size_t bytes, RMA2_NLA there) {
    if (unit == Unit::kRma) {
      must(rma2_post_put_bt(rma, handle, region, 0, static_cast<std::uint32_t>(bytes), there,
                            RMA2_COMPLETER_NOTIFICATION, RMA2_CMD_DEFAULT) == RMA2_SUCCESS);
      return;
    }
    for (std::size_t sent = 0; sent < bytes; sent += VELO2_SLOT_PAYLOAD) {
      const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(bytes - sent, VELO2_SLOT_PAYLOAD));
      velo2_ret_t code;
      while ((code = velo2_send(&to, window.data() + sent, size, 0, 0)) == VELO2_RET_TRY_AGAIN)
        velo2_wait_send(&to);
      must(code == VELO2_RET_SUCCESS);
    }
  }

  void receive(Unit unit, std::size_t bytes) {
    if (unit == Unit::kRma) {
      RMA2_Notification* notification = nullptr;
      must(rma2_noti_get_block(rma, &notification) == RMA2_SUCCESS);
      rma2_noti_free(rma, notification);
      return;
    }
    for (std::size_t got = 0; got < bytes; got += VELO2_SLOT_PAYLOAD) {
      velo2_ret_t code;
      while ((code = velo2_probe_recv(&velo, window.data() + got, VELO2_SLOT_PAYLOAD, nullptr, nullptr,
                                      nullptr, nullptr)) == VELO2_RET_NO_MSG)
        must(velo2_wait(&velo) == VELO2_RET_SUCCESS);
      must(code == VELO2_RET_SUCCESS);
    }
  }

  velo2_port_t velo{};
  velo2_connection_t to{};
  RMA2_Port rma{};
  RMA2_Handle handle{};
  RMA2_Region* region = nullptr;
  RMA2_NLA nla = 0;
  std::vector<char> window;
};

std::vector<double> half_round_trips(const sim::NetworkModel& model, std::span<const std::size_t> sizes,
                                     Unit unit) {
  sim::Simulation simulation({.model = &model, .nodes = 2});
  Machine machine(simulation);
  std::vector<std::unique_ptr<Side>> sides;
  for (std::uint16_t node = 0; node < 2; ++node) {
    const Process::Current scope{&machine.process(node)};
    // Room for whole slots.
    sides.push_back(std::make_unique<Side>(node, std::ranges::max(sizes) + VELO2_SLOT_PAYLOAD));
  }
  std::vector<double> found;
  machine.start(0, "ping", [&] {
    for (const std::size_t bytes : sizes) {
      sim::Time start = 0;
      for (unsigned turn = 0; turn < kWarmUp + kTurns; ++turn) {
        if (turn == kWarmUp) start = simulation.engine().now();
        sides[0]->send(unit, bytes, sides[1]->nla);
        sides[0]->receive(unit, bytes);
      }
      found.push_back(static_cast<double>(simulation.engine().now() - start) / sim::kMicrosecond / kTurns /
                      2);
    }
  });
  machine.start(1, "pong", [&] {
    for (const std::size_t bytes : sizes) {
      for (unsigned turn = 0; turn < kWarmUp + kTurns; ++turn) {
        sides[1]->receive(unit, bytes);
        sides[1]->send(unit, bytes, sides[0]->nla);
      }
    }
  });
  must(simulation.run());
  return found;
}

}  // namespace

std::vector<double> native_half_round_trips(const sim::NetworkModel& model,
                                            std::span<const std::size_t> sizes) {
  std::vector<std::size_t> short_ones;
  std::ranges::copy_if(sizes, std::back_inserter(short_ones),
                       [](std::size_t bytes) { return bytes <= kMostByVelo; });
  const std::vector<double> by_velo = half_round_trips(model, short_ones, Unit::kVelo);
  std::vector<double> found = half_round_trips(model, sizes, Unit::kRma);
  for (std::size_t i = 0; i < by_velo.size(); ++i) found[i] = std::min(found[i], by_velo[i]);
  return found;
}

}  // namespace aqueduct::figures
