// The optional parts of the interface, as client.hpp has the common one.
#pragma once
// clang-format off
#include "client.hpp"  // first: it sets the thread mode
#include <gasnet_ratomic.h>
#include <gasnet_vis.h>
// clang-format on
