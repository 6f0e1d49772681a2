#include <cstdio>

#include "aqueduct/tools/format.h"

namespace {

// The longest texts of a pointer, a number of 64 bits, and what stands around them.
constexpr std::size_t kEntryBytes = 64;
constexpr std::size_t kFrameBytes = 160;

/// Appends to a buffer that its owner promised to be large enough (X_bufsz).
class Text {
 public:
  explicit Text(char* buffer) : at_(buffer) { *at_ = '\0'; }
  template <class... Values>
  Text& add(const char* format, Values... values) {
    at_ += std::snprintf(at_, kFrameBytes, format, values...);
    return *this;
  }

  std::size_t add_memvecs(std::size_t count, const gex_Memvec_t* list) {
    std::size_t bytes = 0;
    add("%zu entries {", count);
    for (std::size_t index = 0; index < count; ++index) {
      add("%s[%p, %zu]", index > 0 ? ", " : "", list[index].gex_addr, list[index].gex_len);
      bytes += list[index].gex_len;
    }
    add("%s", "}");
    return bytes;
  }

  std::size_t add_addresses(std::size_t count, void* const* list, std::size_t length) {
    add("%zu entries of %zu bytes {", count, length);
    for (std::size_t index = 0; index < count; ++index) add("%s%p", index > 0 ? ", " : "", list[index]);
    add("%s", "}");
    return count * length;
  }

  void add_strides(std::size_t count, const ptrdiff_t* list) {
    add("%s", "{");
    for (std::size_t index = 0; index < count; ++index) add("%s%td", index > 0 ? ", " : "", list[index]);
    add("%s", "}");
  }

 private:
  char* at_;
};

Text& add_peer(Text& text, gex_TM_t tm, gex_Rank_t rank) {
  return text.add("team %p rank %u", static_cast<void*>(tm), rank);
}

}  // namespace

extern "C" {

size_t gasnett_format_memveclist_bufsz(size_t count) { return kFrameBytes + count * kEntryBytes; }

size_t gasnett_format_memveclist(char* buf, size_t count, const gex_Memvec_t* list) {
  return Text(buf).add_memvecs(count, list);
}

size_t gasnett_format_putvgetv_bufsz(size_t dst_count, size_t src_count) {
  return kFrameBytes + gasnett_format_memveclist_bufsz(dst_count) +
         gasnett_format_memveclist_bufsz(src_count);
}

size_t gasnett_format_putvgetv(char* buf, gex_TM_t tm, gex_Rank_t rank, size_t dst_count,
                               const gex_Memvec_t* dst_list, size_t src_count, const gex_Memvec_t* src_list) {
  Text text(buf);
  add_peer(text, tm, rank).add("%s", "; destination: ");
  text.add_memvecs(dst_count, dst_list);
  text.add("%s", "; source: ");
  return text.add_memvecs(src_count, src_list);
}

size_t gasnett_format_addrlist_bufsz(size_t count) { return kFrameBytes + count * kEntryBytes; }

size_t gasnett_format_addrlist(char* buf, size_t count, void* const* list, size_t len) {
  return Text(buf).add_addresses(count, list, len);
}

size_t gasnett_format_putigeti_bufsz(size_t dst_count, size_t src_count) {
  return kFrameBytes + gasnett_format_addrlist_bufsz(dst_count) + gasnett_format_addrlist_bufsz(src_count);
}

size_t gasnett_format_putigeti(char* buf, gex_TM_t tm, gex_Rank_t rank, size_t dst_count,
                               void* const* dst_list, size_t dst_len, size_t src_count, void* const* src_list,
                               size_t src_len) {
  Text text(buf);
  add_peer(text, tm, rank).add("%s", "; destination: ");
  text.add_addresses(dst_count, dst_list, dst_len);
  text.add("%s", "; source: ");
  return text.add_addresses(src_count, src_list, src_len);
}

size_t gasnett_format_strides_bufsz(size_t count) { return kFrameBytes + count * kEntryBytes; }

void gasnett_format_strides(char* buf, size_t count, const ptrdiff_t* list) {
  Text(buf).add_strides(count, list);
}

size_t gasnett_format_putsgets_bufsz(size_t stridelevels) {
  return 3 * kFrameBytes + 3 * gasnett_format_strides_bufsz(stridelevels);
}

size_t gasnett_format_putsgets(char* buf, void*, gex_TM_t tm, gex_Rank_t rank, void* dst_addr,
                               const ptrdiff_t* dst_strides, void* src_addr, const ptrdiff_t* src_strides,
                               size_t elem_size, const size_t* count, size_t stridelevels) {
  Text text(buf);
  add_peer(text, tm, rank).add("; %zu levels of %zu bytes; counts {", stridelevels, elem_size);
  size_t bytes = elem_size;
  for (size_t level = 0; level < stridelevels; ++level) {
    text.add("%s%zu", level > 0 ? ", " : "", count[level]);
    bytes *= count[level];
  }
  text.add("}; destination: %p, strides ", dst_addr).add_strides(stridelevels, dst_strides);
  text.add("; source: %p, strides ", src_addr).add_strides(stridelevels, src_strides);
  return bytes;
}

}  // extern "C"
