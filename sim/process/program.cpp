#include "sim/process/program.hpp"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "aqueduct/identity.h"
#include "base/types.hpp"
#include "sim/process/computing.hpp"
#include "sim/process/overrides.hpp"
#include "sim/process/thread_area.hpp"

namespace aqueduct::sim::process {
namespace {

/// Libraries of the C library itself: they have one state for the process, and cannot be there twice.
constexpr std::array<std::string_view, 10> kSystem = {
    "libc.so.",    "libm.so.",  "libpthread.so.", "libdl.so.",     "librt.so.",
    "libutil.so.", "ld-linux-", "libmvec.so.",    "libresolv.so.", "libanl.so."};
/// Those that this process is. Clients' libraries, such as libaqueduct-shmem.so, are not among them.
constexpr std::array<std::string_view, 4> kOurs = {"libaqueduct.so", "libaqueduct_tools.so",
                                                   "libaqueduct-papers.so", "libgasnet"};
constexpr std::array<std::string_view, 4> kInterface = {"gex_", "gasnet", "aq_", "aqueduct_"};

bool begins_with_one_of(std::string_view name, auto&& beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view each) { return name.starts_with(each); });
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// The path of a library that the system's linker would find; empty if it would not.
std::string system_path(const std::string& name) {
  // Opened, because only the linker knows its cache; but not initialised twice for nothing: ours are other
  // copies.
  for (const char* folder : {"/lib/x86_64-linux-gnu/", "/usr/lib/x86_64-linux-gnu/", "/lib64/", "/usr/lib64/",
                             "/usr/local/lib/", "/lib/", "/usr/lib/"}) {
    const std::string path = folder + name;
    if (::access(path.c_str(), R_OK) == 0) return path;
  }
  return "";
}

/// A function or variable of the library in this process; null if there is none.
void* find_interface(const char* name, unsigned type) {
  void* const address = ::dlsym(RTLD_DEFAULT, name);
  // An executable's undefined functions may be of no type.
  Dl_info info;
  void* symbol = nullptr;
  if (type == STT_NOTYPE && address && ::dladdr1(address, &info, &symbol, RTLD_DL_SYMENT) != 0 && symbol)
    type = ELF64_ST_TYPE(static_cast<const Elf64_Sym*>(symbol)->st_info);
  return address && type == STT_FUNC ? wrapped(address) : address;
}

/// Null, or what was built into the file that cannot be simulated.
const char* sanitizer_of(const ElfFile& file) {
  for (const std::string& name : file.needed()) {
    for (const char* each : {"libasan", "libtsan", "libubsan", "libmsan", "liblsan"})
      if (name.starts_with(each)) return each + 3;
  }
  for (const char* each : {"__asan_init", "__tsan_init", "__msan_init"})
    if (file.find_symbol(each, nullptr)) return each + 2;
  return nullptr;
}

/// Empty, or why the executable cannot be simulated.
std::string misfit(const ElfFile& file) {
  struct stat status {};
  if (::fstat(file.fd(), &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)) != 0)
    return "it runs with another user's rights; simulate a copy without its setuid bit";
  if (file.header().e_type == ET_EXEC && !file.segment(PT_INTERP))
    return "it is static; link it without -static, and position independent (-fPIE, -pie)";
  if (file.header().e_type == ET_EXEC)
    return "it is not position independent; build it with -fPIE and link it with -pie";
  if (file.header().e_type != ET_DYN) return "it is no program; link it";
  if (!file.segment(PT_INTERP)) return "it is static; link it without -static";
  if (const char* const sanitizer = sanitizer_of(file))
    return std::string("it was built with a sanitizer (") + sanitizer + "); build it without -fsanitize";
  if (file.dynamic(DT_TEXTREL) != 0) return "its code has addresses in it; compile all of it with -fPIE";
  if (file.find_symbol("malloc", nullptr)) return "it has a malloc of its own; link it without";
  return "";
}

}  // namespace

bool Program::is_executable(const std::string& path) {
  if (!kSimulatesExecutables) return false;
  std::string why;
  const std::unique_ptr<ElfFile> file = ElfFile::open(path, &why);
  // What is no object at all is said about as about a program.
  if (!file) return ::access(path.c_str(), R_OK) == 0;
  return !file->find_symbol("aqueduct_sim_main", nullptr) &&
         (file->header().e_type != ET_DYN || file->segment(PT_INTERP) ||
          (file->dynamic(DT_FLAGS_1) & DF_1_PIE) != 0);
}

std::unique_ptr<Program> Program::load(const std::string& path, const std::vector<std::string>& shared,
                                       std::string* why) {
  std::string reason;
  std::unique_ptr<Program> program(new Program);
  std::unique_ptr<ElfFile> executable = ElfFile::open(path, &reason);
  if (executable) reason = misfit(*executable);
  if (!reason.empty()) {
    *why = path + ": " + reason;
    return nullptr;
  }
  if (!program->find_objects(std::move(executable), shared, &reason)) {
    *why = path + ": " + reason;
    return nullptr;
  }
  if (!program->replace_library(&reason)) {
    *why = path + ": " + reason;
    return nullptr;
  }
  program->lay_out();
  if (program->tls_bytes_ > ThreadArea::kMostProgramBytes) {
    *why = path + ": its thread-local variables take " + std::to_string(program->tls_bytes_) +
           " bytes, and there is room for " + std::to_string(ThreadArea::kMostProgramBytes);
    return nullptr;
  }
  for (const Object& object : program->objects_) {
    for (const std::uint64_t place : object.file->relative_words()) {
      const auto* const addend = object.file->at<std::uint64_t>(place);
      program->words_.push_back({object.place + place, object.place + (addend ? *addend : 0), true});
    }
    for (const auto& table : {object.file->relocations(), object.file->jump_slots()}) {
      for (const Elf64_Rela& relocation : table) {
        if (program->bind(object, relocation, &reason)) continue;
        *why = path + ": " + reason;
        return nullptr;
      }
    }
  }
  return program;
}

bool Program::find_objects(std::unique_ptr<ElfFile> executable, const std::vector<std::string>& shared,
                           std::string* why) {
  objects_.push_back({.file = std::move(executable)});
  // The libc that this process has, whether the program names it or not.
  for (const char* name : {"libc.so.6", "libm.so.6"})
    if (void* const handle = ::dlopen(name, RTLD_NOW)) shared_.push_back(handle);
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    const ElfFile& file = *objects_[i].file;
    for (const std::string& name : file.needed())
      if (!add_library(name, file, shared, why)) return false;
  }
  std::vector<bool> seen(objects_.size());
  put_in_order(0, seen);
  return true;
}

bool Program::add_library(const std::string& name, const ElfFile& wanted_by,
                          const std::vector<std::string>& shared, std::string* why) {
  if (std::ranges::find(needed_, name) != needed_.end()) return true;
  needed_.push_back(name);
  if (begins_with_one_of(file_name(name), kOurs)) {
    uses_library_ = true;
    return true;
  }
  std::string path;
  if (name.find('/') != std::string::npos) {
    path = name;
  } else {
    for (const std::string& folder : wanted_by.search_path()) {
      if (!path.empty()) break;
      if (::access((folder + "/" + name).c_str(), R_OK) == 0) path = folder + "/" + name;
    }
    if (path.empty()) path = system_path(name);
  }
  const bool is_shared = begins_with_one_of(file_name(name), kSystem) ||
                         std::ranges::find(shared, name) != shared.end() ||
                         std::ranges::find(shared, file_name(path)) != shared.end();
  if (is_shared) {
    void* const handle = ::dlopen(path.empty() ? name.c_str() : path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (handle) shared_.push_back(handle);
    if (!handle) *why = "cannot load the library " + name + ": " + ::dlerror();
    return handle != nullptr;
  }
  if (path.empty()) {
    *why = "cannot find the library " + name + "; LD_LIBRARY_PATH may name its folder";
    return false;
  }
  std::string reason;
  std::unique_ptr<ElfFile> file = ElfFile::open(path, &reason);
  if (!file) {
    *why = "cannot load the library " + path + ": " + reason;
    return false;
  }
  objects_.push_back({.file = std::move(file)});
  return true;
}

void Program::put_in_order(std::size_t object, std::vector<bool>& seen) {
  if (seen[object]) return;
  seen[object] = true;
  for (const std::string& name : objects_[object].file->needed()) {
    for (std::size_t other = 1; other < objects_.size(); ++other)
      if (objects_[other].file->soname() == name ||
          file_name(objects_[other].file->path()) == file_name(name))
        put_in_order(other, seen);
  }
  order_.push_back(object);
}

void Program::lay_out() {
  for (Object& object : objects_) {
    object.place = span_bytes_;
    span_bytes_ += object.file->span_bytes() + kPage;  // and a page that nobody may touch
    const Elf64_Phdr* const tls = object.file->segment(PT_TLS);
    if (!tls || tls->p_memsz == 0) continue;
    tls_bytes_ = round_up(tls_bytes_ + tls->p_memsz, std::max<std::size_t>(tls->p_align, 1));
    object.tls_below = tls_bytes_;
  }
}

bool Program::replace_library(std::string* why) {
  ElfFile& file = *objects_.front().file;
  constexpr std::string_view kMark = "$GASNetCoreLibraryVersion: ";
  const std::size_t mark = file.contents().find(kMark);
  if (mark == std::string_view::npos) return true;
  uses_library_ = true;
  constexpr std::string_view kOwnVersion = GASNET_CORE_VERSION_STR " $";
  const std::string_view version = file.contents().substr(mark + kMark.size(), kOwnVersion.size());
  if (version != kOwnVersion) {
    *why = "it contains the library (libaqueduct.a) of version " +
           std::string(version.substr(0, version.find(' '))) +
           ", and this is " GASNET_CORE_VERSION_STR "; link it again";
    return false;
  }
  std::vector<std::uint64_t> begins;
  for (const Elf64_Sym& symbol : file.debug_symbols())
    if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF)
      begins.push_back(symbol.st_value);
  std::ranges::sort(begins);
  std::size_t replaced = 0;
  for (const Elf64_Sym& symbol : file.debug_symbols()) {
    const char* const name = file.debug_name_of(symbol);
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL ||
        symbol.st_shndx == SHN_UNDEF || !begins_with_one_of(name, kInterface))
      continue;
    void* own = find_override(name);
    if (!own) own = find_interface(name, STT_FUNC);
    if (!own) continue;  // the program's, or of the inside of the library
    // jmp *0(%rip), and the address.
    std::string jump = {'\xff', '\x25', 0, 0, 0, 0};
    jump.append(reinterpret_cast<const char*>(&own), sizeof own);
    const auto next = std::ranges::upper_bound(begins, symbol.st_value);
    if ((next != begins.end() && *next - symbol.st_value < jump.size()) ||
        !file.patch(symbol.st_value, jump)) {
      *why = std::string("it contains the library, in which ") + name +
             " is too short to be replaced; link it with libaqueduct.so";
      return false;
    }
    ++replaced;
  }
  if (replaced == 0)
    *why =
        "it contains the library (libaqueduct.a), and its symbols were removed; link it without -s, or with "
        "libaqueduct.so";
  return replaced != 0;
}

Program::Definition Program::define(const Object& object, const Elf64_Sym& symbol) const {
  Definition found{.object = &object, .bytes = symbol.st_size};
  switch (ELF64_ST_TYPE(symbol.st_info)) {
    case STT_TLS:
      found.kind = Definition::Kind::kThreadLocal;
      found.value = symbol.st_value - object.tls_below;
      break;
    case STT_GNU_IFUNC:
      found.kind = Definition::Kind::kFunctionThatChooses;
      found.value = object.place + symbol.st_value;
      break;
    default:
      found.kind = symbol.st_shndx == SHN_ABS ? Definition::Kind::kAbsolute : Definition::Kind::kInCopy;
      found.value = symbol.st_value + (symbol.st_shndx == SHN_ABS ? 0 : object.place);
  }
  return found;
}

Program::Definition Program::find(const Object& asking, std::uint32_t index, bool not_in_executable) const {
  const ElfFile& file = *asking.file;
  const Elf64_Sym& symbol = file.symbol(index);
  if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) return define(asking, symbol);
  const bool is_protected = ELF64_ST_VISIBILITY(symbol.st_other) != STV_DEFAULT;
  if (is_protected && symbol.st_shndx != SHN_UNDEF) return define(asking, symbol);
  const char* const name = file.name_of(symbol);
  const char* const version = file.version_of(index);
  Definition found{.kind = Definition::Kind::kAbsolute, .bytes = symbol.st_size};
  for (const Object& object : objects_) {
    const bool is_executable = &object == &objects_.front();
    const Elf64_Sym* const there =
        is_executable && not_in_executable ? nullptr : object.file->find_symbol(name, version);
    if (there) return define(object, *there);
    if (!is_executable) continue;
    if (void* const function = find_override(name)) {
      found.value = reinterpret_cast<std::uint64_t>(function);
      return found;
    }
  }
  void* address = nullptr;
  if (begins_with_one_of(name, kInterface)) address = find_interface(name, ELF64_ST_TYPE(symbol.st_info));
  for (void* const handle : shared_) {
    if (address) break;
    address = version ? ::dlvsym(handle, name, version) : ::dlsym(handle, name);
  }
  if (!address) return {};
  found.value = reinterpret_cast<std::uint64_t>(address);
  if (ELF64_ST_TYPE(symbol.st_info) == STT_TLS) {
    found.kind = Definition::Kind::kThreadLocal;
    found.value -= reinterpret_cast<std::uint64_t>(ThreadArea::pointer());
  }
  return found;
}

bool Program::bind(const Object& object, const Elf64_Rela& relocation, std::string* why) {
  using Kind = Definition::Kind;
  const std::size_t place = object.place + relocation.r_offset;
  const auto addend = static_cast<std::uint64_t>(relocation.r_addend);
  const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(relocation.r_info));
  const auto index = static_cast<std::uint32_t>(ELF64_R_SYM(relocation.r_info));
  const auto write = [&](std::uint64_t value, bool moves) { words_.push_back({place, value, moves}); };
  if (type == R_X86_64_NONE) return true;
  if (type == R_X86_64_RELATIVE) {
    write(object.place + addend, true);
    return true;
  }
  if (type == R_X86_64_IRELATIVE) {
    asked_words_.push_back({place, object.place + addend, true});
    return true;
  }
  Definition found;
  if (index != 0) {
    const Elf64_Sym& symbol = object.file->symbol(index);
    found = find(object, index, type == R_X86_64_COPY);
    if (found.kind == Kind::kNone && ELF64_ST_BIND(symbol.st_info) != STB_WEAK) {
      const char* const version = object.file->version_of(index);
      *why = file_name(object.file->path()) + " needs " + object.file->name_of(symbol) +
             (version ? std::string(" of ") + version : "") + ", which nobody has";
      return false;
    }
  } else {
    found = {.kind = Kind::kThreadLocal, .value = 0 - object.tls_below, .object = &object};
  }
  switch (type) {
    case R_X86_64_64:
    case R_X86_64_GLOB_DAT:
    case R_X86_64_JUMP_SLOT: {
      const std::uint64_t added = type == R_X86_64_64 ? addend : 0;
      if (found.kind == Kind::kNone) {
        write(0, false);
      } else if (found.kind == Kind::kFunctionThatChooses) {
        asked_words_.push_back({place, found.value, true});
      } else {
        write(found.value + added, found.kind == Kind::kInCopy);
      }
      return true;
    }
    case R_X86_64_COPY: {
      const Elf64_Sym& symbol = object.file->symbol(index);
      variables_[object.file->name_of(symbol)] = place;
      if (found.kind != Kind::kNone)
        taken_over_.push_back(
            {place, found.value, found.kind == Kind::kInCopy,
             found.object ? std::min<std::size_t>(found.bytes, symbol.st_size) : symbol.st_size});
      return true;
    }
    case R_X86_64_TPOFF64:
      write(found.value + addend, false);
      return true;
    case R_X86_64_DTPMOD64:
      // For our __tls_get_addr: where the object's variables begin. (An offset within them follows.)
      write(found.object ? 0 - found.object->tls_below : found.value, false);
      return true;
    case R_X86_64_DTPOFF64:
      write((found.object ? found.value + found.object->tls_below : 0) + addend, false);
      return true;
    case R_X86_64_TLSDESC:
      write(reinterpret_cast<std::uint64_t>(ThreadArea::tls_descriptor()), false);
      words_.push_back({place + sizeof(std::uint64_t), found.value + addend, false});
      return true;
    default:
      *why = file_name(object.file->path()) + " has a relocation of type " + std::to_string(type) +
             ", which is not known here";
      return false;
  }
}

const std::size_t* Program::variable(const std::string& name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? nullptr : &found->second;
}

const Program::Object* Program::object_at(std::size_t place) const {
  for (const Object& object : objects_)
    if (place >= object.place && place - object.place < object.file->span_bytes()) return &object;
  return nullptr;
}

}  // namespace aqueduct::sim::process
