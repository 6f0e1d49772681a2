#include "extended/atomic.hpp"

#include <bit>
#include <cstring>

#include "api/completion.hpp"
#include "api/face.hpp"
#include "api/nearby.hpp"
#include "aqueduct/tools/format.h"
#include "extended/native_atomic.hpp"
#include "trace/trace.hpp"

using namespace aqueduct;
using extended::Atomic;
using extended::AtomicDomain;

namespace {

AtomicDomain& domain_of(const char* where, gex_AD_t domain) {
  if (domain == GEX_AD_INVALID) [[unlikely]]
    fatal(where, "the atomic domain is not valid");
  return *extended::from_handle(domain);
}

bool is_one_bit(std::uint32_t set) { return set != 0 && (set & (set - 1)) == 0; }

// Names for messages, as they are written in programs.
struct Name {
  char text[64];
};
Name name_of_type(gex_DT_t type) {
  Name name{"no type"};
  if (is_one_bit(type)) {
    std::memcpy(name.text, "GEX_DT_", 8);
    gasnett_format_dt(name.text + 7, type);
  }
  return name;
}
Name name_of_operation(gex_OP_t operation) {
  Name name{"no operation"};
  if (is_one_bit(operation)) {
    std::memcpy(name.text, "GEX_OP_", 8);
    gasnett_format_op(name.text + 7, operation);
  }
  return name;
}

// The call that an operation came from: one of twelve.
const char* call_name(bool is_implicit, gex_DT_t type) {
  static constexpr const char* kNames[2][6] = {{"gex_AD_OpNB_I32", "gex_AD_OpNB_U32", "gex_AD_OpNB_I64",
                                                "gex_AD_OpNB_U64", "gex_AD_OpNB_FLT", "gex_AD_OpNB_DBL"},
                                               {"gex_AD_OpNBI_I32", "gex_AD_OpNBI_U32", "gex_AD_OpNBI_I64",
                                                "gex_AD_OpNBI_U64", "gex_AD_OpNBI_FLT", "gex_AD_OpNBI_DBL"}};
  return kNames[is_implicit][std::countr_zero(type)];
}

// Everything that the client passed.
struct AtomicCall {
  gex_AD_t domain;
  void* result;
  gex_Rank_t rank;
  void* target;
  gex_OP_t opcode;
  std::uint64_t first, second;
  gex_Flags_t flags;
  gex_DT_t type;
  bool is_implicit;

  const char* where() const { return call_name(is_implicit, type); }
};

void check(const AtomicCall& call, const AtomicDomain& domain) {
  const char* where = call.where();
  if (domain.view.type_ != call.type) [[unlikely]] {
    fatal(where, "the domain was created for %s", name_of_type(domain.view.type_).text);
  }
  if (!is_one_bit(call.opcode)) [[unlikely]] {
    fatal(where, "opcode 0x%x is not a single operation", call.opcode);
  }
  if (!(domain.view.operations_ & call.opcode)) [[unlikely]] {
    fatal(where, "opcode %s is not among those the domain was created for",
          name_of_operation(call.opcode).text);
  }
  if (reinterpret_cast<std::uintptr_t>(call.target) % extended::element_bytes(call.type) != 0) [[unlikely]] {
    fatal(where, "target address %p is not aligned for its type, %zu bytes", call.target,
          extended::element_bytes(call.type));
  }
  if (AQ_OP_FETCHES_(call.opcode) && !call.result) [[unlikely]] {
    fatal(where, "result_p is NULL, and opcode %s writes a result", name_of_operation(call.opcode).text);
  }
}

Atomic atomic_of(const AtomicCall& call) {
  return {.address = call.target,
          .type = call.type,
          .operation = call.opcode,
          .first = call.first,
          .second = call.second,
          .result = call.result};
}

// What the header leaves to the library although the element is mapped here: the header's own test, with more
// peers. False: nothing was done.
[[gnu::always_inline]] inline bool done_nearby(const AtomicCall& call) {
  core::Thread* const thread = api::thread_that_copies();
  if (!thread || call.domain == GEX_AD_INVALID) [[unlikely]]
    return false;
  aq_ad_view_& near = extended::from_handle(call.domain)->near;
  void* here;
  if (!aq_find_element_(reinterpret_cast<gex_AD_t>(&near), call.rank, call.target, call.opcode, call.flags,
                        call.type, extended::element_bytes(call.type), &here))
    return false;
  if (call.type == GEX_DT_U64 && call.opcode == GEX_OP_FADD) [[likely]] {
    *static_cast<std::uint64_t*>(call.result) = aq_apply_U64_(here, GEX_OP_FADD, call.first, 0);
  } else {
    extended::apply_here(here, atomic_of(call));
  }
  core::look_now_and_then(*thread);
  return true;
}

gex_EP_Location_t target_of(const AtomicCall& call, const AtomicDomain& domain, const core::Rank& rank) {
  gex_Rank_t member = call.rank;
  if (call.flags & GEX_FLAG_RANK_IS_JOBRANK) {
    if (call.rank >= rank.size()) {
      fatal(call.where(), "job rank %u is outside the job, which has %u ranks", call.rank, rank.size());
    }
    member = gex_TM_TranslateJobrankToRank(domain.view.team_, call.rank);
    if (member == GEX_RANK_INVALID) {
      fatal(call.where(), "job rank %u is not a member of the domain's team", call.rank);
    }
  }
  return api::member(call.where(), domain.view.team_, member);
}

auto starting(const AtomicCall& call, const AtomicDomain& domain) {
  return [&call, &domain](core::Thread& thread, extended::Pending& pending) {
    Atomic atomic = atomic_of(call);
    const gex_EP_Location_t target = target_of(call, domain, thread.rank);
    atomic.target = target.gex_rank;
    atomic.endpoint = target.gex_ep_index;
    atomic.native = domain.native;
    if (trace::on(trace::Category::kAtomic)) [[unlikely]] {
      trace::timeline::describe_atomic(atomic.target, call.opcode,
                                       static_cast<std::uint16_t>(std::countr_zero(call.type)));
      trace::note(trace::Category::kAtomic, call.where(), 0, "%s at rank %u, %p",
                  name_of_operation(call.opcode).text, atomic.target, call.target);
    }
    return extended::start_atomic(call.where(), thread, atomic, pending, call.flags);
  };
}

}  // namespace

extern "C" {

void gex_AD_Create(gex_AD_t* domain_p, gex_TM_t tm, gex_DT_t type, gex_OP_t ops, gex_Flags_t flags) {
  constexpr const char* kWhere = "gex_AD_Create";
  core::Thread& thread = core::this_thread(kWhere);
  api::not_in_handler(kWhere, thread);
  const core::Team& team = api::team(kWhere, tm);
  if (!domain_p) fatal(kWhere, "ad_p is NULL");
  if (!is_one_bit(type) || !(type & extended::kAtomicTypes))
    fatal(kWhere, "dt 0x%x is not a type of atomics", type);
  if (ops == 0 || (ops & ~extended::kAtomicOperations) != 0) {
    fatal(kWhere, "ops 0x%x are not all operations of atomics", ops);
  }
  if ((ops & extended::kBitwiseOperations) && !(type & extended::kIntegerTypes)) {
    fatal(kWhere, "ops 0x%x have bit-wise operations, which %s has not", ops, name_of_type(type).text);
  }
  auto* domain = new AtomicDomain;
  domain->view.members_ = team.view;
  domain->view.team_ = tm;
  domain->view.type_ = type;
  domain->view.operations_ = ops;
  // In the team of all ranks a rank is a job rank; in others the library translates.
  domain->view.library_flags_ = team.id == core::kWorldTeam ? 0 : GEX_FLAG_RANK_IS_JOBRANK;
  domain->flags = flags;
  domain->native = extended::native_atomics(thread.rank, type, ops, flags);
  domain->near = domain->view;
  domain->near.members_ = team.near;
  // Nobody is reached by a processor's instructions.
  if (domain->native) domain->view.members_.size_ = domain->near.members_.size_ = 0;
  *domain_p = extended::to_handle(domain);
}

void gex_AD_Destroy(gex_AD_t domain) {
  constexpr const char* kWhere = "gex_AD_Destroy";
  api::not_in_handler(kWhere, core::this_thread(kWhere));
  delete &domain_of(kWhere, domain);
}

gex_Flags_t gex_AD_QueryFlags(gex_AD_t domain) { return domain_of("gex_AD_QueryFlags", domain).flags; }
gex_TM_t gex_AD_QueryTM(gex_AD_t domain) { return domain_of("gex_AD_QueryTM", domain).view.team_; }
gex_DT_t gex_AD_QueryDT(gex_AD_t domain) { return domain_of("gex_AD_QueryDT", domain).view.type_; }
gex_OP_t gex_AD_QueryOps(gex_AD_t domain) { return domain_of("gex_AD_QueryOps", domain).view.operations_; }
void gex_AD_SetCData(gex_AD_t domain, const void* value) {
  domain_of("gex_AD_SetCData", domain).cdata = value;
}
void* gex_AD_QueryCData(gex_AD_t domain) {
  return const_cast<void*>(domain_of("gex_AD_QueryCData", domain).cdata);
}

gex_Event_t aq_ad_nb_(gex_AD_t ad, void* result, gex_Rank_t rank, void* target, gex_OP_t opcode,
                      uint64_t operand1, uint64_t operand2, gex_Flags_t flags, gex_DT_t type) {
  const AtomicCall call{ad, result, rank, target, opcode, operand1, operand2, flags, type, false};
  if (done_nearby(call)) return GEX_EVENT_INVALID;
  const AtomicDomain& domain = domain_of(call.where(), ad);
  check(call, domain);
  return api::explicit_event(call.where(), extended::kind_of(opcode), starting(call, domain));
}

int aq_ad_nbi_(gex_AD_t ad, void* result, gex_Rank_t rank, void* target, gex_OP_t opcode, uint64_t operand1,
               uint64_t operand2, gex_Flags_t flags, gex_DT_t type) {
  const AtomicCall call{ad, result, rank, target, opcode, operand1, operand2, flags, type, true};
  if (done_nearby(call)) return GASNET_OK;
  const AtomicDomain& domain = domain_of(call.where(), ad);
  check(call, domain);
  return api::implicit(call.where(), extended::kind_of(opcode), starting(call, domain));
}

// clang-format off
// NOLINTBEGIN(bugprone-macro-parentheses): TYPE is a type
#define AQUEDUCT_APPLY(NAME, TYPE)                                                                         \
  void aq_ad_apply_##NAME##_(void* here, TYPE* result, gex_OP_t opcode, TYPE operand1, TYPE operand2) {    \
    const TYPE before = aq_apply_##NAME##_(here, opcode, operand1, operand2);                              \
    if (AQ_OP_FETCHES_(opcode)) *result = before;                                                          \
  }
// NOLINTEND(bugprone-macro-parentheses)
// clang-format on
AQUEDUCT_APPLY(I32, int32_t)
AQUEDUCT_APPLY(U32, uint32_t)
AQUEDUCT_APPLY(I64, int64_t)
AQUEDUCT_APPLY(U64, uint64_t)
AQUEDUCT_APPLY(FLT, float)
AQUEDUCT_APPLY(DBL, double)
#undef AQUEDUCT_APPLY
}
