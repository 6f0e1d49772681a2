// The functions that a program is in, by name: for those that come to grief, and for those that ask.
#pragma once
#include <string>

namespace aqueduct::sim::process {

class Image;

/// "in inner+0x12 < outer+0x40 < main+0x9": those of the program's thread that calls, or whose signal the
/// caller handles; "in the library" if there are none.
std::string call_stack();

/// Tells the unwinder of this process where the copy's functions have their tables, so that it can go through
/// them: for a stack, or for an exception that leaves a function which this process has called. Again:
/// nothing.
void introduce(const Image& image);
/// The copy goes away.
void forget(const Image& image);

}  // namespace aqueduct::sim::process
