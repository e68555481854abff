/** Byte offsets in hw_module_t of `hardware/hardware.h`, 64-bit; it is 248 bytes. */
export const MODULE = { tag: 0, apiVersion: 4, id: 8, name: 16, author: 24, methods: 32 } as const;
/** Byte offsets in hwc2_device_t of `hardware/hwcomposer2.h`, 64-bit; it is 136 bytes. */
export const DEVICE = { tag: 0, version: 4, module: 8, close: 112, getCapabilities: 120, getFunction: 128 } as const;

/** `HWMT` */
export const MODULE_TAG = 0x48574d54;
/** `HWDT` */
export const DEVICE_TAG = 0x48574454;
/** HWC_DEVICE_API_VERSION_2_0: major, minor, header. */
export const DEVICE_VERSION = 0x02000001;
/** The name of this library's modules. */
export const MODULE_NAME = "Pumice hardware composer";
/** HWC_HARDWARE_MODULE_ID */
export const MODULE_ID = "hwcomposer";
/** HWC_HARDWARE_COMPOSER */
export const DEVICE_ID = "composer";
