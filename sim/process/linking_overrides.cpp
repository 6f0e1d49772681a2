// What a program and its libraries ask the dynamic linker about themselves: it has not loaded them.
#include <dlfcn.h>
#include <link.h>

#include <cstring>

#include "sim/process/groups.hpp"
#include "sim/process/process.hpp"

namespace aqueduct::sim::process {
namespace {

struct TlsIndex {
  std::intptr_t start;  // where the object's variables begin, from the thread pointer (Program::bind)
  std::intptr_t offset;
};

[[gnu::force_align_arg_pointer]] void* tls_address(const TlsIndex* index) {
  return ThreadArea::pointer() + index->start + index->offset;
}

struct Place {
  std::byte* base = nullptr;
  const Program::Object* object = nullptr;
};

Place place_of(const void* address) {
  const Image* const image = Image::at(address);
  if (!image) return {};
  const auto at = static_cast<std::size_t>(static_cast<const std::byte*>(address) - image->base());
  const Program::Object* const object = image->program().object_at(at);
  return object ? Place{image->base() + object->place, object} : Place{};
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
/// What looks for the handlers of an exception asks this.
int find_object(void* address, dl_find_object* result) {
  const Place place = place_of(address);
  if (!place.object) return ::_dl_find_object(address, result);
  const Elf64_Phdr* const frames = place.object->file->segment(PT_GNU_EH_FRAME);
  if (!frames) return -1;
  *result = {};
  result->dlfo_map_start = place.base;
  result->dlfo_map_end = place.base + place.object->file->span_bytes();
  result->dlfo_eh_frame = place.base + frames->p_vaddr;
  return 0;
}
#endif

using Visit = int (*)(dl_phdr_info*, std::size_t, void*);

/// First the program's own objects, then those of this process without its executable, which is the tool.
int iterate_objects(Visit visit, void* data) {
  Image& image = Process::current().image();
  for (const Program::Object& object : image.program().objects()) {
    dl_phdr_info info{};
    info.dlpi_addr = reinterpret_cast<Elf64_Addr>(image.base() + object.place);
    info.dlpi_name = &object == &image.program().objects().front() ? "" : object.file->path().c_str();
    info.dlpi_phdr = object.file->segments().data();
    info.dlpi_phnum = static_cast<Elf64_Half>(object.file->segments().size());
    if (const int result = visit(&info, sizeof info, data)) return result;
  }
  struct Rest {
    Visit visit;
    void* data;
    bool is_first = true;
  } rest{visit, data};
  return ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t bytes, void* pointer) {
        auto& all = *static_cast<Rest*>(pointer);
        return std::exchange(all.is_first, false) ? 0 : all.visit(info, bytes, all.data);
      },
      &rest);
}

int describe_address(const void* address, Dl_info* info) {
  const Place place = place_of(address);
  if (!place.object) return ::dladdr(address, info);
  const char* name = nullptr;
  const Elf64_Sym* const symbol = place.object->file->function_at(
      static_cast<std::uint64_t>(static_cast<const std::byte*>(address) - place.base), &name);
  *info = {place.object->file->path().c_str(), place.base, name,
           symbol ? place.base + symbol->st_value : nullptr};
  return 1;
}

}  // namespace

OverrideGroup linking_overrides() {
  static const Override table[] = {
      replaces("__tls_get_addr", tls_address),
#ifdef DLFO_STRUCT_HAS_EH_DBASE
      replaces("_dl_find_object", find_object),
#endif
      replaces("dl_iterate_phdr", iterate_objects),
      replaces("dladdr", describe_address),
  };
  return table;
}

}  // namespace aqueduct::sim::process
