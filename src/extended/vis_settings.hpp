// How transfers of non-contiguous memory go to ranks whose memory cannot be reached from here.
#pragma once
#include <cstddef>

namespace aqueduct::extended {

struct VisSettings {
  /// Pieces up to this size travel together in messages, which cost copies at both ends; each larger one is a
  /// put or get of its own. 0: all are.
  std::size_t put_max_chunk = kDefaultMaxChunk;
  std::size_t get_max_chunk = kDefaultMaxChunk;

  static constexpr std::size_t kDefaultMaxChunk = 2048;

  /// From GASNET_VIS_AMPIPE, GASNET_VIS_MAXCHUNK, GASNET_VIS_PUT_MAXCHUNK and GASNET_VIS_GET_MAXCHUNK.
  static VisSettings from_environment();
};

}  // namespace aqueduct::extended
