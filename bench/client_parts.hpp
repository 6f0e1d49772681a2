// The optional parts of the interface; client.hpp has the common part.
#pragma once
// clang-format off
#include "client.hpp"  // first: it sets the thread mode
#include <gasnet_ratomic.h>
#include <gasnet_vis.h>
// clang-format on
