// A page of charts: one HTML file that needs no other file, for any browser and for printing; and the page
// that lists such pages.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "chart.hpp"
#include "criterion.hpp"

namespace aqueduct::figures {

/// A chart with what the reader should know about it.
struct Figure {
  std::string id;  ///< "figure3": the name of its data file and its anchor
  Chart chart;
  std::string text;
};

/// A picture other than a chart.
struct Picture {
  std::string id;  ///< the name of its file and its anchor
  std::string title;
  double width = 0, height = 0;
  std::string inner;  ///< the elements of its SVG
  std::string text;
};

/// A row of the table of the model's numbers.
struct ParameterRow {
  std::string name;
  std::string value;
  std::string mark;    ///< given, calibrated or assumed
  std::string source;  ///< the paper, or what it was calibrated against
};

struct Page {
  std::string title;
  std::vector<std::string> introduction;  ///< paragraphs
  std::string fitting;                    ///< a paragraph above the criteria
  std::vector<Criterion> criteria;
  std::vector<Figure> figures;
  std::vector<Picture> pictures{};
  std::optional<Picture> falsification{};  ///< which criterion notices which error
  std::string parameters_title;
  std::vector<ParameterRow> parameters;
  std::string footer;
};

std::string html(const Page& page);

/// A paper on the page that lists all of them.
struct ListedPaper {
  std::string title;
  std::string link;  ///< to its page, relative
  std::vector<Criterion> criteria;
  std::vector<Figure> figures;
};

/// The page that lists all papers, with small drawings of all figures.
std::string index_html(const std::vector<ListedPaper>& papers);

}  // namespace aqueduct::figures
