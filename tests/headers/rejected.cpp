#include "rejected.c"
