// The endpoints of this process beyond the first, and the segments of such endpoints in all processes.
//
// Endpoints are made one by one and live as long as the rank. What is known of others' segments comes from
// gex_EP_PublishBoundSegment; of this process's own, from binding. Any thread may call, also in handlers.
#pragma once
#include <array>
#include <map>
#include <memory>

#include "base/spin_lock.hpp"
#include "base/types.hpp"
#include "gasnetex.h"

namespace aqueduct::core {

struct Endpoint;

class EndpointTable {
 public:
  EndpointTable();
  ~EndpointTable();

  /// Adds an endpoint and gives it the lowest free index above 0. False if there is none.
  bool add(std::unique_ptr<Endpoint> endpoint);
  /// The endpoint with that index, which is not 0, or null.
  Endpoint* find(gex_EP_Index_t index) const;
  /// Whether there is an endpoint at that address, which may be any.
  bool holds(const Endpoint* endpoint) const;

  /// The segment of an endpoint other than 0: base, size, shift, and 1 in is_mapped_ if it is mapped here;
  /// size 0 if none is known.
  aq_peer_view_ segment_of(gex_EP_Location_t owner) const;
  void set_segment(gex_EP_Location_t owner, const aq_peer_view_& view);

 private:
  struct Before {
    bool operator()(gex_EP_Location_t a, gex_EP_Location_t b) const {
      return a.gex_rank != b.gex_rank ? a.gex_rank < b.gex_rank : a.gex_ep_index < b.gex_ep_index;
    }
  };

  mutable SpinLock lock_;
  gex_EP_Index_t next_ = 1;
  std::array<std::unique_ptr<Endpoint>, GASNET_MAXEPS> endpoints_;
  std::map<gex_EP_Location_t, aq_peer_view_, Before> segments_;
};

}  // namespace aqueduct::core
