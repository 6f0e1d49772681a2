// The style sheet and the script of the page: page.css and page.js, as the build has found them.
#pragma once

namespace aqueduct::report {

extern const char* const kStyle;
extern const char* const kScript;

}  // namespace aqueduct::report
