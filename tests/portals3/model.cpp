#include "portals3/model.hpp"

#include <algorithm>

namespace aqueduct::test {
namespace {

bool fits(std::uint32_t wanted, std::uint32_t given) { return wanted == 0xffffffffu || wanted == given; }

}  // namespace

int Model::live_entries() const {
  return static_cast<int>(
      std::count_if(entries.begin(), entries.end(), [](const Entry& e) { return e.alive; }));
}

int Model::live_descriptors() const {
  return static_cast<int>(
      std::count_if(descriptors.begin(), descriptors.end(), [](const Descriptor& d) { return d.alive; }));
}

int Model::attach(ptl_pt_index_t pt_index, Entry entry, bool at_head) {
  if (pt_index >= portals.size()) return PTL_PT_INDEX_INVALID;
  std::vector<int>& list = portals[pt_index];
  if (static_cast<int>(list.size()) >= limits.max_me_list) return PTL_ME_LIST_TOO_LONG;
  if (live_entries() >= limits.max_mes) return PTL_NO_SPACE;
  entry.pt_index = pt_index;
  list.insert(at_head ? list.begin() : list.end(), static_cast<int>(entries.size()));
  entries.push_back(entry);
  return PTL_OK;
}

int Model::attach_any(Entry entry, ptl_pt_index_t& pt_index) {
  for (pt_index = 0; pt_index < portals.size(); ++pt_index) {
    if (portals[pt_index].empty()) return attach(pt_index, entry, true);
  }
  return PTL_PT_FULL;
}

int Model::insert(int base, Entry entry, bool before) {
  if (!entries[base].alive) return PTL_ME_INVALID;
  std::vector<int>& list = portals[entries[base].pt_index];
  if (static_cast<int>(list.size()) >= limits.max_me_list) return PTL_ME_LIST_TOO_LONG;
  if (live_entries() >= limits.max_mes) return PTL_NO_SPACE;
  entry.pt_index = entries[base].pt_index;
  const auto at = std::find(list.begin(), list.end(), base);
  list.insert(before ? at : at + 1, static_cast<int>(entries.size()));
  entries.push_back(entry);
  return PTL_OK;
}

int Model::unlink_entry(int number) {
  Entry& entry = entries[number];
  if (!entry.alive) return PTL_ME_INVALID;
  if (entry.descriptor >= 0) {
    if (descriptors[entry.descriptor].pending > 0) return PTL_ME_IN_USE;
    descriptors[entry.descriptor].alive = false;
  }
  entry.alive = false;
  std::erase(portals[entry.pt_index], number);
  return PTL_OK;
}

int Model::create(int entry, const ModelDescription& md, bool unlinks) {
  if (entry >= 0) {
    if (!entries[entry].alive) return PTL_ME_INVALID;
    if (entries[entry].descriptor >= 0) return PTL_ME_IN_USE;
  }
  if (live_descriptors() >= limits.max_mds) return PTL_NO_SPACE;
  if (entry >= 0) entries[entry].descriptor = static_cast<int>(descriptors.size());
  descriptors.push_back({md, md.threshold > 0 || md.threshold == PTL_MD_THRESH_INF, unlinks, entry});
  return PTL_OK;
}

void Model::remove(int number) {
  Descriptor& descriptor = descriptors[number];
  descriptor.alive = false;
  if (descriptor.entry < 0) return;
  Entry& entry = entries[descriptor.entry];
  entry.descriptor = -1;
  if (!entry.unlinks) return;
  entry.alive = false;
  std::erase(portals[entry.pt_index], descriptor.entry);
}

int Model::unlink_descriptor(int number) {
  if (!descriptors[number].alive) return PTL_MD_INVALID;
  if (descriptors[number].pending > 0) return PTL_MD_IN_USE;
  remove(number);
  return PTL_OK;
}

int Model::update(int number, const ModelDescription& md, int tested_queue) {
  Descriptor& descriptor = descriptors[number];
  if (!descriptor.alive) return PTL_MD_INVALID;
  if (descriptor.pending > 0) return PTL_MD_NO_UPDATE;
  if (tested_queue >= 0 && !queues[tested_queue].events.empty()) return PTL_MD_NO_UPDATE;
  descriptor.md = md;
  descriptor.active = md.threshold > 0 || md.threshold == PTL_MD_THRESH_INF;
  descriptor.local_offset = 0;
  return PTL_OK;
}

int Model::get_event(int number, ModelEvent& event) {
  Queue& queue = queues[number];
  if (queue.events.empty()) return PTL_EQ_EMPTY;
  event = queue.events.front();
  queue.events.pop_front();
  const int code = queue.dropped ? PTL_EQ_DROPPED : PTL_OK;
  queue.dropped = false;
  return code;
}

std::uint64_t Model::post(int number, ModelEvent event, ptl_event_kind_t kind) {
  if (descriptors[number].md.queue < 0) return 0;
  Queue& queue = queues[descriptors[number].md.queue];
  event.type = kind;
  event.sequence = queue.next_sequence++;
  if (event.link == 0) event.link = event.sequence;
  if (queue.events.size() == queue.capacity) {
    queue.events.pop_front();
    queue.dropped = true;
    ++events_lost;
  }
  queue.events.push_back(event);
  return event.sequence;
}

void Model::start(int number, ModelEvent& event, ptl_event_kind_t kind) {
  if ((descriptors[number].md.options & PTL_MD_EVENT_START_DISABLE) == 0)
    event.link = post(number, event, kind);
}

std::uint64_t Model::end(int number, const ModelEvent& event, ptl_event_kind_t kind) {
  if ((descriptors[number].md.options & PTL_MD_EVENT_END_DISABLE) != 0) return event.link;
  return post(number, event, kind);
}

void Model::consume(Descriptor& descriptor) {
  if (descriptor.md.threshold != PTL_MD_THRESH_INF && --descriptor.md.threshold == 0)
    descriptor.active = false;
}

void Model::unlink_if_over(int number, const ModelEvent& last, std::uint64_t cause) {
  Descriptor& descriptor = descriptors[number];
  if (descriptor.active || !descriptor.unlinks || descriptor.pending > 0) return;
  ModelEvent event = last;
  event.link = cause;
  event.fail = PTL_NI_OK;
  event.threshold = descriptor.md.threshold;
  post(number, event, PTL_EVENT_UNLINK);
  remove(number);
}

int Model::check_operation(int number, std::uint64_t offset, std::uint64_t bytes,
                           const ModelOperation& operation) const {
  const Descriptor& descriptor = descriptors[number];
  if (!descriptor.alive || !descriptor.active) return PTL_MD_INVALID;
  if (operation.target.nid > 3) return PTL_PROCESS_INVALID;
  return offset <= descriptor.md.bytes && bytes <= descriptor.md.bytes - offset ? PTL_OK : PTL_MD_ILLEGAL;
}

int Model::put(int number, std::uint64_t offset, std::uint64_t bytes, ModelOperation operation,
               ModelFlight& flight) {
  if (const int code = check_operation(number, offset, bytes, operation); code != PTL_OK) return code;
  Descriptor& descriptor = descriptors[number];
  ++descriptor.pending;
  consume(descriptor);
  ModelEvent event{PTL_EVENT_SEND_START, number, self,  operation.pt_index,
                   operation.match_bits, bytes,  bytes, offset,
                   operation.hdr_data};
  event.threshold = descriptor.md.threshold;
  start(number, event, PTL_EVENT_SEND_START);
  flight = {ModelFlight::kSend, number, event, PTL_EVENT_SEND_END, true, operation, false};
  return PTL_OK;
}

int Model::get(int number, std::uint64_t offset, std::uint64_t bytes, ModelOperation& operation,
               ModelFlight& flight) {
  if (const int code = check_operation(number, offset, bytes, operation); code != PTL_OK) return code;
  operation.answer_to = number;
  operation.bytes = bytes;
  operation.local_offset = offset;
  ModelEvent event{
      PTL_EVENT_SEND_START, number, self, operation.pt_index, operation.match_bits, bytes, bytes, offset, 0};
  flight = {ModelFlight::kRequest, number, event, PTL_EVENT_SEND_END, false, operation, false};
  return PTL_OK;
}

int Model::getput(int get_number, int put_number, ModelOperation& operation, ModelFlight& flight) {
  if (const int code = check_operation(get_number, 0, 0, operation); code != PTL_OK) return code;
  if (const int code = check_operation(put_number, 0, 0, operation); code != PTL_OK) return code;
  Descriptor& source = descriptors[put_number];
  if (source.md.bytes > static_cast<std::uint64_t>(limits.max_getput_md)) return PTL_MD_ILLEGAL;
  operation.answer_to = get_number;
  operation.bytes = source.md.bytes;
  operation.local_offset = 0;
  ++source.pending;
  consume(source);
  ModelEvent event{PTL_EVENT_SEND_START, put_number,      self, operation.pt_index, operation.match_bits,
                   operation.bytes,      operation.bytes, 0,    operation.hdr_data};
  event.threshold = source.md.threshold;
  start(put_number, event, PTL_EVENT_SEND_START);
  flight = {ModelFlight::kRequest, put_number, event, PTL_EVENT_SEND_END, true, operation, false};
  return PTL_OK;
}

std::optional<ModelFlight> Model::request(const ModelRequest& request) {
  ++drops;
  if (request.pt_index >= portals.size() || request.ac_index >= access.size()) return {};
  const Access& rule = access[request.ac_index];
  if (!fits(rule.match_id.nid, request.source.nid) || !fits(rule.match_id.pid, request.source.pid) ||
      !fits(rule.uid, request.uid) || !fits(rule.jid, request.jid) ||
      !fits(rule.pt_index, request.pt_index)) {
    ++denied;
    return {};
  }
  for (int number : portals[request.pt_index]) {
    const Entry& entry = entries[number];
    if (entry.descriptor < 0) continue;
    if (!fits(entry.match_id.nid, request.source.nid) || !fits(entry.match_id.pid, request.source.pid))
      continue;
    if (((entry.match_bits ^ request.match_bits) & ~entry.ignore_bits) != 0) continue;
    Descriptor& descriptor = descriptors[entry.descriptor];
    const unsigned options = descriptor.md.options;
    if (!descriptor.active) continue;
    if (request.kind != ModelRequest::kGet && (options & PTL_MD_OP_PUT) == 0) continue;
    if (request.kind != ModelRequest::kPut && (options & PTL_MD_OP_GET) == 0) continue;
    const bool remote = (options & PTL_MD_MANAGE_REMOTE) != 0;
    const std::uint64_t offset = remote ? request.remote_offset : descriptor.local_offset;
    std::uint64_t bytes = request.bytes;
    if (offset > descriptor.md.bytes) continue;
    if (bytes > descriptor.md.bytes - offset) {
      if ((options & PTL_MD_TRUNCATE) == 0) continue;
      bytes = descriptor.md.bytes - offset;
    }

    --drops;
    consume(descriptor);
    if (!remote) {
      descriptor.local_offset += bytes;
      if ((options & PTL_MD_MAX_SIZE) != 0 &&
          descriptor.md.bytes - descriptor.local_offset < descriptor.md.max_size) {
        descriptor.active = false;
      }
    }
    ++descriptor.pending;
    static constexpr ptl_event_kind_t kStarts[] = {PTL_EVENT_PUT_START, PTL_EVENT_GET_START,
                                                   PTL_EVENT_GETPUT_START};
    static constexpr ptl_event_kind_t kEnds[] = {PTL_EVENT_PUT_END, PTL_EVENT_GET_END, PTL_EVENT_GETPUT_END};
    ModelEvent event{kStarts[request.kind],
                     entry.descriptor,
                     request.source,
                     request.pt_index,
                     request.match_bits,
                     request.bytes,
                     bytes,
                     offset,
                     request.kind == ModelRequest::kGet ? 0 : request.hdr_data};
    event.threshold = descriptor.md.threshold;
    start(entry.descriptor, event, kStarts[request.kind]);
    return ModelFlight{
        request.kind == ModelRequest::kGet ? ModelFlight::kReturn : ModelFlight::kDeposit,
        entry.descriptor,
        event,
        kEnds[request.kind],
        true,
        {},
        request.kind == ModelRequest::kPut && request.ack_wanted && (options & PTL_MD_ACK_DISABLE) == 0};
  }
  return {};
}

bool Model::takes_answer(const ModelOperation& operation) {
  const Descriptor& descriptor = descriptors[operation.answer_to];
  if (descriptor.alive && descriptor.active) return true;
  ++late;
  return false;
}

void Model::acknowledged(const ModelOperation& operation, std::uint64_t matched, ptl_ni_fail_t fail) {
  if (!takes_answer(operation)) return;
  Descriptor& descriptor = descriptors[operation.answer_to];
  consume(descriptor);
  ModelEvent event{PTL_EVENT_ACK,
                   operation.answer_to,
                   operation.target,
                   operation.pt_index,
                   operation.match_bits,
                   operation.bytes,
                   matched,
                   operation.local_offset,
                   operation.hdr_data,
                   fail};
  event.threshold = descriptor.md.threshold;
  const std::uint64_t cause = post(operation.answer_to, event, PTL_EVENT_ACK);
  unlink_if_over(operation.answer_to, event, cause);
}

std::optional<ModelFlight> Model::replied(const ModelOperation& operation, std::uint64_t matched) {
  if (!takes_answer(operation)) return {};
  Descriptor& descriptor = descriptors[operation.answer_to];
  const std::uint64_t room =
      operation.local_offset <= descriptor.md.bytes ? descriptor.md.bytes - operation.local_offset : 0;
  if (matched > room && (descriptor.md.options & PTL_MD_TRUNCATE) == 0) {
    ++drops;
    return {};
  }
  consume(descriptor);
  ++descriptor.pending;
  ModelEvent event{PTL_EVENT_REPLY_START,   operation.answer_to,    operation.target,
                   operation.pt_index,      operation.match_bits,   operation.bytes,
                   std::min(matched, room), operation.local_offset, 0};
  event.threshold = descriptor.md.threshold;
  start(operation.answer_to, event, PTL_EVENT_REPLY_START);
  return ModelFlight{ModelFlight::kReply, operation.answer_to, event, PTL_EVENT_REPLY_END, true, {}, false};
}

void Model::reply_failed(const ModelOperation& operation, ptl_ni_fail_t fail) {
  if (!takes_answer(operation)) return;
  Descriptor& descriptor = descriptors[operation.answer_to];
  consume(descriptor);
  ModelEvent event{PTL_EVENT_REPLY_START,
                   operation.answer_to,
                   operation.target,
                   operation.pt_index,
                   operation.match_bits,
                   operation.bytes,
                   0,
                   operation.local_offset,
                   0};
  event.threshold = descriptor.md.threshold;
  start(operation.answer_to, event, PTL_EVENT_REPLY_START);
  event.fail = fail;
  const std::uint64_t cause = end(operation.answer_to, event, PTL_EVENT_REPLY_END);
  unlink_if_over(operation.answer_to, event, cause);
}

void Model::undeliverable(const ModelOperation& operation) {
  ++failures;
  if (operation.kind != ModelRequest::kPut) {
    reply_failed(operation, PTL_NI_UNDELIVERABLE);
  } else if (operation.ack_wanted) {
    acknowledged(operation, 0, PTL_NI_UNDELIVERABLE);
  }
}

bool Model::finalize(const ModelFlight& flight, ptl_ni_fail_t fail) {
  Descriptor& descriptor = descriptors[flight.descriptor];
  ModelEvent event = flight.event;
  event.fail = fail;
  if (fail != PTL_NI_OK) {
    if (flight.has_end_event) event.mlength = 0;
    ++failures;
  }
  std::uint64_t cause = 0;
  if (flight.has_end_event) cause = end(flight.descriptor, event, flight.end);
  const bool is_get_request = flight.phase == ModelFlight::kRequest && !flight.has_end_event;
  if (!is_get_request) {
    --descriptor.pending;
    unlink_if_over(flight.descriptor, event, cause);
  }
  if (flight.phase == ModelFlight::kRequest && fail != PTL_NI_OK && !flight.settled)
    reply_failed(flight.failing, fail);
  return flight.phase == ModelFlight::kDeposit && flight.acknowledge && fail == PTL_NI_OK;
}

}  // namespace aqueduct::test
