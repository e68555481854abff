/**
 * The Hardware Composer: the interface {@linkcode Composer} with the HAL's
 * names, a composer with simulated panels ({@linkcode createReferenceComposer}),
 * planes as data and the strategies that use them.
 *
 * @example A colour on a simulated panel
 * ```ts ignore
 * import { createReferenceComposer, ManualClock, SurfaceFlinger } from "@pumice/gfx/hwc";
 * import { pngConsumer } from "@pumice/gfx/wsi";
 *
 * const clock = new ManualClock(), modes = [{ width: 320, height: 180, refreshRate: 60 }];
 * using composer = createReferenceComposer({ clock, panels: [{ modes }] });
 * using flinger = new SurfaceFlinger({ composer });
 * composer.showOn(flinger.displays[0].handle!, pngConsumer("panel.png"));
 * flinger.createLayer({ name: "sky", color: { r: 0, g: 0.5, b: 1, a: 1 }, size: { width: 320, height: 180 } });
 * clock.advance(40_000_000n); // two vsyncs
 * ```
 *
 * @module
 */
export type { AsyncComposer, Composer, MayBeLater } from "./composer.ts";
export type {
  BufferCombinations,
  ChangedCompositionType,
  ClientTargetProperty,
  ComposerCallbacks,
  ContentSample,
  ContentSamplingAttributes,
  DisplayConfiguration,
  DisplayDecorationSupport,
  DisplayRequests,
  DisplayValidation,
  GenericMetadataKey,
  HdrCapabilities,
  HdrConversionCapability,
  HdrConversionStrategy,
  OverlayProperties,
  PerFrameMetadata,
  PerFrameMetadataBlob,
  ReleaseFence,
  VsyncPeriodChangeConstraints,
  VsyncPeriodChangeTimeline,
} from "./composer_records.ts";
export * from "./device_types.ts";
export { FUNCTION_NAMES, functionDescriptor, missingFunctions } from "./function_names.ts";
export { HwcError, hwcErrorName } from "./hwc_error.ts";
export {
  BLEND,
  type Blend,
  type Color,
  COMPOSITION,
  type Composition,
  DATASPACE,
  ERROR,
  FORMAT,
  type FRect,
  type Rect,
  TRANSFORM,
} from "./types.ts";

export type { FramePlan, PlaneDecision, PlaneFinding, PlaneRefusal } from "./planes/frame_plan.ts";
export { explainText } from "../loader/driver/report/finding.ts";
export type { Finding, FindingSubject } from "../loader/driver/report/finding.ts";
export { blitterPlane, eightPlane, fourPlane, onePlane, PLANE_MODELS, videoPlane } from "./planes/models.ts";
export type { Plane, PlaneBuffer, PlaneLayer, PlaneModel, ScalingLimits } from "./planes/plane.ts";
export {
  type ComposeOptions,
  type CompositionBackend,
  CompositionError,
  type CompositionErrorCode,
  type CompositionReport,
  type CompositionRule,
  type LayerReport,
} from "./backends/backend.ts";
export type { ComposeLayer } from "./backends/compose_layer.ts";
export {
  createCpuBackend,
  createEglBackend,
  createPixmanBackend,
  createReferenceBackend,
  createThreadedBackend,
  createTsBackend,
  createVulkanBackend,
  type ThreadedOptions,
} from "./backends/create.ts";
export type { EglBackendOptions } from "./backends/egl/device.ts";
export type { VulkanBackendOptions } from "./backends/vulkan/device.ts";
export type { BandKind } from "./backends/bands/band.ts";
export type { LayersAtOnce } from "./backends/shader/shape.ts";
export type { LayerState } from "./flinger/layers/layer_state.ts";
export type { FlingerRelease } from "./flinger/frame/make_frame.ts";
export type {
  DisplayInfo,
  FlingerStatistics,
  SurfaceFlingerOptions,
  VirtualDisplayOptions,
} from "./flinger/options.ts";
export type { VirtualMode } from "./flinger/displays/output_window.ts";
export type { Renderer } from "./flinger/frame/frame_context.ts";
export { SurfaceFlinger } from "./flinger/surface_flinger.ts";
export type { LatchedFrame, LayerOptions, SurfaceLayer } from "./flinger/layers/surface_layer.ts";
export { Transaction } from "./flinger/layers/layer_book.ts";
export { clientOnly, firstLayers, leastGpuWork, type PlaneStrategy } from "./planes/strategy.ts";

export { type Clock, ManualClock, systemClock } from "./core/time/clock.ts";
export { SteppingClock } from "./core/time/stepping_clock.ts";
export type { BootConfigs, Compositor, ReferenceComposerOptions } from "./core/options.ts";
export { makeEdid, type PanelHdr, type PanelMode, type PanelOptions } from "./core/panel/panel.ts";
export { createReferenceComposer } from "./simulated/reference_composer.ts";
export type {
  DisplayStatistics,
  ReferenceComposer,
  ReferenceControls,
  ShownFrame,
  ShownLayer,
} from "./core/controls.ts";

export { createKmsComposer, type KmsComposer, type KmsControls } from "./kms/create_kms_composer.ts";
export type { KmsComposerOptions } from "./kms/options.ts";
export { KmsError, type KmsErrorCode } from "./kms/kms_error.ts";
export { type CardOptions, openCard } from "./kms/card/card.ts";
export type {
  CardCapabilities,
  CardConnector,
  CardCrtc,
  CardMode,
  CardPlane,
  CardProperties,
  CardProperty,
  KmsCard,
} from "./kms/card/facts.ts";

export { type ComposerInfo, composerInfo, type ComposerInfoOptions } from "./info/composer_info.ts";
export type { ComposerDisplayInfo, ConfigInfo, HdrInfo } from "./info/display_info.ts";

export { type ExportedHwc2, exportHwc2 } from "./hwc2/export.ts";
export type { Hwc2Search } from "./hwc2/device/open_device.ts";
export { type Hwc2Composer, openHwc2 } from "./hwc2/open.ts";
export { ComposerViewer, composerViewer } from "./viewer/composer_viewer.ts";
export { FrameWatch, type FrameWatchOptions, watchFrames } from "./viewer/watch/frame_watch.ts";
export type { ComposerViewerOptions } from "./viewer/options.ts";
export type { DisplayCounts, DisplayLayer, DisplayPlane, DisplayReport, FrameTimes } from "./viewer/watch/report.ts";

export type { BinderComposer } from "./binder/connected/composer.ts";
export type { BinderComposerServer, BinderConnectOptions, BinderServeOptions } from "./binder/options.ts";
export { connectComposer, type RemoteComposer, type RemoteOptions } from "./remote/client/connect.ts";
export { type ComposerServer, serveComposer, type ServeOptions } from "./remote/server/serve.ts";
export { GraphicsError, type GraphicsErrorParts } from "../ffi/error.ts";
