import { assert, assertEquals } from "@std/assert";
import { CAPABILITY, CONTENT_TYPE } from "../../../../hwc/device_types.ts";
import { COMPOSITION, ERROR } from "../../../../hwc/types.ts";
import { DEFAULT_DEVICE } from "../device_options.ts";
import { eachConfig } from "../hwc2_test/config_cases.ts";
import { type Case, type Cases, NO_DISPLAY, type Stage } from "../stage.ts";
import * as command from "./command_cases.ts";
import * as display from "./display_cases.ts";
import { badDisplay } from "./display_cases.ts";
import { newReadbackCases, readbackCases } from "./readback_cases.ts";
import * as timing from "./timing_cases.ts";

function lacks(capability: number): Case["run"] {
  return async ({ composer }: Stage) => assert(!(await composer.getCapabilities()).includes(capability));
}

function badConfig(call: (stage: Stage, config: number) => unknown): Case["run"] {
  return (stage) => stage.fails(ERROR.BAD_CONFIG, () => call(stage, 0xffff));
}

/** GraphicsComposerAidlV2Test. */
export const aidlV2Cases: Cases = {
  GetOverlaySupport: display.getOverlaySupport,
};

/** GraphicsComposerAidlTest. */
export const aidlCases: Cases = {
  GetDisplayCapabilities: display.getDisplayCapabilities,
  GetDisplayCapabilities_BadDisplay: badDisplay(({ composer }, id) => composer.getDisplayCapabilities(id)),
  DumpDebugInfo: display.dumpDebugInfo,
  GetDisplayIdentificationData: display.getDisplayIdentificationData,
  GetHdrCapabilities: display.getHdrCapabilities,
  GetPerFrameMetadataKeys: display.getPerFrameMetadataKeys,
  GetReadbackBufferAttributes: display.getReadbackBufferAttributes,
  GetRenderIntents: display.getRenderIntents,
  GetRenderIntents_BadDisplay: badDisplay(({ composer }, id) => composer.getRenderIntents(id, 0)),
  GetRenderIntents_BadParameter: display.getRenderIntentsBadParameter,
  GetColorModes: display.getColorModes,
  GetColorMode_BadDisplay: badDisplay(({ composer }, id) => composer.getColorModes(id)),
  SetColorMode: display.setColorMode,
  SetColorMode_BadDisplay: badDisplay(({ composer }, id) => composer.setColorModeWithRenderIntent(id, 0, 0)),
  SetColorMode_BadParameter: display.setColorModeBadParameter,
  GetDisplayedContentSamplingAttributes: display.getContentSamplingAttributes,
  SetDisplayedContentSamplingEnabled: display.setContentSampling,
  GetDisplayedContentSample: display.getContentSample,
  GetDisplayConnectionType: display.getDisplayConnectionType,
  GetDisplayAttribute: display.getDisplayAttribute,
  GetDisplayVsyncPeriod_BadDisplay: badDisplay(({ composer }, id) => composer.getDisplayVsyncPeriod(id)),
  SetActiveConfigWithConstraints_BadDisplay: timing.withConstraintsBadDisplay,
  SetActiveConfigWithConstraints_BadConfig: timing.withConstraintsBadConfig,
  SetAutoLowLatencyMode: display.setAutoLowLatencyMode,
  SetAutoLowLatencyMode_BadDisplay: badDisplay(({ composer }, id) => composer.setAutoLowLatencyMode(id, true)),
  GetSupportedContentTypes: display.getSupportedContentTypes,
  GetSupportedContentTypes_BadDisplay: badDisplay(({ composer }, id) => composer.getSupportedContentTypes(id)),
  SetContentTypeNoneAlwaysAccepted: display.setContentTypeNone,
  SetContentType_BadDisplay: badDisplay(({ composer }, id) => composer.setContentType(id, CONTENT_TYPE.NONE)),
  SetGraphicsContentType: display.setContentType(CONTENT_TYPE.GRAPHICS),
  SetPhotoContentType: display.setContentType(CONTENT_TYPE.PHOTO),
  SetCinemaContentType: display.setContentType(CONTENT_TYPE.CINEMA),
  SetGameContentType: display.setContentType(CONTENT_TYPE.GAME),
  CreateVirtualDisplay: display.createVirtualDisplay,
  DestroyVirtualDisplay_BadDisplay: badDisplay(({ composer }, id) => composer.destroyVirtualDisplay(id)),
  CreateLayer: display.createLayer,
  CreateLayer_BadDisplay: badDisplay(({ composer }, id) => composer.createLayer(id)),
  DestroyLayer_BadDisplay: badDisplay(({ composer }, id) => composer.destroyLayer(id, 0n)),
  DestroyLayer_BadLayerError: display.destroyBadLayer,
  GetActiveConfig_BadDisplay: badDisplay(({ composer }, id) => composer.getActiveConfig(id)),
  GetDisplayConfig: display.getDisplayConfig,
  GetDisplayConfig_BadDisplay: badDisplay(({ composer }, id) => composer.getDisplayConfigs(id)),
  GetDisplayName: display.getDisplayName,
  SetActiveConfig: display.setActiveConfig,
  SetActiveConfigPowerCycle: display.setActiveConfigPowerCycle,
  SetPowerModeUnsupported: display.setPowerModeUnsupported,
  SetPowerMode: display.setPowerMode,
  SetPowerModeVariations: display.setPowerModeVariations,
  SetPowerMode_BadDisplay: badDisplay(({ composer }, id) => composer.setPowerMode(id, 0)),
  SetPowerMode_BadParameter: display.setPowerModeBadParameter,
  SetVsyncEnabled: display.setVsyncEnabled,
  GetDataspaceSaturationMatrix: display.getDataspaceSaturationMatrix,
  GetDataspaceSaturationMatrix_BadParameter: display.getDataspaceSaturationMatrixBadParameter,
  GetDisplayConfigNoRepetitions: display.noConfigTwice,
  CheckConfigsAreValid: (stage) => eachConfig(stage, (_, config) => assert(config !== 0xffff_ffff)),
  SetBootDisplayConfig: display.bootDisplayConfig,
  SetBootDisplayConfig_BadDisplay: badDisplay(({ composer }, id) => composer.setBootDisplayConfig(id, 1)),
  SetBootDisplayConfig_BadConfig: badConfig(({ composer, display }, config) =>
    composer.setBootDisplayConfig(display, config)
  ),
  ClearBootDisplayConfig: display.bootDisplayConfig,
  ClearBootDisplayConfig_BadDisplay: badDisplay(({ composer }, id) => composer.clearBootDisplayConfig(id)),
  GetPreferredBootDisplayConfig: async ({ composer, displays }) => {
    for (const id of displays) {
      assert((await composer.getDisplayConfigs(id)).includes(await composer.getPreferredBootDisplayConfig(id)));
    }
  },
  GetPreferredBootDisplayConfig_BadDisplay: badDisplay(({ composer }, id) =>
    composer.getPreferredBootDisplayConfig(id)
  ),
  SetClientTargetSlotCount: display.setClientTargetSlotCount,
  GetDisplayPhysicalOrientation: display.getDisplayPhysicalOrientation,
  GetDisplayPhysicalOrientation_BadDisplay: badDisplay(({ composer }, id) =>
    composer.getDisplayPhysicalOrientation(id)
  ),
  LayerLifecycleCapabilityNotSupportedOnOldVersions: lacks(CAPABILITY.LAYER_LIFECYCLE_BATCH_COMMAND),
};

/** GraphicsComposerAidlV3Test: all there is to be known of a config agrees with its attributes. */
export const aidlV3Cases: Cases = {
  GetDisplayConfigurations: async ({ composer, displays }) => {
    for (const id of displays) {
      for (const config of await composer.getDisplayConfigurations(id)) {
        assertEquals(await composer.getDisplayAttribute(id, config.configId, 1), config.width);
        assertEquals(await composer.getDisplayAttribute(id, config.configId, 2), config.height);
        assertEquals(await composer.getDisplayAttribute(id, config.configId, 3), config.vsyncPeriod);
        assertEquals(await composer.getDisplayAttribute(id, config.configId, 7), config.configGroup);
      }
    }
  },
  GetDisplayConfigsIsSubsetOfGetDisplayConfigurations: async (stage) => {
    for (const id of stage.displays) {
      const all = (await stage.composer.getDisplayConfigurations(id)).map(({ configId }) => configId);
      assert((await stage.composer.getDisplayConfigs(id)).every((config) => all.includes(config)));
    }
    await stage.fails(ERROR.BAD_DISPLAY, () => stage.composer.getDisplayConfigurations(NO_DISPLAY));
  },
};

/** GraphicsComposerAidlCommandTest. */
export const aidlCommandCases: Cases = {
  SetColorTransform: command.setColorTransform,
  SetLayerColorTransform: command.setLayerColorTransform,
  SetDisplayBrightness: display.setDisplayBrightness,
  SetClientTarget: command.setClientTarget,
  SetOutputBuffer: command.setOutputBuffer,
  ValidDisplay: command.validateDisplay,
  AcceptDisplayChanges: command.acceptDisplayChanges,
  PresentDisplay: command.presentDisplay,
  PresentDisplayNoLayerStateChanges: command.presentWithoutValidation(COMPOSITION.CURSOR),
  SetLayerCursorPosition: command.setCursorPosition,
  SetLayerBuffer: command.property("SET_LAYER_BUFFER"),
  SetLayerBufferMultipleTimes: command.setBufferManyTimes,
  SetLayerSurfaceDamage: command.property("SET_LAYER_SURFACE_DAMAGE"),
  SetLayerBlockingRegion: command.setBlockingRegion,
  SetLayerBlendMode: command.property("SET_LAYER_BLEND_MODE"),
  SetLayerColor: command.setFloatColor,
  SetLayerCompositionType: command.property("SET_LAYER_COMPOSITION_TYPE"),
  DisplayDecoration: command.displayDecoration,
  SetLayerDataspace: command.property("SET_LAYER_DATASPACE"),
  SetLayerDisplayFrame: command.property("SET_LAYER_DISPLAY_FRAME"),
  SetLayerPlaneAlpha: command.property("SET_LAYER_PLANE_ALPHA"),
  SetLayerSidebandStream: command.setSidebandStream,
  SetLayerSourceCrop: command.property("SET_LAYER_SOURCE_CROP"),
  SetLayerTransform: command.property("SET_LAYER_TRANSFORM"),
  SetLayerVisibleRegion: command.property("SET_LAYER_VISIBLE_REGION"),
  SetLayerZOrder: command.property("SET_LAYER_Z_ORDER"),
  SetLayerPerFrameMetadata: command.setPerFrameMetadata,
  setLayerBrightness: command.setLayerBrightness,
  SetActiveConfigWithConstraints: timing.setActiveConfigWithConstraints,
  SetActiveConfigWithConstraints_Delayed: timing.setActiveConfigDelayed,
  SetActiveConfigWithConstraints_MissRefresh: timing.setActiveConfigMissRefresh,
  SetActiveConfigWithConstraints_SeamlessNotAllowed: timing.seamlessNotAllowed,
  GetDisplayVsyncPeriod: timing.vsyncPeriodFollows,
  ExpectedPresentTime_NoTimestamp: timing.expectedPresentTime(undefined),
  ExpectedPresentTime_0: timing.expectedPresentTime(0),
  ExpectedPresentTime_5: timing.expectedPresentTime(5),
  SetIdleTimerEnabled_Unsupported: timing.idleTimerUnsupported,
  SetIdleTimerEnabled_BadParameter: timing.idleTimerBadParameter,
  SetIdleTimerEnabled_Disable: timing.idleTimer,
  SetIdleTimerEnabled_Timeout_2: timing.idleTimer,
  MultiThreadedPresent: command.presentInterleaved,
};

/** GraphicsComposerAidlCommandV2Test. */
export const aidlCommandV2Cases: Cases = {
  SkipValidateDeprecatedTest: {
    options: { ...DEFAULT_DEVICE, skipValidate: false },
    run: lacks(CAPABILITY.SKIP_VALIDATE),
  },
  SetRefreshRateChangedCallbackDebug_Unsupported: badDisplay(({ composer }, id) =>
    composer.setRefreshRateChangedCallbackDebugEnabled(id, true)
  ),
  SetRefreshRateChangedCallbackDebug_Enabled: timing.refreshRateDebug,
  SetRefreshRateChangedCallbackDebugEnabled_noCallbackWhenIdle: timing.refreshRateDebugIdle,
  SetRefreshRateChangedCallbackDebugEnabled_SetActiveConfigWithConstraints: timing.refreshRateDebugConstraints,
};

/** GraphicsComposerAidlReadbackTest. */
export const aidlReadbackCases: Cases = {
  ...readbackCases,
  ...newReadbackCases,
  SetReadbackBuffer: display.setReadbackBuffer,
  SetReadbackBuffer_BadDisplay: badDisplay((stage, id) =>
    stage.composer.setReadbackBuffer(id, stage.allocate(8, 8), null)
  ),
  SetReadbackBuffer_BadParameter: display.setReadbackBufferBadParameter,
  GetReadbackBufferFenceInactive: display.getReadbackBufferFenceInactive,
};
