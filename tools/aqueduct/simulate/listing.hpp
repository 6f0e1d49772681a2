// aqueduct sim --list: scenarios, conduits and networks.
#pragma once

namespace aqueduct::simulate {

void print_list();

}  // namespace aqueduct::simulate
