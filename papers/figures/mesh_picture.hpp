// A mesh as an SVG drawing, with the load of every cable relative to the busiest: from thin and pale to thick
// and red.
//
// A mesh of three axes is drawn slanted, layer behind layer. Nodes of the job are filled, others are rings.
#pragma once
#include <string>
#include <vector>

#include "extoll_access.hpp"
#include "page.hpp"

namespace aqueduct::figures {

/// The picture has no text.
Picture mesh_picture(std::string id, std::string title, const sim::Topology::Dimensions& mesh,
                     const std::vector<fabric::NodeId>& job, const Access& access);

}  // namespace aqueduct::figures
