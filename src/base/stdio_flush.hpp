// Flushing stdio on the way out, where waiting for a lock of stdio could be waiting forever.
//
// A process that is told to end may have a thread inside printf, or be inside printf itself (a signal
// handler). fflush(NULL) would then wait for a lock whose owner never runs again.
#pragma once

namespace aqueduct {

/// Writes out what stdio holds, or ends the process with `code` if that is not possible: stdout and stderr
/// are flushed if their locks come free within a moment (a slow reader is waited for, since that is no
/// deadlock); the other streams then get a quarter of a second.
void flush_stdio_or_exit(int code);

/// flush_stdio_or_exit() calls `speak` first, so that it can say what has to be said before the end. It must
/// not wait for long. The process has one.
void set_last_words(void (*speak)());

/// Calls `speak` now, unless it has been called: for a process that is about to end in another way.
void speak_last_words();

}  // namespace aqueduct
