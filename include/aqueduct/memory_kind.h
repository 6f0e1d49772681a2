/* Kinds of memory that segments may lie in: the host's, with a predefined kind, GEX_MK_HOST, and those of
 * devices, of which a client makes one for each device that it uses. The driver of a class is loaded with the
 * first kind of it. Calls that make or destroy: any thread, not in handlers.
 */
#ifndef AQUEDUCT_MEMORY_KIND_H_
#define AQUEDUCT_MEMORY_KIND_H_

#include "aqueduct/detail/attributes.h"
#include "gasnet_fwd.h"

typedef enum { GEX_MK_CLASS_HOST, GEX_MK_CLASS_CUDA_UVA, GEX_MK_CLASS_HIP, GEX_MK_CLASS_ZE } gex_MK_Class_t;

/* What gex_MK_Create is to make. Whatever a client does not set must be zero. */
typedef struct {
  uint64_t gex_flags; /* must be 0 */
  gex_MK_Class_t gex_class;
  union {
    struct {
      int gex_CUdevice;
    } gex_class_cuda_uva;
    struct {
      int gex_hipDevice;
    } gex_class_hip;
    struct {
      void* gex_zeDevice;
      void* gex_zeContext;
      uint32_t gex_zeMemoryOrdinal;
    } gex_class_ze;
  } gex_args;
} gex_MK_Create_args_t;

AQ_BEGIN_C_

/* Makes a kind of the host's memory, of a CUDA device by its ordinal, of a HIP device by its, or of a device
 * of Level Zero by the client's handles, which must stay valid as long as the kind. Not collective. *kind_p
 * stays as it is where that fails: GASNET_ERR_BAD_ARG for a device that is not there, a NULL pointer, an
 * invalid client or flags; GASNET_ERR_RESOURCE if there is no driver, an older one than is needed, no device
 * at all, or the device cannot be opened. */
AQ_API_ int gex_MK_Create(gex_MK_t* kind_p, gex_Client_t client, const gex_MK_Create_args_t* args,
                          gex_Flags_t flags);
/* Destroys a kind that gex_MK_Create made, of which no segment exists. Flags must be 0. */
AQ_API_ void gex_MK_Destroy(gex_MK_t kind, gex_Flags_t flags);

/* Any thread, also in handlers; GEX_MK_HOST too. */
AQ_API_ gex_Client_t gex_MK_QueryClient(gex_MK_t kind);
AQ_API_ gex_MK_Class_t gex_MK_QueryClass(gex_MK_t kind);
AQ_API_ gex_Flags_t gex_MK_QueryFlags(gex_MK_t kind);
AQ_API_ void gex_MK_SetCData(gex_MK_t kind, const void* value);
AQ_API_ void* gex_MK_QueryCData(gex_MK_t kind);

AQ_END_C_

#endif
