// Makes PNG files of SVG files with rsvg-convert, if that is installed (Debian: librsvg2-bin).
#pragma once
#include <string>

namespace aqueduct::figures {

/// Whether rsvg-convert is in one of the directories of PATH.
bool can_write_png();

/// Makes `png` of `svg`, at twice its size, for printing. False if that fails.
bool write_png(const std::string& svg, const std::string& png);

}  // namespace aqueduct::figures
