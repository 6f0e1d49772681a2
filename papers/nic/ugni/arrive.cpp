// Handles arrivals: requests to this process's memory and queues, and the data of its own gets.
//
// Ordered messages of one source take turns: the effects of each come after all effects of those before it. A
// payload whose turn has not come lands in a buffer.
#include <cstring>

#include "papers/nic/ugni/amo.hpp"
#include "papers/nic/ugni/process.hpp"

namespace aqueduct::ugni {

NicTransfer* Process::arrived(const Incoming& incoming) {
  const Section section{*this};
  const std::optional<WireHeader> header = WireHeader::read(incoming);
  if (!header) return nullptr;
  if (header->kind == MessageKind::kResponse) {
    take_response(*header, incoming.source);
    return nullptr;
  }
  Landing& landing = keep(*header, incoming.source);
  const std::uint8_t status = find_place(landing);
  if (status != AQ_GNI_STATUS_OK) {
    respond(landing, status);
    landings_.give_back(landing);
    return nullptr;
  }
  bool must_wait = false;
  if ((header->flags & kInOrder) != 0) {
    std::deque<Landing*>& turns = turns_[incoming.source];
    must_wait = !turns.empty();
    turns.push_back(&landing);
  }
  if (incoming.payload_bytes == 0) {
    ready(landing);
    return nullptr;
  }
  if (must_wait || landing.place == nullptr) landing.buffer.resize(incoming.payload_bytes);
  landing.is_aside = must_wait && landing.place != nullptr;
  landing.in.payload = {landing.buffer.empty() ? landing.place : landing.buffer.data(),
                        incoming.payload_bytes};
  return &landing.in;
}

Landing& Process::keep(const WireHeader& header, NodeId source) {
  Landing& landing = landings_.take();
  landing.header = header;
  landing.source = source;
  landing.in.peer = source;
  landing.memory = nullptr;
  landing.place = nullptr;
  landing.buffer.clear();
  landing.ready = landing.is_aside = false;
  landing.whole = true;
  return landing;
}

/// Finds where the payload goes, if it goes to memory of the user.
std::uint8_t Process::find_place(Landing& landing) {
  const WireHeader& header = landing.header;
  if (header.kind == MessageKind::kPut) {
    const std::uint8_t status = check_access(header, header.bytes, true, &landing.memory);
    if (status != AQ_GNI_STATUS_OK) return status;
    if ((header.flags & kHasSyncFlag) != 0 && (header.first % sizeof(std::uint64_t) != 0 ||
                                               !landing.memory->holds(header.first, sizeof(std::uint64_t))))
      return AQ_GNI_STATUS_NO_MEMORY;
    landing.place = reinterpret_cast<std::byte*>(header.address);
  } else if (header.kind == MessageKind::kGetReply) {
    Request* const request = request_of(header.request);
    if (request == nullptr || !request->unanswered || request->out.peer != landing.source ||
        request->header.kind != MessageKind::kGet || request->header.bytes != header.bytes)
      return AQ_GNI_STATUS_NO_MEMORY;
    landing.memory = header.status == AQ_GNI_STATUS_OK ? registration_of(request->local_memory) : nullptr;
    if (landing.memory == nullptr && header.status == AQ_GNI_STATUS_OK) {
      complete(*request, AQ_GNI_STATUS_NO_MEMORY);
      return AQ_GNI_STATUS_NO_MEMORY;
    }
    landing.place = reinterpret_cast<std::byte*>(request->result_address);
  } else if (header.payload_bytes() > GNI_DATAGRAM_MAXSIZE) {
    return AQ_GNI_STATUS_NO_MEMORY;
  }
  if (landing.memory != nullptr) ++landing.memory->under_way;
  return AQ_GNI_STATUS_OK;
}

std::uint8_t Process::check_access(const WireHeader& header, std::uint64_t bytes, bool writes,
                                   Registration** found) {
  Registration* const memory = registration_of(header.memory);
  if (memory == nullptr) return AQ_GNI_STATUS_NO_MEMORY;
  if (memory->domain->cookie != header.cookie || memory->domain->ptag != header.ptag)
    return AQ_GNI_STATUS_PROTECTION;
  if (bytes != 0 && !memory->holds(header.address, bytes)) return AQ_GNI_STATUS_NO_MEMORY;
  if (writes && (memory->flags & GNI_MEM_READ_ONLY) != 0) return AQ_GNI_STATUS_READ_ONLY;
  if ((header.flags & kWantsEvent) != 0 && memory->queue == nullptr) return AQ_GNI_STATUS_NO_QUEUE;
  *found = memory;
  return AQ_GNI_STATUS_OK;
}

void Process::landed(NicTransfer& transfer, bool whole) {
  const Section section{*this};
  Landing& landing = *static_cast<Landing*>(static_cast<Lent&>(transfer).object);
  landing.whole = whole;
  ready(landing);
}

void Process::ready(Landing& landing) {
  landing.ready = true;
  if ((landing.header.flags & kInOrder) == 0) return finish(landing);
  const auto found = turns_.find(landing.source);
  std::deque<Landing*>& turns = found->second;
  while (!turns.empty() && turns.front()->ready) {
    Landing& next = *turns.front();
    turns.pop_front();
    finish(next);
  }
  if (turns.empty()) turns_.erase(found);
}

void Process::finish(Landing& landing) {
  switch (landing.header.kind) {
    case MessageKind::kPut:
      finish_put(landing);
      break;
    case MessageKind::kGet:
      finish_get(landing);
      break;
    case MessageKind::kAmo:
      finish_amo(landing);
      break;
    case MessageKind::kCqWrite:
      finish_cq_write(landing);
      break;
    case MessageKind::kGetReply:
      finish_get_reply(landing);
      break;
    case MessageKind::kDatagram:
      if (landing.whole) finish_datagram(landing);
      break;
    case MessageKind::kDatagramCancel:
      cancel_unmatched(landing.header, landing.source);
      break;
    case MessageKind::kMsgq:
      if (landing.whole) finish_queued_message(landing);
      break;
    case MessageKind::kMsgqCredit:
      take_queue_credit(landing);
      break;
    case MessageKind::kResponse:
      break;
  }
  if (landing.memory != nullptr) unpin(*landing.memory);
  landings_.give_back(landing);
}

void Process::finish_put(Landing& landing) {
  if (!landing.whole) return respond(landing, AQ_GNI_STATUS_BROKEN_OFF);
  const WireHeader& header = landing.header;
  if (landing.is_aside) std::memcpy(landing.place, landing.buffer.data(), landing.buffer.size());
  if ((header.flags & kHasSyncFlag) != 0)
    __atomic_store_n(reinterpret_cast<std::uint64_t*>(header.first), header.second, __ATOMIC_RELEASE);
  const bool fits = post_remote(*landing.memory, header, header.event_data);
  respond(landing, AQ_GNI_STATUS_OK, 0, !fits);
}

/// False: the queue had no room for it.
bool Process::post_remote(const Registration& memory, const WireHeader& header, std::uint64_t data) {
  if ((header.flags & (kWantsEvent | kWantsEventIfQueue)) == 0 || memory.queue == nullptr) return true;
  return push_event(*memory.queue, make_entry(data, header.event_type, AQ_GNI_SOURCE_REMOTE, 0));
}

void Process::finish_cq_write(const Landing& landing) {
  Registration* memory = nullptr;
  const std::uint8_t status = check_access(landing.header, 0, false, &memory);
  const bool fits = status != AQ_GNI_STATUS_OK || post_remote(*memory, landing.header, landing.header.first);
  respond(landing, status, 0, !fits);
}

void Process::finish_amo(const Landing& landing) {
  const WireHeader& header = landing.header;
  const std::optional<AmoCommand> command = AmoCommand::decode(header.command);
  Registration* memory = nullptr;
  if (!command || header.address % command->bytes != 0) return respond(landing, AQ_GNI_STATUS_NO_MEMORY);
  const std::uint8_t status = check_access(header, command->bytes, true, &memory);
  if (status != AQ_GNI_STATUS_OK) return respond(landing, status);
  const std::uint64_t old =
      apply_amo(*command, reinterpret_cast<void*>(header.address), header.first, header.second);
  const bool fits = post_remote(*memory, header, header.event_data);
  respond(landing, AQ_GNI_STATUS_OK, old, !fits);
}

void Process::finish_get(const Landing& landing) {
  const WireHeader& header = landing.header;
  Answer& answer = answers_.take();
  answer.header = {};
  answer.header.kind = MessageKind::kGetReply;
  answer.header.request = header.request;
  answer.header.bytes = header.bytes;
  answer.memory = nullptr;
  answer.out.payload = {};
  Registration* memory = nullptr;
  answer.header.status = check_access(header, header.bytes, false, &memory);
  if (answer.header.status == AQ_GNI_STATUS_OK) {
    ++memory->under_way;
    answer.memory = memory;
    answer.out.payload = {reinterpret_cast<void*>(header.address), header.bytes};
  }
  send_answer(answer, landing.source, Engine::kResponse);
}

void Process::finish_get_reply(const Landing& landing) {
  Request* const request = request_of(landing.header.request);
  if (request == nullptr || !request->unanswered) return;
  const std::uint8_t status = landing.whole ? landing.header.status : std::uint8_t{AQ_GNI_STATUS_BROKEN_OFF};
  complete(*request, status);
}

/// Stores the result of a fetching AMO where the user wants it.
std::uint8_t Process::store_result(const Request& request, std::uint64_t result) {
  if (request.header.kind != MessageKind::kAmo || request.result_address == 0) return AQ_GNI_STATUS_OK;
  if (registration_of(request.local_memory) == nullptr) return AQ_GNI_STATUS_NO_MEMORY;
  std::memcpy(reinterpret_cast<void*>(request.result_address), &result, request.header.bytes);
  return AQ_GNI_STATUS_OK;
}

void Process::respond(const Landing& landing, std::uint8_t status, std::uint64_t result, bool overrun) {
  const WireHeader& header = landing.header;
  const bool is_request = header.kind <= MessageKind::kCqWrite || header.kind == MessageKind::kMsgq;
  if (!is_request) return;
  if (status == AQ_GNI_STATUS_OK && (header.flags & kWantsResponse) == 0) return;
  Answer& answer = answers_.take();
  answer.header = {};
  answer.header.kind = MessageKind::kResponse;
  answer.header.command = static_cast<std::uint16_t>(header.kind);
  answer.header.request = header.request;
  answer.header.cookie = header.cookie;
  answer.header.ptag = header.ptag;
  answer.header.status = status;
  answer.header.first = result;
  if (overrun) answer.header.flags |= kRemoteOverrun;
  answer.memory = nullptr;
  answer.out.payload = {};
  send_answer(answer, landing.source, Engine::kResponse);
}

void Process::send_answer(Answer& answer, NodeId target, Engine engine) {
  answer.header.seal();
  answer.out.peer = target;
  answer.out.engine = engine;
  answer.out.header = answer.header.as_bytes();
  ++lent_answers_;
  device_.send(answer.out);
}

}  // namespace aqueduct::ugni
