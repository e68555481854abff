import { CONTENT_TYPE } from "../../../../hwc/device_types.ts";
import { COMPOSITION, FORMAT } from "../../../../hwc/types.ts";
import type { Cases } from "../stage.ts";
import * as command from "./command_cases.ts";
import * as display from "./display_cases.ts";
import { badDisplay } from "./display_cases.ts";
import { readbackCases } from "./readback_cases.ts";
import * as timing from "./timing_cases.ts";

/** VTS of IComposer 2.1. */
export const hidl21Cases: Cases = {
  GetCapabilities: display.getCapabilities,
  DumpDebugInfo: display.dumpDebugInfo,
  CreateVirtualDisplay: display.createVirtualDisplay,
  DestroyVirtualDisplayBadDisplay: badDisplay(({ composer }, id) => composer.destroyVirtualDisplay(id)),
  CreateLayer: display.createLayer,
  CreateLayerBadDisplay: badDisplay(({ composer }, id) => composer.createLayer(id)),
  DestroyLayerBadDisplay: badDisplay(({ composer }, id) => composer.destroyLayer(id, 0n)),
  DestroyLayerBadLayerError: display.destroyBadLayer,
  GetActiveConfigBadDisplay: badDisplay(({ composer }, id) => composer.getActiveConfig(id)),
  GetDisplayConfig: display.getDisplayConfig,
  GetDisplayConfigBadDisplay: badDisplay(({ composer }, id) => composer.getDisplayConfigs(id)),
  GetDisplayName: display.getDisplayName,
  GetDisplayType: display.getDisplayType,
  GetClientTargetSupport: display.getClientTargetSupport,
  GetClientTargetSupportBadDisplay: badDisplay(({ composer }, id) =>
    composer.getClientTargetSupport(id, 96, 64, FORMAT.RGBA_8888, 0)
  ),
  SetClientTargetSlotCount: display.setClientTargetSlotCount,
  GetDisplayAttribute: display.getDisplayAttribute,
  GetHdrCapabilities: display.getHdrCapabilities,
  SetActiveConfig: display.setActiveConfig,
  SetActiveConfigPowerCycle: display.setActiveConfigPowerCycle,
  GetColorModes: display.getColorModes,
  SetColorMode: display.setColorMode,
  SetColorModeBadDisplay: badDisplay(({ composer }, id) => composer.setColorMode(id, 0)),
  SetColorModeBadParameter: display.setColorModeBadParameter,
  GetDozeSupportBadDisplay: badDisplay(({ composer }, id) => composer.getDozeSupport(id)),
  SetPowerMode: display.setPowerMode,
  SetPowerModeVariations: display.setPowerModeVariations,
  SetPowerModeBadDisplay: badDisplay(({ composer }, id) => composer.setPowerMode(id, 2)),
  SetPowerModeUnsupported: display.setPowerModeUnsupported,
  SetPowerModeBadParameter: display.setPowerModeBadParameter,
  SetVsyncEnabled: display.setVsyncEnabled,
  SET_COLOR_TRANSFORM: command.setColorTransform,
  SET_CLIENT_TARGET: command.setClientTarget,
  SET_OUTPUT_BUFFER: command.setOutputBuffer,
  VALIDATE_DISPLAY: command.validateDisplay,
  ACCEPT_DISPLAY_CHANGES: command.acceptDisplayChanges,
  PRESENT_DISPLAY: command.presentDisplay,
  PRESENT_DISPLAY_NO_LAYER_STATE_CHANGES: command.presentWithoutValidation(COMPOSITION.DEVICE),
  SET_LAYER_CURSOR_POSITION: command.setCursorPosition,
  SET_LAYER_BUFFER: command.property("SET_LAYER_BUFFER"),
  SET_LAYER_BUFFER_multipleTimes: command.setBufferManyTimes,
  SET_LAYER_SURFACE_DAMAGE: command.property("SET_LAYER_SURFACE_DAMAGE"),
  SET_LAYER_BLEND_MODE: command.property("SET_LAYER_BLEND_MODE"),
  SET_LAYER_COLOR: command.setColorUntyped,
  SET_LAYER_COMPOSITION_TYPE: command.property("SET_LAYER_COMPOSITION_TYPE"),
  SET_LAYER_DATASPACE: command.property("SET_LAYER_DATASPACE"),
  SET_LAYER_DISPLAY_FRAME: command.property("SET_LAYER_DISPLAY_FRAME"),
  SET_LAYER_PLANE_ALPHA: command.property("SET_LAYER_PLANE_ALPHA"),
  SET_LAYER_SIDEBAND_STREAM: command.setSidebandStream,
  SET_LAYER_SOURCE_CROP: command.property("SET_LAYER_SOURCE_CROP"),
  SET_LAYER_TRANSFORM: command.property("SET_LAYER_TRANSFORM"),
  SET_LAYER_VISIBLE_REGION: command.property("SET_LAYER_VISIBLE_REGION"),
  SET_LAYER_Z_ORDER: command.property("SET_LAYER_Z_ORDER"),
};

const { SetLayerBlendModeNone, SetLayerBlendModeCoverage, ...enabled } = readbackCases;

/** VTS of IComposer 2.2, its readback cases apart. */
export const hidl22Cases: Cases = {
  SET_LAYER_PER_FRAME_METADATA: command.setPerFrameMetadata,
  GetPerFrameMetadataKeys: display.getPerFrameMetadataKeys,
  CreateVirtualDisplay_2_2: display.createVirtualDisplay,
  GetClientTargetSupport_2_2: display.getClientTargetSupport,
  GetClientTargetSupport_2_2BadDisplay: badDisplay(({ composer }, id) =>
    composer.getClientTargetSupport(id, 96, 64, FORMAT.RGBA_8888, 0)
  ),
  SetPowerMode_2_2: display.setPowerMode,
  SetPowerMode_2_2Variations: display.setPowerModeVariations,
  SetPowerMode_2_2BadDisplay: badDisplay(({ composer }, id) => composer.setPowerMode(id, 0)),
  SetPowerMode_2_2BadParameter: display.setPowerModeBadParameter,
  SetPowerMode_2_2Unsupported: display.setPowerModeUnsupported,
  SetReadbackBuffer: display.setReadbackBuffer,
  SetReadbackBufferBadDisplay: badDisplay((stage, id) =>
    stage.composer.setReadbackBuffer(id, stage.allocate(8, 8), null)
  ),
  SetReadbackBufferBadParameter: display.setReadbackBufferBadParameter,
  GetReadbackBufferFenceInactive: display.getReadbackBufferFenceInactive,
  SET_LAYER_FLOAT_COLOR: command.setFloatColor,
  GetDataspaceSaturationMatrix: display.getDataspaceSaturationMatrix,
  GetDataspaceSaturationMatrixBadParameter: display.getDataspaceSaturationMatrixBadParameter,
  GetColorMode_2_2: display.getColorModes,
  GetColorMode_2_2BadDisplay: badDisplay(({ composer }, id) => composer.getColorModes(id)),
  GetRenderIntents: display.getRenderIntents,
  GetRenderIntentsBadDisplay: badDisplay(({ composer }, id) => composer.getRenderIntents(id, 0)),
  GetRenderIntentsBadParameter: display.getRenderIntentsBadParameter,
  SetColorMode_2_2: display.setColorMode,
  SetColorMode_2_2BadDisplay: badDisplay(({ composer }, id) => composer.setColorModeWithRenderIntent(id, 0, 0)),
  SetColorMode_2_2BadParameter: display.setColorModeBadParameter,
};

/** The readback cases of 2.2: those that are switched off there are on here. */
export const hidl22ReadbackCases: Cases = {
  ...enabled,
  DISABLED_SetLayerBlendModeNone: SetLayerBlendModeNone,
  DISABLED_SetLayerBlendModeCoverage: SetLayerBlendModeCoverage,
};

/** VTS of IComposer 2.3. */
export const hidl23Cases: Cases = {
  GetDisplayIdentificationData: display.getDisplayIdentificationData,
  SET_LAYER_PER_FRAME_METADATA: command.setPerFrameMetadata,
  GetHdrCapabilities_2_3: display.getHdrCapabilities,
  GetPerFrameMetadataKeys_2_3: display.getPerFrameMetadataKeys,
  GetReadbackBufferAttributes_2_3: display.getReadbackBufferAttributes,
  GetClientTargetSupport_2_3: display.getClientTargetSupport,
  GetClientTargetSupport_2_3BadDisplay: badDisplay(({ composer }, id) =>
    composer.getClientTargetSupport(id, 96, 64, FORMAT.RGBA_8888, 0)
  ),
  GetRenderIntents_2_3: display.getRenderIntents,
  GetRenderIntents_2_3BadDisplay: badDisplay(({ composer }, id) => composer.getRenderIntents(id, 0)),
  GetRenderIntents_2_3BadParameter: display.getRenderIntentsBadParameter,
  GetColorModes_2_3: display.getColorModes,
  GetColorMode_2_3BadDisplay: badDisplay(({ composer }, id) => composer.getColorModes(id)),
  SetColorMode_2_3: display.setColorMode,
  SetColorMode_2_3BadDisplay: badDisplay(({ composer }, id) => composer.setColorModeWithRenderIntent(id, 0, 0)),
  SetColorMode_2_3BadParameter: display.setColorModeBadParameter,
  SetLayerColorTransform: command.setLayerColorTransform,
  GetDisplayedContentSamplingAttributes: display.getContentSamplingAttributes,
  SetDisplayedContentSamplingEnabled: display.setContentSampling,
  GetDisplayedContentSample: display.getContentSample,
  getDisplayCapabilitiesBasic: display.getDisplayCapabilities,
  getDisplayCapabilitiesBadDisplay: badDisplay(({ composer }, id) => composer.getDisplayCapabilities(id)),
  SetLayerPerFrameMetadataBlobs: command.setPerFrameMetadataBlobs,
  setDisplayBrightness: display.setDisplayBrightness,
};

/** VTS of IComposer 2.4. */
export const hidl24Cases: Cases = {
  getDisplayCapabilities: display.getDisplayCapabilities,
  getDisplayCapabilitiesBadDisplay: badDisplay(({ composer }, id) => composer.getDisplayCapabilities(id)),
  getDisplayConnectionType: display.getDisplayConnectionType,
  GetDisplayAttribute_2_4: display.getDisplayAttribute,
  getDisplayVsyncPeriod_BadDisplay: badDisplay(({ composer }, id) => composer.getDisplayVsyncPeriod(id)),
  getDisplayVsyncPeriod: timing.vsyncPeriodFollows,
  setActiveConfigWithConstraints_BadDisplay: timing.withConstraintsBadDisplay,
  setActiveConfigWithConstraints_BadConfig: timing.withConstraintsBadConfig,
  setActiveConfigWithConstraints_SeamlessNotAllowed: timing.seamlessNotAllowed,
  setActiveConfigWithConstraints: timing.setActiveConfigWithConstraints,
  setActiveConfigWithConstraints_Delayed: timing.setActiveConfigDelayed,
  setActiveConfigWithConstraints_MissRefresh: timing.setActiveConfigMissRefresh,
  setAutoLowLatencyMode: display.setAutoLowLatencyMode,
  setAutoLowLatencyModeBadDisplay: badDisplay(({ composer }, id) => composer.setAutoLowLatencyMode(id, true)),
  getSupportedContentTypes: display.getSupportedContentTypes,
  getSupportedContentTypesBadDisplay: badDisplay(({ composer }, id) => composer.getSupportedContentTypes(id)),
  setContentTypeNoneAlwaysAccepted: display.setContentTypeNone,
  setContentTypeBadDisplay: badDisplay(({ composer }, id) => composer.setContentType(id, CONTENT_TYPE.NONE)),
  setGraphicsContentType: display.setContentType(CONTENT_TYPE.GRAPHICS),
  setPhotoContentType: display.setContentType(CONTENT_TYPE.PHOTO),
  setCinemaContentType: display.setContentType(CONTENT_TYPE.CINEMA),
  setGameContentType: display.setContentType(CONTENT_TYPE.GAME),
  getLayerGenericMetadataKeys: display.getLayerGenericMetadataKeys,
  GetDisplayConfigNoRepetitions: display.noConfigTwice,
};
