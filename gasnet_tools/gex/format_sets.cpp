#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "aqueduct/tools/format.h"

namespace {

struct NamedBit {
  std::uint32_t bit;
  const char* name;
};
constexpr NamedBit kTypes[] = {{GEX_DT_I32, "I32"},  {GEX_DT_U32, "U32"}, {GEX_DT_I64, "I64"},
                               {GEX_DT_U64, "U64"},  {GEX_DT_FLT, "FLT"}, {GEX_DT_DBL, "DBL"},
                               {GEX_DT_USER, "USER"}};
constexpr NamedBit kOperations[] = {
    {GEX_OP_AND, "AND"},   {GEX_OP_OR, "OR"},       {GEX_OP_XOR, "XOR"},        {GEX_OP_ADD, "ADD"},
    {GEX_OP_SUB, "SUB"},   {GEX_OP_MULT, "MULT"},   {GEX_OP_MIN, "MIN"},        {GEX_OP_MAX, "MAX"},
    {GEX_OP_INC, "INC"},   {GEX_OP_DEC, "DEC"},     {GEX_OP_SET, "SET"},        {GEX_OP_CAS, "CAS"},
    {GEX_OP_FAND, "FAND"}, {GEX_OP_FOR, "FOR"},     {GEX_OP_FXOR, "FXOR"},      {GEX_OP_FADD, "FADD"},
    {GEX_OP_FSUB, "FSUB"}, {GEX_OP_FMULT, "FMULT"}, {GEX_OP_FMIN, "FMIN"},      {GEX_OP_FMAX, "FMAX"},
    {GEX_OP_FINC, "FINC"}, {GEX_OP_FDEC, "FDEC"},   {GEX_OP_SWAP, "SWAP"},      {GEX_OP_FCAS, "FCAS"},
    {GEX_OP_GET, "GET"},   {GEX_OP_USER, "USER"},   {GEX_OP_USER_NC, "USER_NC"}};
constexpr NamedBit kFacts[] = {{GEX_TI_SRCRANK, "SRCRANK"},
                               {GEX_TI_EP, "EP"},
                               {GEX_TI_ENTRY, "ENTRY"},
                               {GEX_TI_IS_REQ, "IS_REQ"},
                               {GEX_TI_IS_LONG, "IS_LONG"}};

/// Counts, and writes if there is somewhere to.
class Writer {
 public:
  explicit Writer(char* buffer) : buffer_(buffer) {}
  void add(const char* name) {
    if (length_ > 0) put("|");
    put(name);
  }
  std::size_t finish() {
    put("");
    return length_ + 1;
  }
  bool is_empty() const { return length_ == 0; }

 private:
  void put(const char* text) {
    const std::size_t bytes = std::strlen(text);
    if (buffer_ != nullptr) std::memcpy(buffer_ + length_, text, bytes + 1);
    length_ += bytes;
  }
  char* buffer_;
  std::size_t length_ = 0;
};

template <std::size_t Count>
std::size_t format(char* buffer, std::uint32_t set, const NamedBit (&names)[Count]) {
  Writer writer(buffer);
  for (const NamedBit& known : names) {
    if ((set & known.bit) == 0) continue;
    writer.add(known.name);
    set &= ~known.bit;
  }
  if (set != 0) {
    char number[16];
    std::snprintf(number, sizeof number, "0x%x", set);
    writer.add(number);
  }
  if (writer.is_empty()) writer.add("NONE");
  return writer.finish();
}

}  // namespace

extern "C" {

size_t gasnett_format_dt(char* buf, gex_DT_t types) { return format(buf, types, kTypes); }
size_t gasnett_format_op(char* buf, gex_OP_t operations) { return format(buf, operations, kOperations); }
size_t gasnett_format_ti(char* buf, gex_TI_t facts) { return format(buf, facts, kFacts); }

}  // extern "C"
