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

/// Called at the beginning of that, for what has to be said before the end; it must not wait for long. One
/// for the process.
void set_last_words(void (*speak)());

/// Says them now, if they have not been said: for a process that is about to end in another way.
void speak_last_words();

}  // namespace aqueduct
