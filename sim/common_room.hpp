// The room of a simulated job's bootstrap and of its segment keys (job/place/shared_room.hpp). All ranks live
// in one process and share its mappings: each part is mapped once, not once for each of thousands of ranks.
#pragma once
#include <map>
#include <vector>

#include "job/place/shared_room.hpp"
#include "net/descriptor.hpp"

namespace aqueduct::sim {

class CommonRoom {
 public:
  CommonRoom();
  ~CommonRoom();
  CommonRoom(const CommonRoom&) = delete;
  CommonRoom& operator=(const CommonRoom&) = delete;

  /// Maps at least `bytes` from `offset` on. The mapping stays, because a rank may still read there when
  /// another asks for a larger part; both map the same memory.
  std::byte* map(std::size_t offset, std::size_t bytes);

  /// One rank's room, from `place` on.
  class View final : public job::SharedRoom {
   public:
    explicit View(CommonRoom& room, std::size_t place = 0) : room_(room), place_(place) {}
    std::byte* map(std::size_t offset, std::size_t bytes) override {
      return room_.map(place_ + offset, bytes);
    }
    void unmap(std::byte*, std::size_t) override {}

   private:
    CommonRoom& room_;
    std::size_t place_;
  };

 private:
  struct Part {
    std::byte* memory;
    std::size_t bytes;
  };

  net::Descriptor file_;
  std::map<std::size_t, std::vector<Part>> parts_;  // by offset; the last is the largest
};

}  // namespace aqueduct::sim
