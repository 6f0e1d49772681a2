// Starting the client in one thread mode or the other; see client.hpp for why these are two functions.
#pragma once
#include "client.hpp"

namespace aqueduct::bench {

/// gex_Client_Init as a GASNET_SEQ client calls it. Returns its result.
int start_seq(gex_Client_t* client, gex_EP_t* endpoint, gex_TM_t* team);

/// The same for a GASNET_PAR client.
int start_par(gex_Client_t* client, gex_EP_t* endpoint, gex_TM_t* team);

}  // namespace aqueduct::bench
