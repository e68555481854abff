/**
 * Cases of Android's suites that are not ported, with the reason.
 *
 * @module
 */

const SERVICE =
  "of the HAL as a service, which has one client and caches buffers by slots; tests/hwc/remote/client/connect_test.ts has it";
const BATCH = "of AIDL V3's command queue that creates layers within a batch; no capability says we have it";
const HDR_OUTPUT = "needs a sink that HDR signals are converted for, and a composer that converts them";
const VARIABLE = "needs a panel with a variable refresh rate";

/** The reasons, by `suite.case`. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  "HIDL 2.1.CreateClientSingleton": SERVICE,
  "AIDL.CreateClientSingleton": SERVICE,
  "AIDL.BootDisplayConfig_Unsupported":
    "for devices that lack boot configs; ours has them, and SetBootDisplayConfig tests them",
  "AIDL.GetHdrConversionCapabilities": HDR_OUTPUT,
  "AIDL.SetHdrConversionStrategy_Passthrough": HDR_OUTPUT,
  "AIDL.SetHdrConversionStrategy_Force": HDR_OUTPUT,
  "AIDL.SetHdrConversionStrategy_Auto": HDR_OUTPUT,
  "AIDL command V2.SetLayerBufferSlotsToClear": SERVICE,
  "AIDL command V3.CreateBatchedCommand": BATCH,
  "AIDL command V3.CreateBatchedCommand_BadDisplay": BATCH,
  "AIDL command V3.DestroyBatchedCommand": BATCH,
  "AIDL command V3.DestroyBatchedCommand_BadDisplay": BATCH,
  "AIDL command V3.NoCreateDestroyBatchedCommandIncorrectLayer": BATCH,
  "AIDL command V3.notifyExpectedPresentTimeout": VARIABLE,
  "AIDL command V3.notifyExpectedPresentFrameIntervalChange": VARIABLE,
  "AIDL command V3.frameIntervalChangeAtPresentFrame": VARIABLE,
};
