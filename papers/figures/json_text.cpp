#include "papers/figures/json_text.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace aqueduct::figures {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const Axis& axis) {
  return {{"label", axis.label}, {"scale", axis.scale == Scale::kLog ? "log" : "linear"}};
}

ordered_json json_of(const Figure& figure) {
  ordered_json out{
      {"figure", figure.id},          {"title", figure.chart.title},     {"x", json_of(figure.chart.x)},
      {"y", json_of(figure.chart.y)}, {"curves", ordered_json::array()}, {"stated", ordered_json::array()}};
  for (const Curve& curve : figure.chart.curves) {
    ordered_json points = ordered_json::array();
    for (const Point& point : curve.points) points.push_back({point.x, point.y});
    out["curves"].push_back({{"name", curve.name}, {"points", points}});
  }
  for (const Stated& stated : figure.chart.stated) {
    out["stated"].push_back({{"curve", figure.chart.curves[stated.curve].name},
                             {"at", {stated.at.x, stated.at.y}},
                             {"text", stated.text}});
  }
  for (const Band& band : figure.chart.bands) {
    ordered_json low = ordered_json::array(), high = ordered_json::array();
    for (const Point& point : band.low) low.push_back({point.x, point.y});
    for (const Point& point : band.high) high.push_back({point.x, point.y});
    out["stated"].push_back({{"low", low}, {"high", high}, {"text", band.text}});
  }
  for (const Guide& guide : figure.chart.guides) {
    ordered_json stated{{guide.vertical ? "x" : "y", guide.at}, {"text", guide.text}};
    if (guide.to) stated["to"] = *guide.to;
    out["stated"].push_back(std::move(stated));
  }
  return out;
}

ordered_json json_of(const std::vector<Criterion>& criteria) {
  ordered_json out = ordered_json::array();
  for (const Criterion& criterion : criteria) {
    // JSON has no infinity: a bound that is not there is null.
    const auto bound = [](double value) {
      return std::isfinite(value) ? ordered_json(value) : ordered_json();
    };
    out.push_back(
        {{"what", criterion.what},
         {"stated", criterion.stated},
         {"unit", criterion.unit},
         {"value", criterion.value},
         {"least", bound(criterion.least)},
         {"most", bound(criterion.most)},
         {"mark", name_of(criterion.mark)},
         {"parameters", criterion.parameters},
         {"pass", criterion.holds()},
         {"missed_because",
          criterion.missed_because.empty() ? ordered_json() : ordered_json(criterion.missed_because)},
         {"holds_because",
          criterion.holds_because.empty() ? ordered_json() : ordered_json(criterion.holds_because)}});
  }
  return out;
}

}  // namespace

std::string json_text(const Figure& figure) { return json_of(figure).dump(1) + "\n"; }
std::string json_text(const std::vector<Criterion>& criteria) { return json_of(criteria).dump(1) + "\n"; }

}  // namespace aqueduct::figures
