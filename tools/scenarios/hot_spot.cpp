#include "hot_spot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/fatal.hpp"
#include "sim/network.hpp"
#include "sim/units.hpp"

namespace aqueduct::scenarios {
namespace {

using namespace fabric;
using namespace sim;

constexpr Time kQuiet = 200 * kMicrosecond;   // before
constexpr Time kAfter = 1000 * kMicrosecond;  // and after it
constexpr Time kWindow = 20 * kMicrosecond;
constexpr unsigned kMostWaiting = 16;                   // messages of a node that have not left it
constexpr std::uint64_t kTraffic = 201, kStarts = 202;  // streams of random numbers
constexpr std::uint16_t kNextMessage = kFirstInterfaceKind + 2;
constexpr std::size_t kHeaderBytes = 16;

HotSpotFigures figures;

/// What all nodes have in common.
struct Course {
  Simulation& simulation;
  std::size_t bytes;
  NodeId hot;
  Time pace;  // between two messages of a node
  Time hot_until;
  std::vector<std::byte> payload;  // of every message
  std::vector<std::byte> landing;
  std::uint64_t to_hot = 0;  // under way
};

class Sender final : public PortClient {
 public:
  Sender(Course& course, NodeId self)
      : course_(course), self_(self), random_(course.simulation.engine().random(kTraffic, self)) {
    course.simulation.port(self).set_client(*this);
    number_ = static_cast<unsigned>(course.simulation.engine().random(kStarts, self).below(kHotEvery));
    if (self != course.hot) plan_next();
  }

  void arrived(const Arrival& arrival) override {
    const Piece room{course_.landing.data(), course_.landing.size()};
    course_.simulation.port(self_).accept(arrival.id, {&room, 1}, arrival.payload_bytes, 0);
  }
  void landed(std::uint64_t, Outcome outcome) override {
    if (outcome != Outcome::kOk) return;
    const Time now = course_.simulation.engine().now();
    if (self_ == course_.hot) {
      --course_.to_hot;
      figures.drained = now;
    } else if (const auto window = static_cast<std::size_t>(now / kWindow);
               window < figures.by_window.size()) {
      figures.by_window[window] += static_cast<double>(course_.bytes);
    }
  }
  void sent(std::uint64_t) override {
    --waiting_;
    if (!held_up_) return;
    held_up_ = false;
    write();
  }
  void undeliverable(std::uint64_t, NodeId, std::span<const std::byte>) override {}

 private:
  // At regular times, give or take a half.
  void plan_next() {
    const Time pause = course_.pace / 2 + random_.below(course_.pace);
    if (course_.simulation.engine().now() + pause >= course_.hot_until + kAfter) return;
    course_.simulation.engine().after(pause, {kNextMessage, self_}, [this] { write(); });
  }

  void write() {
    if (waiting_ == kMostWaiting) {
      held_up_ = true;  // until one has left
      return;
    }
    const Time now = course_.simulation.engine().now();
    const bool is_hot = ++number_ % kHotEvery == 0 && now >= kQuiet && now < course_.hot_until;
    NodeId to = course_.hot;
    while (!is_hot && (to == course_.hot || to == self_))
      to = static_cast<NodeId>(random_.below(course_.simulation.ports()));
    const std::array<std::uint64_t, kHeaderBytes / sizeof(std::uint64_t)> header{number_, now};
    const Piece piece{course_.payload.data(), course_.payload.size()};
    if (course_.simulation.port(self_).send(to, std::as_bytes(std::span(header)), {&piece, 1}, 0) !=
        Post::kDone)
      fatal("hot-spot", "a port has no room for %u messages; injection.messages is too small", kMostWaiting);
    ++waiting_;
    if (is_hot) ++course_.to_hot;
    plan_next();
  }

  Course& course_;
  NodeId self_;
  Random random_;
  unsigned number_ = 0, waiting_ = 0;
  bool held_up_ = false;
};

// What a message takes at a gate.
Time at_gate(const Gate& gate, const NetworkModel& model, std::size_t bytes) {
  const bool is_inline = bytes <= model.inline_bytes;
  const std::size_t packets = 1 + (is_inline ? 0 : (bytes + model.packet_bytes - 1) / model.packet_bytes);
  return gate.per_message + gate.per_packet * packets + gate.rate.of(kHeaderBytes) + gate.rate.of(bytes);
}

// MB/s of a sender between two times.
double mean(Time from, Time until) {
  const std::size_t first = from / kWindow, last = until / kWindow;
  double sum = 0;
  for (std::size_t i = first; i < last; ++i) sum += figures.by_window[i];
  return sum / static_cast<double>(last - first);
}

}  // namespace

const HotSpotFigures& hot_spot_figures() { return figures; }

std::function<void()> hot_spot(Simulation& simulation, const Parameters& parameters) {
  const NetworkModel& model = *simulation.setup().model;
  if (simulation.ports() < 3) fatal("hot-spot", "%u nodes are too few: three at least", simulation.ports());
  const std::size_t bytes = parameters.bytes_or(1024);
  auto course =
      std::make_shared<Course>(Course{.simulation = simulation,
                                      .bytes = bytes,
                                      .hot = simulation.ports() / 2,
                                      .pace = at_gate(model.injection, model, bytes) * 100 / kLoadPercent,
                                      .hot_until = kQuiet + parameters.rounds_or(40) * 100 * kMicrosecond,
                                      .payload = std::vector<std::byte>(bytes),
                                      .landing = std::vector<std::byte>(bytes)});
  figures = {};
  figures.window = kWindow;
  figures.hot_from = kQuiet;
  figures.hot_until = course->hot_until;
  figures.by_window.resize((course->hot_until + kAfter) / kWindow);
  simulation.engine().at(course->hot_until, {kControl, 0},
                         [its = course.get()] { figures.late = its->to_hot; });
  auto senders = std::make_shared<std::vector<std::unique_ptr<Sender>>>();
  for (NodeId node = 0; node < simulation.ports(); ++node)
    senders->push_back(std::make_unique<Sender>(*course, node));
  return [course, senders, &simulation, &model] {
    const auto others = static_cast<double>(simulation.ports() - 1);
    const Time takes = at_gate(model.ejection, model, course->bytes);
    const double wanted = static_cast<double>(course->bytes) * 1e6 / static_cast<double>(course->pace);
    const double forced =
        (kHotEvery - 1) * static_cast<double>(course->bytes) * 1e6 / (static_cast<double>(takes) * others);
    for (double& bytes_in_window : figures.by_window)
      bytes_in_window *= 1e6 / static_cast<double>(kWindow) / others;  // picoseconds: bytes to MB/s
    const Time until = figures.hot_until;
    figures.by_hand = std::min(forced, wanted * (kHotEvery - 1) / kHotEvery);
    figures.before = mean(kQuiet / 2, kQuiet);
    figures.during = mean(kQuiet + (until - kQuiet) / 2, until);
    figures.after = mean(until + kAfter * 3 / 4, until + kAfter);
    figures.late_by_hand = figures.late * takes;
    for (const Link& link : simulation.network().switching().links()) {
      figures.busiest_link =
          std::max(figures.busiest_link,
                   static_cast<double>(link.busy) / static_cast<double>(simulation.engine().now()));
    }
    if (course->to_hot != 0)
      fatal("hot-spot", "%llu messages have not come", static_cast<unsigned long long>(course->to_hot));
  };
}

std::string hot_spot_findings() {
  const double off = 100 * (figures.during / figures.by_hand - 1);
  return fmt::format(
      "bystanders    {:.1f} MB/s each, then {:.1f} while one node is hot, {:.1f} afterwards\n"
      "by hand       {:.1f} while it is hot: off by {:.1f} %\n"
      "release       {} messages late, taken {} after it; by hand {}\n"
      "links         the busiest one for {:.0f} % of the time\n",
      figures.before, figures.during, figures.after, figures.by_hand, off, figures.late,
      show(figures.drained - std::min(figures.drained, figures.hot_until)).text,
      show(figures.late_by_hand).text, 100 * figures.busiest_link);
}

}  // namespace aqueduct::scenarios
