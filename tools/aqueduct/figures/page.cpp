#include "page.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace aqueduct::figures {
namespace {

// Colours that readers with any colour sense can tell apart, on paper and on a dark screen.
constexpr const char* kStyle = R"css(
:root { color-scheme: light dark; --ink: #1c2430; --dim: #5c6675; --paper: #ffffff; --card: #f6f7f9; --rule: #d9dde3;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #b0448a; --c4: #8a6d00; --good: #007a55; --bad: #c0392b; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7eaf0; --dim: #9aa4b2; --paper: #14181f; --card: #1c222b; --rule: #323a46;
    --c0: #56b4e9; --c1: #f0803c; --c2: #35c99f; --c3: #e08ac4; --c4: #e6c229; --good: #35c99f; --bad: #ff7a6b; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 1500px; margin: 0 auto; padding: 32px 24px 64px; }
h1 { font-size: 28px; line-height: 1.25; margin: 0 0 12px; }
h2 { font-size: 20px; margin: 40px 0 12px; }
p { max-width: 80ch; margin: 0 0 12px; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(560px, 100%), 1fr)); gap: 20px; }
figure { margin: 0; padding: 18px; background: var(--card); border: 1px solid var(--rule); border-radius: 8px;
  break-inside: avoid; }
figure h3 { font-size: 16px; margin: 0 0 8px; }
figcaption { color: var(--dim); font-size: 14px; line-height: 1.45; margin-top: 8px; }
svg { display: block; width: 100%; height: auto; font: 12.5px system-ui, sans-serif; }
svg text { fill: var(--ink); } svg .tick, svg .note { fill: var(--dim); } svg .tick, svg .note { font-size: 12px; }
svg .note { paint-order: stroke; stroke: var(--card); stroke-width: 4px; stroke-linejoin: round; }
.grid { stroke: var(--rule); fill: none; } .frame { stroke: var(--dim); fill: none; }
.guide { stroke: var(--dim); stroke-dasharray: 5 4; fill: none; }
.legend { fill: var(--card); fill-opacity: .92; stroke: var(--rule); }
.curve { fill: none; stroke: currentColor; stroke-width: 2.2; stroke-linejoin: round; }
.stated { fill: var(--card); stroke: currentColor; stroke-width: 2.4; }
.c0 { color: var(--c0); } .c1 { color: var(--c1); } .c2 { color: var(--c2); } .c3 { color: var(--c3); }
.c4 { color: var(--c4); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; }
th, td { text-align: left; padding: 5px 16px 5px 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
th { color: var(--dim); font-weight: 600; } td.number { text-align: right; font-variant-numeric: tabular-nums; }
.pass { color: var(--good); font-weight: 600; } .fail { color: var(--bad); font-weight: 600; }
code { font: 13px ui-monospace, monospace; }
footer { color: var(--dim); font-size: 14px; margin-top: 40px; }
)css";

class Writer {
 public:
  template <typename... Values>
  void operator()(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Values>(values)...);
    out += '\n';
  }
  std::string out;
};

std::string bound(double value) { return std::isfinite(value) ? fmt::format("{:.5g}", value) : ""; }

void write_criteria(Writer& write, const std::vector<Criterion>& criteria) {
  write(R"(<div class="scroll"><table><tr><th></th><th>what</th><th>stated in the paper</th><th>ours</th>)");
  write("<th>at least</th><th>at most</th><th>unit</th></tr>");
  for (const Criterion& criterion : criteria) {
    const char* const verdict = criterion.passed() ? "pass" : "fail";
    write(R"(<tr><td class="{}">{}</td><td>{}</td><td>{}</td><td class="number">{:.5g}</td>)", verdict,
          verdict, escaped(criterion.what), escaped(criterion.stated), criterion.value);
    write(R"(<td class="number">{}</td><td class="number">{}</td><td>{}</td></tr>)", bound(criterion.least),
          bound(criterion.most), escaped(criterion.unit));
  }
  write("</table></div>");
}

void write_parameters(Writer& write, const std::vector<ParameterRow>& rows) {
  write(R"(<div class="scroll"><table><tr><th>parameter</th><th>value</th><th>mark</th><th>from</th></tr>)");
  for (const ParameterRow& row : rows) {
    write(R"(<tr><td><code>{}</code></td><td class="number">{}</td><td>{}</td><td>{}</td></tr>)",
          escaped(row.name), escaped(row.value), escaped(row.mark), escaped(row.source));
  }
  write("</table></div>");
}

}  // namespace

std::string html(const Page& page) {
  Writer write;
  write("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">");
  write(R"(<meta name="viewport" content="width=device-width, initial-scale=1">)");
  write("<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>", escaped(page.title), kStyle);
  write("<h1>{}</h1>", escaped(page.title));
  for (const std::string& paragraph : page.introduction) write("<p>{}</p>", escaped(paragraph));
  if (!page.criteria.empty()) {
    write("<h2>Against the paper's stated values</h2>");
    write_criteria(write, page.criteria);
  }
  write("<h2>Figures</h2>\n<div class=\"charts\">");
  for (const Figure& figure : page.figures) {
    write("<figure id=\"{}\"><h3>{}</h3>", escaped(figure.id), escaped(figure.chart.title));
    write("{}<figcaption>{}</figcaption></figure>", draw(figure.chart), escaped(figure.text));
  }
  write("</div>");
  if (!page.parameters.empty()) {
    write("<h2>{}</h2>", escaped(page.parameters_title));
    write_parameters(write, page.parameters);
  }
  write("<footer>{}</footer>\n</main>\n</body>\n</html>", escaped(page.footer));
  return std::move(write.out);
}

}  // namespace aqueduct::figures
