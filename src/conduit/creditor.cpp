#include "conduit/creditor.hpp"

namespace aqueduct::conduit {

std::string awaited_by(Creditor& creditor) {
  core::PeerWatch::Debtors debtors;
  creditor.find_debtors(debtors);
  std::string text;
  for (const RankId peer : debtors) {
    const std::string debts = creditor.debts_of(peer);
    if (debts.empty()) continue;
    if (!text.empty()) text += ", ";
    text += debts + " of rank " + std::to_string(peer);
  }
  if (debtors.is_full()) text += " and maybe of others";
  return text;
}

std::string counted(unsigned count, const char* one, const char* many) {
  if (count == 0) return {};
  return std::to_string(count) + ' ' + (count == 1 ? one : many);
}

std::string and_also(const std::string& some, const std::string& more) {
  return some.empty() || more.empty() ? some + more : some + " and " + more;
}

}  // namespace aqueduct::conduit
