// A matrix as a drawing: names down, slanted headings across, fields that are shaded and have a short text.
#pragma once
#include <string>
#include <vector>

#include "page.hpp"

namespace aqueduct::figures {

struct MatrixField {
  std::string text;        ///< empty: an empty field
  const char* shade = "";  ///< a class of the style sheet: "rise", "fall"
  double darkness = 0;     ///< from 0 to 1
};

struct MatrixHeading {
  std::string text;
  bool is_strong = false;
};

struct MatrixRow {
  std::string name;
  std::vector<MatrixField> fields;  ///< one for each heading
};

struct Matrix {
  std::string note;  ///< one line above
  std::vector<MatrixHeading> headings;
  std::vector<MatrixRow> rows;
};

/// Its size and elements; the other parts of the picture are the caller's.
Picture draw(const Matrix& matrix);

}  // namespace aqueduct::figures
