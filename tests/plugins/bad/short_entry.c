/* The right symbol, but it is something else. */
__attribute__((visibility("default"))) int aqueduct_conduit_plugin = 7;
