#include "output.hpp"

#include <fmt/format.h>

#include "json_text.hpp"
#include "png.hpp"
#include "tools/common/networks.hpp"
#include "tools/common/output_file.hpp"

namespace aqueduct::figures {
namespace {

Page page_of(const Study& study, const Found& found, const sim::NetworkModel& model) {
  Page page{.title = study.title,
            .introduction = study.introduction,
            .fitting = study.fitting,
            .criteria = found.criteria,
            .figures = found.figures,
            .pictures = found.pictures,
            .parameters_title = fmt::format("The network: {}", model.name),
            .parameters = {},
            .footer = fmt::format("Made by: aqueduct figures {} (network file CRC-32 {:08x})", study.name,
                                  model.file_crc32)};
  for (const sim::Number& number : model.numbers()) {
    page.parameters.push_back({.name = number.name,
                               .value = networks::value_text(number),
                               .mark = networks::mark_text(number),
                               .source = number.according_to});
  }
  return page;
}

}  // namespace

void Output::store(const std::string& name, const std::string& text) {
  if (!complaint_.empty()) return;
  if (const auto wrong = output_file::write((directory_ / name).string(), text)) {
    complaint_ = *wrong;
    return;
  }
  written_ += (written_.empty() ? "" : ", ") + name;
}

void Output::store_drawing(const std::string& name, const std::string& svg) {
  has_drawings_ = true;
  store(name + ".svg", svg);
  if (!complaint_.empty() || !can_write_png()) return;
  const std::string png = (directory_ / (name + ".png")).string();
  if (!write_png((directory_ / (name + ".svg")).string(), png)) {
    complaint_ = "cannot write " + png + ": rsvg-convert failed";
    return;
  }
  written_ += ", " + name + ".png";
}

std::string Output::summary() const {
  std::string text = fmt::format("{}: {}\n", directory_.string(), written_);
  if (has_drawings_ && !can_write_png()) {
    text += "PNG files are made where rsvg-convert is installed (Debian: librsvg2-bin); here are none\n";
  }
  return text;
}

void store_study(Output& output, const Study& study, const Found& found, const sim::NetworkModel& model,
                 const Falsification* falsification) {
  for (const Figure& figure : found.figures) {
    output.store(figure.id + ".json", json_text(figure));
    output.store_drawing(figure.id, standalone(figure.chart));
  }
  for (const Picture& picture : found.pictures) {
    output.store_drawing(picture.id, as_file(picture.title, picture.width, picture.height, picture.inner));
  }
  output.store("criteria.json", json_text(found.criteria));
  output.store("criteria.md", markdown(found.criteria));
  Page page = page_of(study, found, model);
  if (falsification != nullptr) page.falsification = falsification_picture(*falsification);
  output.store(fmt::format("{}.html", study.name), html(page));
}

void store_falsification(Output& output, const Study& study, const Falsification& falsification) {
  const Picture picture = falsification_picture(falsification);
  output.store("falsification.json", falsification_json(falsification));
  output.store("falsification.md", falsification_markdown(falsification));
  output.store_drawing(picture.id, as_file(fmt::format("{}: {}", study.name, picture.title), picture.width,
                                           picture.height, picture.inner));
}

}  // namespace aqueduct::figures
