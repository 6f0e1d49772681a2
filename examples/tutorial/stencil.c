/* Heat in a plate: each point becomes the mean of its four neighbours, many times. The rows of the plate are
 * divided among the ranks; a rank needs the row above its first one and the one below its last, which its
 * neighbours send. While these are under way it computes everything that does not need them.
 *
 *   stencil [STEPS [ROWS_OF_A_RANK]]
 */
#include <aqueduct/sim.h>
#include <gasnet_coll.h>
#include <gasnetex.h>
#include <math.h>
#include <stdio.h>

enum { COLUMNS = 256, ROW_BYTES = COLUMNS * sizeof(double) };

struct state {
  volatile unsigned arrived[2]; /* rows from above and from below */
};

enum { ROW = GEX_AM_INDEX_BASE };

static void on_row(gex_Token_t token, void* row, size_t bytes, gex_AM_Arg_t side) {
  (void)row, (void)bytes; /* it is in its place already */
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_EP);
  struct state* state = gex_EP_QueryCData(info.gex_ep);
  state->arrived[side] += 1;
}

/* One row of the new plate; returns the largest change. */
static double relax(double* to, const double* from) {
  double change = 0;
  for (int i = 1; i < COLUMNS - 1; ++i) {
    to[i] = (from[i - 1] + from[i + 1] + from[i - COLUMNS] + from[i + COLUMNS]) / 4;
    change = fmax(change, fabs(to[i] - from[i]));
  }
  return change;
}

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t world;
  gex_Client_Init(&client, &endpoint, &world, "stencil", &argc, &argv, 0);
  const gex_Rank_t me = gex_TM_QueryRank(world), size = gex_TM_QuerySize(world);
  const int steps = argc > 1 ? atoi(argv[1]) : 100, rows = argc > 2 ? atoi(argv[2]) : 64;

  /* Two plates, old and new, each with a row of somebody else's at both ends. */
  const size_t plate = (rows + 2) * COLUMNS;
  const uintptr_t bytes =
      (2 * plate * sizeof(double) + GASNET_PAGESIZE - 1) / GASNET_PAGESIZE * GASNET_PAGESIZE;
  gex_Segment_t segment;
  gex_Segment_Attach(&segment, world, bytes);
  double* const memory = gex_Segment_QueryAddr(segment);
  struct state state = {{0, 0}};
  gex_EP_SetCData(endpoint, &state);
  gex_AM_Entry_t handler = {ROW, (gex_AM_Fn_t)on_row, GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST, 1, NULL, "row"};
  gex_EP_RegisterHandlers(endpoint, &handler, 1);

  const int has_above = me > 0, has_below = me + 1 < size;
  void *above = NULL, *below = NULL;
  if (has_above) gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, me - 1, &above, NULL, NULL, 0));
  if (has_below) gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, me + 1, &below, NULL, NULL, 0));
  if (me == 0) /* the upper edge of the plate is hot, in the old one and in the new one */
    for (int i = 0; i < COLUMNS; ++i) memory[i] = memory[plate + i] = 100;
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));

  const uint64_t begin = aqueduct_sim_time_ns();
  double change = 0;
  for (int step = 0; step < steps; ++step) {
    const size_t from = step % 2 * plate, to = plate - from;
    double *old = memory + from, *fresh = memory + to;

    /* Send the edges of this rank to where they are needed: below the last row of the rank above, and above
     * the first row of the rank below. */
    if (has_above)
      gex_AM_RequestLong1(world, me - 1, ROW, old + COLUMNS, ROW_BYTES,
                          (double*)above + from + (rows + 1) * COLUMNS, GEX_EVENT_GROUP, 0, 1);
    if (has_below)
      gex_AM_RequestLong1(world, me + 1, ROW, old + rows * COLUMNS, ROW_BYTES, (double*)below + from,
                          GEX_EVENT_GROUP, 0, 0);

    /* Meanwhile, everything between. */
    change = 0;
    for (int row = 2; row < rows; ++row)
      change = fmax(change, relax(fresh + row * COLUMNS, old + row * COLUMNS));
    aqueduct_sim_compute_ns(aqueduct_sim_active() ? (uint64_t)rows * COLUMNS : 0);

    /* Then the edges. */
    GASNET_BLOCKUNTIL((!has_above || state.arrived[0] > (unsigned)step) &&
                      (!has_below || state.arrived[1] > (unsigned)step));
    change = fmax(change, relax(fresh + COLUMNS, old + COLUMNS));
    change = fmax(change, relax(fresh + rows * COLUMNS, old + rows * COLUMNS));
    gex_NBI_Wait(GEX_EC_AM, 0); /* the rows that were sent may be overwritten in the next step */
  }
  /* What changed most in the last step, and how long the slowest rank took for all of them. */
  const double mine[2] = {change, (aqueduct_sim_time_ns() - begin) / 1e3};
  double most[2];
  gex_Event_Wait(
      gex_Coll_ReduceToAllNB(world, most, mine, GEX_DT_DBL, sizeof(double), 2, GEX_OP_MAX, NULL, NULL, 0));
  if (me == 0) printf("%u ranks, %d steps: the last one changed a point by %.6f\n", size, steps, most[0]);
  if (me == 0 && aqueduct_sim_active())
    printf("%.1f us a step, of which %.1f us are computing\n", most[1] / steps, rows * COLUMNS / 1e3);

  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
  gasnet_exit(0);
}
