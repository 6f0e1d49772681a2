// What decodes bytes from outside, one target each: called by libFuzzer with whatever it makes up. A target
// may refuse its bytes, as the library does, by fatal(); anything else that ends it, and any assertion, is an
// error.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>

namespace aqueduct::fuzz {

using Input = std::span<const std::uint8_t>;

inline std::string_view text_of(Input input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

/// In release builds, too.
inline void expect(bool condition) {
  if (!condition) std::abort();
}

/// Numbers from the front of an input; zeros when it is at its end.
class Reader {
 public:
  explicit Reader(Input input) : rest_(input) {}

  bool is_at_end() const { return rest_.empty(); }
  template <class Number>
  Number take() {
    Number number = 0;
    const Input bytes = take_bytes(sizeof number);
    if (!bytes.empty()) std::memcpy(&number, bytes.data(), bytes.size());
    return number;
  }
  Input take_bytes(std::size_t bytes) {
    const Input taken = rest_.first(bytes < rest_.size() ? bytes : rest_.size());
    rest_ = rest_.subspan(taken.size());
    return taken;
  }

 private:
  Input rest_;
};

// The first bytes of a connection, and the proof that follows.
void greeting(Input input);
// What a node of the bootstrap's tree hears from its parent and children.
void tree_node(Input input);
// Texts from the environment of ranks.
void net_address(Input input);
void layout(Input input);
// What launchers and other ranks say through them.
void pmi_text(Input input);
void card(Input input);
// What launchers read from agents, and from people.
void agent_messages(Input input);
void host_list(Input input);
// Datagrams of other hosts.
void datagram(Input input);
void port(Input input);
// Messages of other processes to the uGNI library.
void ugni_messages(Input input);
// Files that are replayed.
void timeline(Input input);
void mpi_text(Input input);

}  // namespace aqueduct::fuzz
