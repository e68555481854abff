/**
 * The cases that Android's suites for hardware composers have, by suite: 164 of
 * the raw interface, 141 of HIDL, 152 of AIDL.
 *
 * @module
 */

const SETTERS = [
  "SET_LAYER_COMPOSITION_TYPE",
  "SET_CURSOR_POSITION",
  "SET_LAYER_BLEND_MODE",
  "SET_LAYER_BUFFER",
  "SET_LAYER_COLOR",
  "SET_LAYER_DATASPACE",
  "SET_LAYER_DISPLAY_FRAME",
  "SET_LAYER_PLANE_ALPHA",
  "SET_LAYER_SOURCE_CROP",
  "SET_LAYER_SURFACE_DAMAGE",
  "SET_LAYER_TRANSFORM",
  "SET_LAYER_VISIBLE_REGION",
  "SET_LAYER_Z_ORDER",
];

/** `A (b c)` is A, A_b and A_c. */
function names(text: string): string[] {
  return [...text.matchAll(/(\w+)(?:\s*\(([^)]*)\))?/g)].flatMap(([, name, more]) => {
    return [name, ...(more ?? "").split(/\s+/).filter(Boolean).map((part) => `${name}_${part}`)];
  });
}

/** Only the `A_b` of `A (b c)`. */
function onlyWith(name: string, parts: string): string[] {
  return parts.split(" ").map((part) => `${name}_${part}`);
}

const READBACK = `SingleSolidColorLayer SetLayerBuffer SetLayerBufferNoEffect ClientComposition
  DeviceAndClientComposition SetLayerDamage SetLayerPlaneAlpha SetLayerSourceCrop SetLayerZOrder
  SetLayerBlendModePremultiplied FLIP_H FLIP_V ROT_180`;

/** All of them. */
export const ORIGINALS: Readonly<Record<string, readonly string[]>> = {
  Hwc2Test: [
    ...names(`GET_FUNCTION (invalid_function) GET_CAPABILITIES REGISTER_CALLBACK (bad_parameter null_data)
      GET_DISPLAY_TYPE (bad_display) CREATE_DESTROY_LAYER DESTROY_VIRTUAL_DISPLAY_bad_display
      GET_DISPLAY_ATTRIBUTE (invalid_attribute bad_display bad_config) GET_DISPLAY_CONFIGS (bad_display same duplicate)
      GET_ACTIVE_CONFIG (bad_display bad_config) SET_ACTIVE_CONFIG (bad_display bad_config)
      GET_DOZE_SUPPORT (bad_display) SET_POWER_MODE (bad_display bad_parameter unsupported stress)
      SET_VSYNC_ENABLED (callback bad_display bad_parameter stress no_callback_no_power no_callback)
      GET_DISPLAY_NAME (bad_display) GET_CLIENT_TARGET_SUPPORT (bad_display unsupported)
      GET_COLOR_MODES (bad_display) SET_COLOR_MODES (bad_display bad_parameter unsupported)
      GET_HDR_CAPABILITIES (bad_display) SET_COLOR_TRANSFORM (bad_display bad_parameter arbitrary_matrix)
      CREATE_DESTROY_VIRTUAL_DISPLAY (multiple) GET_MAX_VIRTUAL_DISPLAY_COUNT (duplicate create_max)
      SET_OUTPUT_BUFFER (bad_display bad_parameter unsupported) DUMP DESTROY_VIRTUAL_DISPLAY_bad_parameter
      GET_RELEASE_FENCES_bad_display SET_CURSOR_POSITION_bad_display`),
    ...onlyWith("CREATE_LAYER", "bad_display no_resources"),
    ...onlyWith("DESTROY_LAYER", "bad_display bad_layer"),
    ...SETTERS.flatMap((name) => [name, `${name}_update`, `${name}_bad_layer`])
      .filter((name) => name !== "SET_LAYER_VISIBLE_REGION_update"),
    ...["COMPOSITION_TYPE", "BLEND_MODE", "BUFFER"].map((name) => `SET_LAYER_${name}_bad_parameter`),
    "SET_CURSOR_POSITION_composition_type_unset",
    "SET_LAYER_COLOR_composition_type_unset",
    ...onlyWith("VALIDATE_DISPLAY", "basic default_5 bad_display"),
    ...["GET_DISPLAY_REQUESTS", "GET_CHANGED_COMPOSITION_TYPES", "ACCEPT_DISPLAY_CHANGES"].flatMap((name) =>
      onlyWith(name, "basic bad_display not_validated")
    ),
    ...onlyWith("SET_CLIENT_TARGET", "basic bad_display"),
    ...onlyWith(
      "PRESENT_DISPLAY",
      "default_1 default_2 default_3 default_4 default_5 default_6 blend_mode_1 blend_mode_2 buffer_1 color_1 color_2 " +
        "composition_1 cursor_1 cursor_2 dataspace_1 display_frame_1 display_frame_2 display_frame_3 display_frame_4 " +
        "plane_alpha_1 plane_alpha_2 source_crop_1 source_crop_2 surface_damage_1 transform_1 transform_2 basic_1 " +
        "bad_display not_validated",
    ),
    ...onlyWith("PRESENT_VIRTUAL_DISPLAY", "default_1 default_2 default_3 default_4 default_5 basic_1"),
  ],
  "HIDL 2.1": names(`GetCapabilities DumpDebugInfo CreateClientSingleton CreateVirtualDisplay
    DestroyVirtualDisplayBadDisplay CreateLayer CreateLayerBadDisplay DestroyLayerBadDisplay DestroyLayerBadLayerError
    GetActiveConfigBadDisplay GetDisplayConfig GetDisplayConfigBadDisplay GetDisplayName GetDisplayType
    GetClientTargetSupport GetClientTargetSupportBadDisplay GetDisplayAttribute GetHdrCapabilities
    SetClientTargetSlotCount SetActiveConfig SetActiveConfigPowerCycle GetColorModes SetColorMode SetColorModeBadDisplay
    SetColorModeBadParameter GetDozeSupportBadDisplay SetPowerMode SetPowerModeVariations SetPowerModeBadDisplay
    SetPowerModeUnsupported SetPowerModeBadParameter SetVsyncEnabled SET_COLOR_TRANSFORM SET_CLIENT_TARGET
    SET_OUTPUT_BUFFER VALIDATE_DISPLAY ACCEPT_DISPLAY_CHANGES PRESENT_DISPLAY PRESENT_DISPLAY_NO_LAYER_STATE_CHANGES
    SET_LAYER_CURSOR_POSITION SET_LAYER_BUFFER SET_LAYER_BUFFER_multipleTimes SET_LAYER_SURFACE_DAMAGE
    SET_LAYER_BLEND_MODE SET_LAYER_COLOR SET_LAYER_COMPOSITION_TYPE SET_LAYER_DATASPACE SET_LAYER_DISPLAY_FRAME
    SET_LAYER_PLANE_ALPHA SET_LAYER_SIDEBAND_STREAM SET_LAYER_SOURCE_CROP SET_LAYER_TRANSFORM SET_LAYER_VISIBLE_REGION
    SET_LAYER_Z_ORDER`),
  "HIDL 2.2": names(`SET_LAYER_PER_FRAME_METADATA GetPerFrameMetadataKeys CreateVirtualDisplay_2_2
    GetClientTargetSupport_2_2 GetClientTargetSupport_2_2BadDisplay SetPowerMode_2_2 SetPowerMode_2_2Variations
    SetPowerMode_2_2BadDisplay SetPowerMode_2_2BadParameter SetPowerMode_2_2Unsupported SetReadbackBuffer
    SetReadbackBufferBadDisplay SetReadbackBufferBadParameter GetReadbackBufferFenceInactive SET_LAYER_FLOAT_COLOR
    GetDataspaceSaturationMatrix GetDataspaceSaturationMatrixBadParameter GetColorMode_2_2 GetColorMode_2_2BadDisplay
    GetRenderIntents GetRenderIntentsBadDisplay GetRenderIntentsBadParameter SetColorMode_2_2 SetColorMode_2_2BadDisplay
    SetColorMode_2_2BadParameter`),
  "HIDL 2.2 readback": names(`${READBACK} DISABLED_SetLayerBlendModeNone DISABLED_SetLayerBlendModeCoverage`),
  "HIDL 2.3": names(`GetDisplayIdentificationData SET_LAYER_PER_FRAME_METADATA GetHdrCapabilities_2_3
    GetPerFrameMetadataKeys_2_3 GetReadbackBufferAttributes_2_3 GetClientTargetSupport_2_3
    GetClientTargetSupport_2_3BadDisplay GetRenderIntents_2_3 GetRenderIntents_2_3BadDisplay
    GetRenderIntents_2_3BadParameter GetColorModes_2_3 GetColorMode_2_3BadDisplay SetColorMode_2_3
    SetColorMode_2_3BadDisplay SetColorMode_2_3BadParameter SetLayerColorTransform GetDisplayedContentSamplingAttributes
    SetDisplayedContentSamplingEnabled GetDisplayedContentSample getDisplayCapabilitiesBasic
    getDisplayCapabilitiesBadDisplay SetLayerPerFrameMetadataBlobs setDisplayBrightness`),
  "HIDL 2.4": names(`getDisplayCapabilities getDisplayCapabilitiesBadDisplay getDisplayConnectionType
    GetDisplayAttribute_2_4 getDisplayVsyncPeriod (BadDisplay) setAutoLowLatencyMode setAutoLowLatencyModeBadDisplay
    setActiveConfigWithConstraints (BadDisplay BadConfig SeamlessNotAllowed Delayed MissRefresh)
    getSupportedContentTypes getSupportedContentTypesBadDisplay setContentTypeNoneAlwaysAccepted
    setContentTypeBadDisplay setGraphicsContentType setPhotoContentType setCinemaContentType setGameContentType
    getLayerGenericMetadataKeys GetDisplayConfigNoRepetitions`),
  AIDL: names(`GetDisplayCapabilities (BadDisplay) DumpDebugInfo CreateClientSingleton GetDisplayIdentificationData
    GetHdrCapabilities GetPerFrameMetadataKeys GetReadbackBufferAttributes GetRenderIntents (BadDisplay BadParameter)
    GetColorModes GetColorMode_BadDisplay SetColorMode (BadDisplay BadParameter) GetDisplayedContentSamplingAttributes
    SetDisplayedContentSamplingEnabled GetDisplayedContentSample GetDisplayConnectionType GetDisplayAttribute
    GetDisplayVsyncPeriod_BadDisplay SetActiveConfigWithConstraints_BadDisplay SetActiveConfigWithConstraints_BadConfig
    SetAutoLowLatencyMode (BadDisplay) GetSupportedContentTypes (BadDisplay) SetContentTypeNoneAlwaysAccepted
    SetContentType_BadDisplay SetGraphicsContentType SetPhotoContentType SetCinemaContentType SetGameContentType
    CreateVirtualDisplay DestroyVirtualDisplay_BadDisplay CreateLayer (BadDisplay) DestroyLayer_BadDisplay
    DestroyLayer_BadLayerError GetActiveConfig_BadDisplay GetDisplayConfig (BadDisplay) GetDisplayName
    SetClientTargetSlotCount SetActiveConfig SetActiveConfigPowerCycle SetPowerModeUnsupported
    SetPowerMode (BadDisplay BadParameter) SetPowerModeVariations SetVsyncEnabled
    GetDataspaceSaturationMatrix (BadParameter) GetDisplayConfigNoRepetitions CheckConfigsAreValid
    SetBootDisplayConfig (BadDisplay BadConfig) ClearBootDisplayConfig (BadDisplay)
    GetPreferredBootDisplayConfig (BadDisplay) BootDisplayConfig_Unsupported GetHdrConversionCapabilities
    SetHdrConversionStrategy_Passthrough SetHdrConversionStrategy_Force SetHdrConversionStrategy_Auto
    GetDisplayPhysicalOrientation (BadDisplay) LayerLifecycleCapabilityNotSupportedOnOldVersions`),
  "AIDL V2": names(`GetOverlaySupport`),
  "AIDL V3": names(`GetDisplayConfigurations GetDisplayConfigsIsSubsetOfGetDisplayConfigurations`),
  "AIDL command": names(`SetColorTransform SetLayerColorTransform SetDisplayBrightness SetClientTarget SetOutputBuffer
    ValidDisplay AcceptDisplayChanges PresentDisplay PresentDisplayNoLayerStateChanges SetLayerCursorPosition
    SetLayerBuffer SetLayerBufferMultipleTimes SetLayerSurfaceDamage SetLayerBlockingRegion SetLayerBlendMode
    SetLayerColor SetLayerCompositionType DisplayDecoration SetLayerDataspace SetLayerDisplayFrame SetLayerPlaneAlpha
    SetLayerSidebandStream SetLayerSourceCrop SetLayerTransform SetLayerVisibleRegion SetLayerZOrder
    SetLayerPerFrameMetadata setLayerBrightness SetActiveConfigWithConstraints (Delayed MissRefresh SeamlessNotAllowed)
    GetDisplayVsyncPeriod ExpectedPresentTime_NoTimestamp ExpectedPresentTime_0 ExpectedPresentTime_5
    SetIdleTimerEnabled_Unsupported SetIdleTimerEnabled_BadParameter SetIdleTimerEnabled_Disable
    SetIdleTimerEnabled_Timeout_2 MultiThreadedPresent`),
  "AIDL command V2": names(`SkipValidateDeprecatedTest SetLayerBufferSlotsToClear
    SetRefreshRateChangedCallbackDebug_Unsupported SetRefreshRateChangedCallbackDebug_Enabled
    SetRefreshRateChangedCallbackDebugEnabled_noCallbackWhenIdle
    SetRefreshRateChangedCallbackDebugEnabled_SetActiveConfigWithConstraints`),
  "AIDL command V3": names(`CreateBatchedCommand (BadDisplay) DestroyBatchedCommand (BadDisplay)
    NoCreateDestroyBatchedCommandIncorrectLayer notifyExpectedPresentTimeout notifyExpectedPresentFrameIntervalChange
    frameIntervalChangeAtPresentFrame`),
  "AIDL readback": names(`${READBACK} SetLayerBlendModeNone SetLayerBlendModeCoverage
    SetReadbackBuffer (BadDisplay BadParameter) GetReadbackBufferFenceInactive MixedColorSpaces SetLayerBrightnessDims
    ColorConversion`),
};
