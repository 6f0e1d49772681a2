/* To be built in ways that cannot be simulated. */
#include <stdio.h>
int main(void) { return puts("not simulated") < 0; }
