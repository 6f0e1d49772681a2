#include "base/context.hpp"

namespace aqueduct {

constinit thread_local Context current_context;

}  // namespace aqueduct
