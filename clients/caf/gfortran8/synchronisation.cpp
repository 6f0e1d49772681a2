// Image control statements, teams, events and locks.
#include "clients/caf/event.hpp"
#include "clients/caf/lock.hpp"
#include "clients/caf/sync.hpp"
#include "clients/caf/team.hpp"

using namespace aqueduct::caf;

// What gfortran passes for errmsg= of these three statements is not the address of the variable, but of a
// pointer to it, with the variable's length: nothing is stored there.
CAF_ENTRY(void _gfortran_caf_sync_all)(int* stat, char*, std::size_t) {
  need_job();
  sync_all({stat}, "SYNC ALL");
}
CAF_ENTRY(void _gfortran_caf_sync_memory)(int* stat, char*, std::size_t) { sync_memory(stat); }
CAF_ENTRY(void _gfortran_caf_sync_images)(int count, int* images, int* stat, char*, std::size_t) {
  need_job();
  sync_images(count, images, {stat});
}

CAF_ENTRY(void _gfortran_caf_form_team)(int number, void** team, int) {
  need_job();
  *team = form_team(number);
}
CAF_ENTRY(void _gfortran_caf_change_team)(void** team, int) { change_team(static_cast<Team*>(*team)); }
CAF_ENTRY(void _gfortran_caf_end_team)(void**) { end_team(); }
CAF_ENTRY(void _gfortran_caf_sync_team)(void** team, int) {
  if (!*team) fatal("SYNC TEAM", "the team was never formed");
  sync_team(*static_cast<Team*>(*team), {}, "SYNC TEAM");
}
CAF_ENTRY(int _gfortran_caf_team_number)(void* team) {
  need_job();
  return (team ? static_cast<Team*>(team) : job.team)->number;
}

CAF_ENTRY(void _gfortran_caf_event_post)
(void* token, std::size_t index, int image, int* stat, char* message, std::size_t message_bytes) {
  event_post(*coarray_of(token), index, image, {stat, message, message_bytes});
}
CAF_ENTRY(void _gfortran_caf_event_wait)
(void* token, std::size_t index, int until_count, int* stat, char* message, std::size_t message_bytes) {
  event_wait(*coarray_of(token), index, until_count, {stat, message, message_bytes});
}
CAF_ENTRY(void _gfortran_caf_event_query)(void* token, std::size_t index, int image, int* count, int* stat) {
  event_query(*coarray_of(token), index, image, count, {stat});
}

CAF_ENTRY(void _gfortran_caf_lock)
(void* token, std::size_t index, int image, int* acquired, int* stat, char* message,
 std::size_t message_bytes) {
  lock(*coarray_of(token), index, image, acquired, {stat, message, message_bytes});
}
CAF_ENTRY(void _gfortran_caf_unlock)
(void* token, std::size_t index, int image, int* stat, char* message, std::size_t message_bytes) {
  unlock(*coarray_of(token), index, image, {stat, message, message_bytes});
}
