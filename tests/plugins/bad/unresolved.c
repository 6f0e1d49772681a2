/* Needs a function that nobody has. */
extern int aqueduct_function_that_nobody_has(void);
__attribute__((visibility("default"))) int call_it(void) { return aqueduct_function_that_nobody_has(); }
