// Whether the credits of a whole job are all there: for tests and scenarios that can see every rank's books.
//
// At a quiet moment (every rank's Credits::is_quiet()) nothing is under way, so that for each lender
//
//   its bank + what it has lent = what it started with
//   what it has lent to a peer  = what that peer holds of it, all of it unused
//
// and nobody has been left with less than the largest message needs. A credit that was lost will one day stop
// a sender; one too many will one day overflow a buffer.
#pragma once
#include <span>
#include <string>

#include "papers/parts/credits.hpp"

namespace aqueduct::parts {

/// `ranks[r]` are the books of rank r; nobody changes them meanwhile. Answers one line that says what is
/// wrong first; empty if nothing is.
std::string audit_credits(std::span<const Credits* const> ranks);

}  // namespace aqueduct::parts
