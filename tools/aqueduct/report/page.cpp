#include <fmt/format.h>

#include "papers/figures/chart.hpp"
#include "report/assets.hpp"
#include "report/data.hpp"

namespace aqueduct::report {
namespace {

/// JSON for a script element: no tag begins in it.
std::string in_script(const std::string& json) {
  std::string out;
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string page_of(const Report& report) {
  return fmt::format(R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{}</title>
<style>
{}</style>
</head>
<body>
<main id="main"><noscript>The plots are drawn by a script, which this browser does not run. The data are in the source of this page.</noscript></main>
<script type="application/json" id="data">{}</script>
<script>
{}</script>
</body>
</html>
)html",
                     figures::escaped(fmt::format("Aqueduct on {}", report.machine.host)), kStyle,
                     in_script(to_json(report)), kScript);
}

}  // namespace aqueduct::report
