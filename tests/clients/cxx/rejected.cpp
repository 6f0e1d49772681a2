// What the C++ interface refuses, one at a time; the last line is what it accepts.
#include <aqueduct.hpp>

int plain(int value) { return value; }
struct Linked {
  int* pointer;
};

void refused(int argument) {
  (void)argument;
#if defined(REFERENCE_CAPTURED)
  (void)aqueduct::call(0, [&argument] { return argument; });
#elif defined(POINTER_CAPTURED)
  const int* pointer = &argument;
  (void)aqueduct::call(0, [pointer] { return *pointer; });
#elif defined(STRING_CAPTURED)
  std::string text;
  (void)aqueduct::call(0, [text] { return text.size(); });
#elif defined(FUNCTION_ADDRESS)
  (void)aqueduct::call(0, &plain, 1);
#elif defined(POINTER_SENT)
  aqueduct::post(
      0, [](int*) {}, &argument);
#elif defined(POINTER_AGGREGATED)
  aqueduct::aggregator keep(*static_cast<aqueduct::team*>(nullptr), [](const int*) {});
  keep.send(0, &argument);
#elif defined(WRONG_ARGUMENTS)
  (void)aqueduct::call(
      0, [](std::string_view) {}, 5);
#elif defined(OPERATION_RETURNED)
  (void)aqueduct::call(0, [] { return aqueduct::sleep_for(std::chrono::seconds(1)); });
#elif defined(PROGRESS_THREAD)
  const aqueduct::progress_thread helper;
#else
  (void)aqueduct::call(0, [argument] { return argument; });
#endif
}
