#include "papers/conduit/portals/lent_memory.hpp"

#include <mutex>

#include "base/fatal.hpp"

namespace aqueduct::conduit::portals {

LentMemory::LentMemory(InterfaceClient& interface, ControlLine& line) : interface_(interface), line_(line) {
  for (const Control which : {Control::kLendForPut, Control::kLendForGet, Control::kTakeBack})
    line.set_handler(which, *this);
}

// Always answers, because the borrower asks for the next loan only after that.
void LentMemory::told(RankId sender, const ControlBits& bits, ptl_hdr_data_t data) {
  if (bits.argument != loan::kNone && !take_back(sender, bits.argument)) {
    warn(kName, "rank %u gives back memory that it has not borrowed", sender);
  }
  std::uint32_t number = loan::kNone;
  if (bits.which != Control::kTakeBack) {
    const Access access = bits.which == Control::kLendForPut ? Access::kWrite : Access::kRead;
    const LoanRange range = LoanRange::decode(data);
    number = lend(sender, access, range.address, range.bytes);
  }
  line_.send(sender, {Control::kAnswer, number}, 0);
}

std::uint32_t LentMemory::lend(RankId borrower, Access access, std::uintptr_t address, std::size_t bytes) {
  end_loans();
  if (!is_mapped(address, bytes, access)) return loan::kNotMapped;
  const std::uint32_t number = take_number(borrower);
  if (number == loan::kNoRoom) return number;
  ptl_handle_me_t entry;
  const LoanBits bits{Selector::kLent, number};
  if (PtlMEAttach(interface_.ni(), kRarEntry, interface_.process(borrower), bits.encode(), ~LoanBits::kMask,
                  PTL_RETAIN, PTL_INS_AFTER, &entry) != PTL_OK) {
    free_number(number);
    return loan::kNoRoom;
  }
  const unsigned operation = access == Access::kWrite ? PTL_MD_OP_PUT : PTL_MD_OP_GET;
  ptl_handle_md_t md;
  if (PtlMDAttach(
          entry,
          descriptor(reinterpret_cast<void*>(address), bytes,
                     operation | PTL_MD_MANAGE_REMOTE | PTL_MD_EVENT_END_DISABLE, nullptr, PTL_EQ_NONE),
          PTL_RETAIN, &md) != PTL_OK) {
    PtlMEUnlink(entry);
    free_number(number);
    return loan::kNoRoom;
  }
  const std::lock_guard guard(lock_);
  loans_[number].entry = entry;
  loans_[number].address = address;
  loans_[number].bytes = bytes;
  return number;
}

RankId LentMemory::borrower_of(std::uintptr_t address) {
  const std::unique_lock guard(lock_, std::try_to_lock);
  if (!guard) return kNoRank;
  for (const Loan& loan : loans_) {
    if (loan.borrower != kNoRank && address - loan.address < loan.bytes) return loan.borrower;
  }
  return kNoRank;
}

std::uint32_t LentMemory::take_number(RankId borrower) {
  const std::lock_guard guard(lock_);
  if (free_.empty()) {
    if (loans_.size() == LoanBits::kMostLoans) return loan::kNoRoom;
    free_.push_back(static_cast<std::uint32_t>(loans_.size()));
    loans_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  loans_[number].borrower = borrower;
  return number;
}

void LentMemory::free_number(std::uint32_t number) {
  const std::lock_guard guard(lock_);
  loans_[number] = Loan{};
  free_.push_back(number);
}

bool LentMemory::take_back(RankId borrower, std::uint32_t number) {
  {
    const std::lock_guard guard(lock_);
    if (number >= loans_.size() || loans_[number].borrower != borrower) return false;
    loans_[number].borrower = kNoRank;
    ending_.push_back(number);
  }
  end_loans();
  return true;
}

// The borrower may have its answers before the interface here reports their departure: such loans end later.
void LentMemory::end_loans() {
  std::vector<std::uint32_t> ending;
  {
    const std::lock_guard guard(lock_);
    ending.swap(ending_);
  }
  for (const std::uint32_t number : ending) {
    lock_.lock();
    const ptl_handle_me_t entry = loans_[number].entry;
    lock_.unlock();
    const int code = PtlMEUnlink(entry);
    if (code == PTL_ME_IN_USE) {
      const std::lock_guard guard(lock_);
      ending_.push_back(number);
      continue;
    }
    check(code, "PtlMEUnlink of lent memory");
    free_number(number);
  }
}

}  // namespace aqueduct::conduit::portals
