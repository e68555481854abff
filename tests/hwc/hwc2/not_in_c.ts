/** Cases about what composer3 has and hwcomposer2.h has not, so that it cannot come through it. */
export const NOT_IN_C: Readonly<Record<string, readonly string[]>> = {
  // There are no slots of buffers.
  "HIDL 2.1": ["SetClientTargetSlotCount"],
  // Nor one answer about the planes of all displays.
  "AIDL V2": ["GetOverlaySupport"],
  // There are no functions for the config at boot, nor capabilities.
  "AIDL": [
    "SetBootDisplayConfig",
    "SetBootDisplayConfig_BadDisplay",
    "SetBootDisplayConfig_BadConfig",
    "ClearBootDisplayConfig",
    "ClearBootDisplayConfig_BadDisplay",
    "GetPreferredBootDisplayConfig",
    "GetPreferredBootDisplayConfig_BadDisplay",
    // Nor for how the panel is mounted.
    "GetDisplayPhysicalOrientation",
    "GetDisplayPhysicalOrientation_BadDisplay",
    "SetClientTargetSlotCount",
  ],
  // Nor for these properties of a layer, for the time of a frame, and for the idle timer.
  "AIDL command": [
    "SetLayerBlockingRegion",
    "setLayerBrightness",
    "ExpectedPresentTime_NoTimestamp",
    "ExpectedPresentTime_0",
    "ExpectedPresentTime_5",
    "SetIdleTimerEnabled_BadParameter",
    "SetIdleTimerEnabled_Disable",
    "SetIdleTimerEnabled_Timeout_2",
  ],
  // Nor is there a callback for the refresh rate.
  "AIDL command V2": [
    "SetRefreshRateChangedCallbackDebug_Unsupported",
    "SetRefreshRateChangedCallbackDebug_Enabled",
    "SetRefreshRateChangedCallbackDebugEnabled_noCallbackWhenIdle",
    "SetRefreshRateChangedCallbackDebugEnabled_SetActiveConfigWithConstraints",
  ],
  "AIDL readback": ["SetLayerBrightnessDims"],
};
