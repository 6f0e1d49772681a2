#include "mesh_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "chart.hpp"

namespace aqueduct::figures {
namespace {

constexpr double kMeshMargin = 40, kRadius = 6;

/// The places of nodes on the page.
class Layout {
 public:
  explicit Layout(const sim::Topology::Dimensions& mesh) : mesh_(mesh), step_(mesh[2] == 1 ? 62 : 128) {}

  Point at(fabric::NodeId node) const {
    const auto row = node / mesh_[0], layer = row / mesh_[1];
    const double x = node % mesh_[0], y = row % mesh_[1], z = layer;
    return {kMeshMargin + x * step_ + z * kSlantX,
            kMeshMargin + (mesh_[2] - 1) * kSlantY + y * step_ - z * kSlantY};
  }
  double width() const { return 2 * kMeshMargin + (mesh_[0] - 1) * step_ + (mesh_[2] - 1) * kSlantX; }
  double height() const { return 2 * kMeshMargin + (mesh_[1] - 1) * step_ + (mesh_[2] - 1) * kSlantY; }

 private:
  static constexpr double kSlantX = 30, kSlantY = 24;
  sim::Topology::Dimensions mesh_;
  double step_;
};

/// From pale grey by way of orange to red.
std::string colour_of(double share) {
  const double part = std::clamp(share, 0.0, 1.0);
  const auto between = [&](double low, double high) { return static_cast<int>(low + (high - low) * part); };
  return fmt::format("#{:02x}{:02x}{:02x}", between(214, 190), between(214, 20), between(214, 30));
}

std::string line(Point from, Point to, double share) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
      "stroke-width=\"{:.1f}\"/>\n",
      from.x, from.y, to.x, to.y, colour_of(share), 1 + 6 * std::clamp(share, 0.0, 1.0));
}

std::string legend(double y) {
  std::string text;
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    const double x = kMeshMargin + share * 4 * 62;
    text += line({x, y}, {x + 34, y}, share);
    fmt::format_to(std::back_inserter(text),
                   "<text class=\"note\" x=\"{:.1f}\" y=\"{:.1f}\">{:.0f} %{}</text>\n", x, y + 20,
                   share * 100, share == 1 ? " of the busiest cable" : "");
  }
  return text;
}

}  // namespace

Picture mesh_picture(std::string id, std::string title, const sim::Topology::Dimensions& mesh,
                     const std::vector<fabric::NodeId>& job, const Access& access) {
  const Layout layout(mesh);
  std::string inner;
  const sim::Topology topology(sim::TopologyKind::kMesh, mesh);
  const auto load_of = [&](sim::RouterId from, sim::RouterId to) {
    for (const CableLoad& cable : access.cables) {
      if (cable.from == std::min(from, to) && cable.to == std::max(from, to))
        return cable.busy_share / access.busiest;
    }
    return 0.0;
  };
  // Draws cables with a high load last, on top.
  std::vector<CableLoad> cables;
  fabric::NodeId stride = 1;
  for (const std::uint32_t size : mesh) {
    for (fabric::NodeId node = 0; node < topology.nodes(); ++node) {
      if (node / stride % size + 1 < size)
        cables.push_back({node, node + stride, load_of(node, node + stride)});
    }
    stride *= size;
  }
  std::ranges::sort(cables, {}, &CableLoad::busy_share);
  for (const CableLoad& cable : cables)
    inner += line(layout.at(cable.from), layout.at(cable.to), cable.busy_share);
  for (fabric::NodeId node = 0; node < topology.nodes(); ++node) {
    const Point at = layout.at(node);
    const bool is_used = std::ranges::find(job, node) != job.end();
    fmt::format_to(
        std::back_inserter(inner),
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" stroke=\"#5b6573\"><title>node {}</title>"
        "</circle>\n",
        at.x, at.y, kRadius, is_used ? "#5b6573" : "none", node);
  }
  inner += legend(layout.height() + 4);
  return {.id = std::move(id),
          .title = std::move(title),
          .width = std::max(layout.width(), 430.0),
          .height = layout.height() + 34,
          .inner = std::move(inner),
          .text = ""};
}

}  // namespace aqueduct::figures
