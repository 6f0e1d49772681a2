// Where in the program the present call of the library is, for the one line about what went wrong.
#pragma once
#include <cstddef>

namespace aqshmem {

/// Writes " (at FILE:LINE)" if the program was compiled with -g and addr2line is installed, or
/// " (at PROGRAM+0x1234)", which addr2line -e PROGRAM 0x1234 understands; nothing if the caller is not found.
/// Slow: the stack is searched and a command is called.
void find_place(char* text, std::size_t bytes);

}  // namespace aqshmem
