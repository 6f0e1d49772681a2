// aqueduct-probe: asks one plug-in whether it can carry a job (conduit/plugin/probe.hpp). Installed where
// plug-ins are; ranks start it.
#include "conduit/plugin/announcement.hpp"
#include "conduit/plugin/probe.hpp"

// Ranks check by this note that it was built with their library.
[[gnu::section(".note.aqueduct"), gnu::used,
  gnu::aligned(4)]] constinit const aqueduct::conduit::plugin::AnnouncementNote aqueduct_announcement_note =
    aqueduct::conduit::plugin::announce({});

int main(int count, char** arguments) { return aqueduct::conduit::plugin::probe_main(count, arguments); }
