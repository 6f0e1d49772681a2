// Match entries, the lists they hang in, and access control.
#include "papers/nic/portals3/interface.hpp"

namespace aqueduct::portals3 {

int Interface::attach_entry(ptl_handle_ni_t ni, ptl_pt_index_t pt_index, const EntryCriteria& criteria,
                            ptl_ins_pos_t position, ptl_handle_me_t* me) {
  Section section{*this, Context::kCall};
  if (!is_mine(ni)) return PTL_NI_INVALID;
  if (pt_index >= portals_.size()) return PTL_PT_INDEX_INVALID;
  MatchList& list = portals_[pt_index];
  MatchEntry* base = position == PTL_INS_BEFORE ? list.first : list.last;
  return link_entry(list, base, criteria, position, pt_index, me);
}

int Interface::attach_any_entry(ptl_handle_ni_t ni, ptl_pt_index_t* pt_index, const EntryCriteria& criteria,
                                ptl_handle_me_t* me) {
  Section section{*this, Context::kCall};
  if (!is_mine(ni)) return PTL_NI_INVALID;
  for (ptl_pt_index_t index = 0; index < portals_.size(); ++index) {
    if (portals_[index].entries != 0) continue;
    const int code = link_entry(portals_[index], nullptr, criteria, PTL_INS_AFTER, index, me);
    if (code == PTL_OK) *pt_index = index;
    return code;
  }
  return PTL_PT_FULL;
}

int Interface::insert_entry(ptl_handle_me_t base, const EntryCriteria& criteria, ptl_ins_pos_t position,
                            ptl_handle_me_t* me) {
  Section section{*this, Context::kCall};
  MatchEntry* neighbour = find_entry(base);
  if (neighbour == nullptr) return PTL_ME_INVALID;
  return link_entry(portals_[neighbour->pt_index], neighbour, criteria, position, neighbour->pt_index, me);
}

int Interface::link_entry(MatchList& list, MatchEntry* base, const EntryCriteria& criteria,
                          ptl_ins_pos_t position, ptl_pt_index_t pt_index, ptl_handle_me_t* me) {
  if (list.entries >= static_cast<std::uint32_t>(limits_.max_me_list)) return PTL_ME_LIST_TOO_LONG;
  MatchEntry* entry = entries_.take(limits_.max_mes);
  if (entry == nullptr) return PTL_NO_SPACE;
  entry->match_id = criteria.match_id;
  entry->match_bits = criteria.match_bits;
  entry->ignore_bits = criteria.ignore_bits;
  entry->unlinks = criteria.unlink_op != PTL_RETAIN;
  entry->pt_index = pt_index;
  entry->descriptor = nullptr;
  if (position == PTL_INS_BEFORE) {
    entry->before = base != nullptr ? base->before : nullptr;
    entry->after = base;
  } else {
    entry->before = base;
    entry->after = base != nullptr ? base->after : nullptr;
  }
  (entry->before != nullptr ? entry->before->after : list.first) = entry;
  (entry->after != nullptr ? entry->after->before : list.last) = entry;
  ++list.entries;
  *me = handle_of(HandleKind::kEntry, *entry);
  return PTL_OK;
}

int Interface::unlink_entry(ptl_handle_me_t me) {
  Section section{*this, Context::kCall};
  MatchEntry* entry = find_entry(me);
  if (entry == nullptr) return PTL_ME_INVALID;
  if (Descriptor* descriptor = entry->descriptor) {
    if (descriptor->pending != 0) return PTL_ME_IN_USE;
    entry->unlinks = true;
    remove_descriptor(*descriptor, section);
  } else {
    remove_entry(*entry);
  }
  return PTL_OK;
}

void Interface::remove_entry(MatchEntry& entry) {
  MatchList& list = portals_[entry.pt_index];
  (entry.before != nullptr ? entry.before->after : list.first) = entry.after;
  (entry.after != nullptr ? entry.after->before : list.last) = entry.before;
  --list.entries;
  entries_.give_back(entry);
}

int Interface::set_access(ptl_handle_ni_t ni, ptl_ac_index_t index, ptl_process_id_t match_id, ptl_uid_t uid,
                          ptl_jid_t jid, ptl_pt_index_t pt_index) {
  Section section{*this, Context::kCall};
  if (!is_mine(ni)) return PTL_NI_INVALID;
  if (index >= access_.size()) return PTL_AC_INDEX_INVALID;
  if (pt_index != PTL_PT_INDEX_ANY && pt_index >= portals_.size()) return PTL_PT_INDEX_INVALID;
  access_[index] = {match_id, uid, jid, pt_index};
  return PTL_OK;
}

bool Interface::permitted(const WireHeader& header) const {
  const auto fits = [](std::uint32_t wanted, std::uint32_t given) {
    return wanted == 0xffffffffu || wanted == given;
  };
  const Access& access = access_[header.ac_index];
  return fits(access.match_id.nid, header.source.nid) && fits(access.match_id.pid, header.source.pid) &&
         fits(access.uid, header.uid) && fits(access.jid, header.jid) &&
         fits(access.pt_index, header.pt_index);
}

}  // namespace aqueduct::portals3
