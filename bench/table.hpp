// Results for people.
#pragma once
#include <string>

#include "machine.hpp"
#include "parameters.hpp"
#include "result.hpp"

namespace aqueduct::bench {

/// The command that repeats this run, all defaults written out.
std::string command_line(const Parameters& parameters);

/// The whole report: command, what was measured in which unit, the rows, notes. Ends in a newline.
std::string as_table(const Parameters& parameters, const std::string& conduit, const Machine& machine,
                     const Result& result);

/// Three significant digits, no exponent: 0.0123, 1.23, 12.3, 123, 12345.
std::string short_number(double value);

}  // namespace aqueduct::bench
