#include "page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace aqueduct::figures {
namespace {

constexpr const char* kStyle = R"css(
:root { color-scheme: light dark; --ink: #1c2430; --dim: #4d5766; --paper: #ffffff; --card: #ffffff; --rule: #d9dde3;
  --good: #007a55; --bad: #c0392b; --open: #8a6d00; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e7eaf0; --dim: #9aa4b2; --paper: #14181f; --card: #1c222b; --rule: #323a46;
    --good: #35c99f; --bad: #ff7a6b; --open: #e6c229; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 1500px; margin: 0 auto; padding: 32px 24px 64px; }
h1 { font-size: 28px; line-height: 1.25; margin: 0 0 12px; }
h2 { font-size: 20px; margin: 40px 0 12px; }
h3 { font-size: 16px; margin: 20px 0 6px; }
p { max-width: 80ch; margin: 0 0 12px; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(560px, 100%), 1fr)); gap: 20px; }
.small { grid-template-columns: repeat(auto-fill, minmax(min(380px, 100%), 1fr)); }
figure { margin: 0; padding: 18px; background: var(--card); border: 1px solid var(--rule); border-radius: 8px;
  break-inside: avoid; }
figure h3 { margin: 0 0 8px; }
figcaption { color: var(--dim); font-size: 14px; line-height: 1.45; margin-top: 8px; }
svg { display: block; width: 100%; height: auto; font: 12.5px system-ui, sans-serif; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; }
th, td { text-align: left; padding: 5px 16px 5px 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
th { color: var(--dim); font-weight: 600; } td.number { text-align: right; font-variant-numeric: tabular-nums; }
.pass { color: var(--good); font-weight: 600; } .FAIL { color: var(--bad); font-weight: 600; }
.missed { color: var(--open); font-weight: 600; }
code { font: 13px ui-monospace, monospace; }
a { color: inherit; }
footer { color: var(--dim); font-size: 14px; margin-top: 40px; }
@media print {
  :root { --ink: #000000; --dim: #333333; --paper: #ffffff; --card: #ffffff; --rule: #c4c9d0; color-scheme: light; }
  body { font-size: 11pt; } main { max-width: none; padding: 0; }
  .charts { grid-template-columns: 1fr 1fr; gap: 12px; } figure { padding: 8px; border-radius: 0; }
  table { font-size: 9pt; } tr, h2, h3 { break-inside: avoid; break-after: avoid; }
}
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

const char* heading_of(Mark mark) {
  switch (mark) {
    case Mark::kInput:
      return "Input: put into the model by hand";
    case Mark::kFitted:
      return "Fitted: a number was calibrated to it";
    case Mark::kPredicted:
      return "Predicted: nothing was adjusted for it";
    case Mark::kByConstruction:
      return "By construction: it holds on every machine";
  }
  return "";
}

void write_criteria(Writer& write, const std::vector<Criterion>& criteria) {
  for (const Mark mark : {Mark::kInput, Mark::kFitted, Mark::kPredicted, Mark::kByConstruction}) {
    const auto count = std::ranges::count(criteria, mark, &Criterion::mark);
    if (count == 0) continue;
    write("<h3>{} ({})</h3>", heading_of(mark), count);
    write(
        R"(<div class="scroll"><table><tr><th></th><th>what</th><th>stated in the paper</th><th>ours</th>)");
    write("<th>unit</th><th>must be</th><th>{}</th></tr>", mark == Mark::kPredicted        ? "remark"
                                                           : mark == Mark::kByConstruction ? "because"
                                                                                           : "number");
    for (const Criterion& criterion : criteria) {
      if (criterion.mark != mark) continue;
      write(R"(<tr><td class="{0}">{0}</td><td>{1}</td><td>{2}</td><td class="number">{3:.4g}</td>)",
            criterion.verdict(), escaped(criterion.what), escaped(criterion.stated), criterion.value);
      write(R"(<td>{}</td><td>{}</td><td>{}</td></tr>)", escaped(criterion.unit), band_text(criterion),
            escaped(criterion.is_missed() ? criterion.missed_because
                    : !criterion.holds_because.empty()
                        ? criterion.holds_because
                        : fmt::format("{}", fmt::join(criterion.parameters, ", "))));
    }
    write("</table></div>");
  }
}

void write_parameters(Writer& write, const std::vector<ParameterRow>& rows) {
  write(R"(<div class="scroll"><table><tr><th>parameter</th><th>value</th><th>mark</th><th>from</th></tr>)");
  for (const ParameterRow& row : rows) {
    write(R"(<tr><td><code>{}</code></td><td class="number">{}</td><td>{}</td><td>{}</td></tr>)",
          escaped(row.name), escaped(row.value), escaped(row.mark), escaped(row.source));
  }
  write("</table></div>");
}

void write_head(Writer& write, const std::string& title) {
  write("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">");
  write(R"(<meta name="viewport" content="width=device-width, initial-scale=1">)");
  write("<title>{}</title>\n<style>{}{}{}", escaped(title), kStyle, kDrawingRules,
        colour_rules(Theme::kLight));
  write("@media screen and (prefers-color-scheme: dark) {{\n{}}}</style>\n</head>\n<body>\n<main>",
        colour_rules(Theme::kDark));
  write("<h1>{}</h1>", escaped(title));
}

void write_charts(Writer& write, const std::vector<Figure>& figures, const char* kind) {
  write("<div class=\"{}\">", kind);
  for (const Figure& figure : figures) {
    write("<figure id=\"{}\"><h3>{}</h3>", escaped(figure.id), escaped(figure.chart.title));
    write("{}<figcaption>{}</figcaption></figure>", draw(figure.chart), escaped(figure.text));
  }
  write("</div>");
}

/// A drawing with a natural size, which may be wider than the page.
void write_wide(Writer& write, const Picture& picture) {
  write(R"(<h2 id="{}">{}</h2><p>{}</p>)", escaped(picture.id), escaped(picture.title),
        escaped(picture.text));
  write(
      R"(<div class="scroll"><svg style="width: {0:g}px" viewBox="0 0 {0:g} {1:g}" role="img" aria-label="{2}">{3}</svg></div>)",
      picture.width, picture.height, escaped(picture.title), picture.inner);
}

void write_pictures(Writer& write, const std::vector<Picture>& pictures) {
  if (pictures.empty()) return;
  write("<div class=\"charts\">");
  for (const Picture& picture : pictures) {
    write("<figure id=\"{}\"><h3>{}</h3>", escaped(picture.id), escaped(picture.title));
    write(R"(<svg viewBox="0 0 {:g} {:g}" role="img" aria-label="{}">{}</svg>)", picture.width,
          picture.height, escaped(picture.title), picture.inner);
    write("<figcaption>{}</figcaption></figure>", escaped(picture.text));
  }
  write("</div>");
}

}  // namespace

std::string html(const Page& page) {
  Writer write;
  write_head(write, page.title);
  for (const std::string& paragraph : page.introduction) write("<p>{}</p>", escaped(paragraph));
  write("<h2>Figures</h2>");
  write_charts(write, page.figures, "charts");
  write_pictures(write, page.pictures);
  if (!page.criteria.empty()) {
    write("<h2>Against what the paper states</h2>\n<p>{} {}.</p>", escaped(page.fitting),
          Tally(page.criteria).text());
    write_criteria(write, page.criteria);
  }
  if (page.falsification) write_wide(write, *page.falsification);
  if (!page.parameters.empty()) {
    write("<h2>{}</h2>", escaped(page.parameters_title));
    write_parameters(write, page.parameters);
  }
  write("<footer>{}</footer>\n</main>\n</body>\n</html>", escaped(page.footer));
  return std::move(write.out);
}

std::string index_html(const std::vector<ListedPaper>& papers) {
  Writer write;
  write_head(write, "The papers' figures, from simulation");
  write(
      "<p>A system has the same colour in all figures. Rings, bands and dotted lines are what a paper "
      "states; curves are ours.</p>");
  std::vector<Criterion> all;
  for (const ListedPaper& paper : papers) all.insert(all.end(), paper.criteria.begin(), paper.criteria.end());
  write("<p>All together {}.</p>", Tally(all).text());
  for (const ListedPaper& paper : papers) {
    write(R"(<h2><a href="{}">{}</a></h2><p>{}.</p>)", escaped(paper.link), escaped(paper.title),
          Tally(paper.criteria).text());
    write_charts(write, paper.figures, "charts small");
  }
  write("</main>\n</body>\n</html>");
  return std::move(write.out);
}

}  // namespace aqueduct::figures
