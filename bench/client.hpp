// The public header, as a client includes it.
//
// gasnetex.h takes the thread mode from a macro, and passes it to the library when the client starts. The
// measured code is compiled once, as PAR: inlined code does not depend on the mode, which is a property of
// the running library. Only the call that starts the client is compiled in both modes (start_seq.cpp,
// start_par.cpp), so that one tool measures both.
#pragma once
#if !defined(GASNET_SEQ) && !defined(GASNET_PAR)
#define GASNET_PAR 1
#endif
#include <gasnetex.h>
