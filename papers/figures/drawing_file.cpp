// The frame of a drawing: style rules for its parts, the file around it, escapes for XML.
#include <fmt/format.h>

#include "chart.hpp"

namespace aqueduct::figures {

const char* const kDrawingRules = R"css(
svg text { fill: var(--ink); } svg .tick, svg .note { fill: var(--dim); font-size: 12px; }
.grid { stroke: var(--rule); fill: none; } .frame { stroke: var(--dim); fill: none; }
.guide { stroke: var(--dim); stroke-dasharray: 2 3; stroke-width: 1.4; fill: none; }
.area { fill: var(--dim); fill-opacity: .16; }
.band { fill: currentColor; fill-opacity: .17; }
.curve { fill: none; stroke: currentColor; stroke-width: 2.2; stroke-linejoin: round; }
.stated { fill: var(--card); stroke: currentColor; stroke-width: 2.4; }
.shade { fill: currentColor; } .rise { color: #b3263d; } .fall { color: #0072b2; }
)css";

namespace {

constexpr double kTitle = 30;

/// The rules with colours instead of variables, for programs that do not know these.
std::string rules_on_white() {
  std::string rules = kDrawingRules;
  for (const auto& [name, colour] :
       {std::pair{"var(--ink)", "#1c2430"}, std::pair{"var(--dim)", "#4d5766"},
        std::pair{"var(--card)", "#ffffff"}, std::pair{"var(--rule)", "#d9dde3"}}) {
    const std::string old = name;
    for (std::size_t at = rules.find(old); at != std::string::npos; at = rules.find(old, at)) {
      rules.replace(at, old.size(), colour);
    }
  }
  return rules;
}

}  // namespace

std::string as_file(const std::string& title, double width, double height, const std::string& inner) {
  const std::string text = escaped(title);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
      "height=\"{1:g}\">\n"
      "<title>{2}</title>\n<style>svg {{ font: 12.5px 'DejaVu Sans', system-ui, sans-serif; "
      "}}{3}{4}</style>\n"
      "<rect width=\"{0:g}\" height=\"{1:g}\" fill=\"#ffffff\"/>\n"
      "<text x=\"12\" y=\"22\" font-size=\"15\" font-weight=\"bold\">{2}</text>\n"
      "<g transform=\"translate(0 {5:g})\">\n{6}</g>\n</svg>\n",
      width, height + kTitle, text, rules_on_white(), colour_rules(Theme::kLight), kTitle, inner);
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace aqueduct::figures
