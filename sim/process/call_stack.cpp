#include "sim/process/call_stack.hpp"

#include <cxxabi.h>
#include <unwind.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>

#include "sim/process/process.hpp"

extern "C" void __register_frame_info(const void* frames, void* room);
extern "C" void* __deregister_frame_info(const void* frames);

namespace aqueduct::sim::process {
namespace {

/// The tables that the unwinder knows, by the image, and the room in which it keeps what it knows.
struct Known {
  const std::byte* frames;
  std::unique_ptr<std::byte[]> room;
};
std::multimap<const Image*, Known>& all_known() {
  static auto& known = *new std::multimap<const Image*, Known>;
  return known;
}

std::string name_of(const std::byte* address) {
  const Image* const image = Image::at(address);
  if (!image) return "";
  const auto place = static_cast<std::size_t>(address - image->base());
  const Program::Object* const object = image->program().object_at(place);
  if (!object) return "";
  const char* name = nullptr;
  const Elf64_Sym* const symbol = object->file->function_at(place - object->place, &name);
  const std::string& path = object->file->path();
  char offset[32];
  std::snprintf(offset, sizeof offset, "+0x%zx", place - object->place - (symbol ? symbol->st_value : 0));
  if (!symbol) return path.substr(path.rfind('/') + 1) + offset;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                     std::free);
  return (plain ? plain.get() : name) + std::string(offset);
}

}  // namespace

void introduce(const Image& image) {
  auto& known = all_known();
  if (known.contains(&image)) return;
  // It prepares itself when it is first used. An exception of the program's comes from the program's own
  // unwinder, and would meet this one unprepared.
  if (known.empty()) _Unwind_Backtrace([](_Unwind_Context*, void*) { return _URC_END_OF_STACK; }, nullptr);
  for (const Program::Object& object : image.program().objects()) {
    const Elf64_Phdr* const segment = object.file->segment(PT_GNU_EH_FRAME);
    if (!segment) continue;
    const std::byte* const header = image.base() + object.place + segment->p_vaddr;
    constexpr std::byte kRelative{0x1b};  // four bytes, from where they are
    if (header[1] != kRelative) continue;
    std::int32_t distance;
    std::memcpy(&distance, header + 4, sizeof distance);
    constexpr std::size_t kRoom = 128;
    const std::byte* const frames = header + 4 + distance;
    const auto added = known.emplace(&image, Known{frames, std::make_unique<std::byte[]>(kRoom)});
    __register_frame_info(frames, added->second.room.get());
  }
}

void forget(const Image& image) {
  auto& known = all_known();
  const auto [first, last] = known.equal_range(&image);
  for (auto each = first; each != last; ++each) __deregister_frame_info(each->second.frames);
  known.erase(first, last);
}

std::string call_stack() {
  struct Walk {
    std::string text;
    unsigned frames = 0;
  } walk;
  introduce(Process::current().image());
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* data) {
        constexpr unsigned kMostFrames = 12;
        auto& all = *static_cast<Walk*>(data);
        const auto* const address = reinterpret_cast<const std::byte*>(_Unwind_GetIP(context));
        const std::string name = name_of(address);
        if (name.empty()) return _URC_NO_REASON;
        all.text += (all.frames == 0 ? "" : " < ") + name;
        return ++all.frames == kMostFrames ? _URC_END_OF_STACK : _URC_NO_REASON;
      },
      &walk);
  return walk.frames == 0 ? "in the library" : "in " + walk.text;
}

}  // namespace aqueduct::sim::process
