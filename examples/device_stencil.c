/* A stencil whose field lies on a GPU, in strips of rows: every rank puts its border rows straight into the
 * halo of the ranks above and below, from device to device, on whatever network there is.
 *
 *   aqueduct run -n 4 device_stencil
 *
 * The rows are computed by the host here, so that nothing but the library is needed: a real program starts
 * its kernel in the place of step().
 */
#include <gasnet_coll.h>
#include <gasnet_mk.h>
#include <gasnetex.h>
#include <stdio.h>
#include <stdlib.h>

enum { kColumns = 256, kRows = 16, kSteps = 50 }; /* of each rank, without the halo */
enum { kRowBytes = kColumns * sizeof(float), kFieldBytes = (kRows + 2) * kRowBytes };

static gex_TM_t world, devices; /* all ranks; from this device to those of others */
static gex_Rank_t me, ranks;
static char* field; /* on the device: halo, rows, halo */
static float here[kRows + 2][kColumns], next[kRows + 2][kColumns];

static char* row_of(gex_Rank_t rank, int row) {
  void* base;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(devices, rank, &base, NULL, NULL, 0));
  return (char*)base + (size_t)row * kRowBytes;
}

static void barrier(void) {
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

/* What a kernel would do: each cell becomes the mean of its four neighbours. The way to the device and back
 * is a put and a get to oneself. */
static void step(void) {
  int row, column;
  gex_TM_t to_own_device = gex_TM_Pair(gex_TM_QueryEP(world), 1);
  gex_RMA_GetBlocking(to_own_device, here, me, field, kFieldBytes, 0);
  for (row = 1; row <= kRows; ++row) {
    for (column = 0; column < kColumns; ++column) {
      const float left = column == 0 ? 0 : here[row][column - 1];
      const float right = column == kColumns - 1 ? 0 : here[row][column + 1];
      next[row][column] = (here[row - 1][column] + here[row + 1][column] + left + right) / 4;
    }
  }
  gex_RMA_PutBlocking(to_own_device, me, field + kRowBytes, next[1], kRows * kRowBytes, 0);
}

/* The first row goes to the halo below the rank above, the last to the halo above the rank below. */
static void exchange(void) {
  if (me > 0)
    gex_RMA_PutNBI(devices, me - 1, row_of(me - 1, kRows + 1), field + kRowBytes, kRowBytes, GEX_EVENT_DEFER,
                   0);
  if (me + 1 < ranks)
    gex_RMA_PutNBI(devices, me + 1, row_of(me + 1, 0), field + kRows * kRowBytes, kRowBytes, GEX_EVENT_DEFER,
                   0);
  gex_NBI_Wait(GEX_EC_PUT, 0);
  barrier();
}

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t ep, device_ep;
  gex_Segment_t segment;
  gex_MK_t kind;
  gex_MK_Create_args_t device = {0};
  double sum = 0, all = 0;
  int i, row, column;

  gex_Client_Init(&client, &ep, &world, "device_stencil", &argc, &argv, 0);
  me = gex_TM_QueryRank(world);
  ranks = gex_TM_QuerySize(world);

  /* Device 0, a segment there, and an endpoint by which others name it. */
  device.gex_class = GEX_MK_CLASS_CUDA_UVA;
  device.gex_args.gex_class_cuda_uva.gex_CUdevice = 0;
  if (gex_MK_Create(&kind, client, &device, 0) != GASNET_OK) gasnet_exit(1);
  if (gex_Segment_Create(&segment, client, NULL, kFieldBytes, kind, 0) != GASNET_OK) gasnet_exit(1);
  gex_EP_Create(&device_ep, client, GEX_EP_CAPABILITY_RMA, 0);
  gex_EP_BindSegment(device_ep, segment, 0);
  gex_EP_PublishBoundSegment(world, &device_ep, 1, 0);
  devices = gex_TM_Pair(device_ep, gex_EP_QueryIndex(device_ep));
  field = gex_Segment_QueryAddr(segment);

  /* One hot row at the top of the first rank; all else is cold. */
  if (me == 0)
    for (column = 0; column < kColumns; ++column) here[0][column] = 1000;
  gex_RMA_PutBlocking(devices, me, field, here, kFieldBytes, 0);
  barrier();

  for (i = 0; i < kSteps; ++i) {
    exchange();
    step();
    barrier();
  }

  gex_RMA_GetBlocking(devices, here, me, field, kFieldBytes, 0);
  for (row = 1; row <= kRows; ++row)
    for (column = 0; column < kColumns; ++column) sum += here[row][column];
  gex_Event_Wait(
      gex_Coll_ReduceToOneNB(world, 0, &all, &sum, GEX_DT_DBL, sizeof sum, 1, GEX_OP_ADD, NULL, NULL, 0));
  if (me == 0) printf("%u ranks, %d steps: the field holds %.0f\n", ranks, kSteps, all);
  gasnet_exit(0);
  return 0;
}
