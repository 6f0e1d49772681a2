// Checks that the credits of a whole job are conserved, for tests and scenarios that can see every rank's
// accounts.
//
// At a quiet moment (every rank's Credits::is_quiet()) nothing is under way, so that for each lender
//
//   its bank + what it has lent = what it started with
//   what it has lent to a peer  = what that peer holds of it, all of it unused
//
// and no rank has fewer credits than the largest message needs. A lost credit will eventually stop a sender;
// an extra one will eventually overflow a buffer.
#pragma once
#include <span>
#include <string>

#include "papers/parts/credits.hpp"

namespace aqueduct::parts {

/// `ranks[r]` has the accounts of rank r, which nobody changes meanwhile. Returns one line about the first
/// error; empty if there is none.
std::string audit_credits(std::span<const Credits* const> ranks);

}  // namespace aqueduct::parts
