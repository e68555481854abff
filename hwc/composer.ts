import type { GraphicBuffer } from "../wsi/buffer/graphic_buffer.ts";
import type { NativeFence } from "../wsi/fence/native_fence.ts";
import type {
  ChangedCompositionType,
  ClientTargetProperty,
  ComposerCallbacks,
  ContentSample,
  ContentSamplingAttributes,
  DisplayConfiguration,
  DisplayRequests,
  DisplayValidation,
  GenericMetadataKey,
  HdrCapabilities,
  PerFrameMetadata,
  PerFrameMetadataBlob,
  ReleaseFence,
  VsyncPeriodChangeConstraints,
  VsyncPeriodChangeTimeline,
} from "./composer_records.ts";
import type { Color, FRect, Rect } from "./types.ts";

/**
 * A hardware composer: the functions of hwcomposer2.h 2.1 to 2.4 by their
 * names, and what composer3 adds. Outputs are returned, lists as arrays;
 * failures throw an {@linkcode HwcError} with the HAL's code. Displays and
 * layers are opaque handles.
 *
 * Every method with a display throws BAD_DISPLAY for one that is not connected,
 * and every method with a layer BAD_LAYER for one that is not the display's;
 * below are the other errors. A method whose feature is not there throws
 * UNSUPPORTED.
 *
 * Fences that a method takes are the composer's once it returns; one that throws
 * leaves them the caller's. `setOutputBuffer` copies its fence instead. Fences
 * that a method returns are the caller's. Buffers stay the caller's: the composer
 * keeps an owner of its own as long as it needs one.
 */
export interface Composer extends Disposable {
  /** The global CAPABILITY values. */
  getCapabilities(): number[];
  /** A method by its `hwc2_function_descriptor_t`; `undefined` if there is none, as for what the device does not support. */
  getFunction(descriptor: number): ((...args: never[]) => unknown) | undefined;
  /** Registers what is called when something happens; `null` ends it, and another one takes its place. HOTPLUG is called at once for what is connected. BAD_PARAMETER for an unknown descriptor. */
  registerCallback<Descriptor extends keyof ComposerCallbacks>(
    descriptor: Descriptor,
    callback: ComposerCallbacks[Descriptor] | null,
  ): void;
  /** What the device does, for people. */
  dump(): string;

  /** Makes a display that writes to buffers; says which format they shall have. UNSUPPORTED if it is too large, NO_RESOURCES if there are enough. */
  createVirtualDisplay(width: number, height: number, format: number): { display: bigint; format: number };
  /** BAD_PARAMETER for a physical one. */
  destroyVirtualDisplay(display: bigint): void;
  /** The same for the device's life. */
  getMaxVirtualDisplayCount(): number;

  /** BAD_CONFIG if there is none. */
  getActiveConfig(display: bigint): number;
  /** An ATTRIBUTE of a config; -1 for an unknown one. BAD_CONFIG. */
  getDisplayAttribute(display: bigint, config: number, attribute: number): number;
  /** The numbers of the display's configs. */
  getDisplayConfigs(display: bigint): number[];
  /** Its name. */
  getDisplayName(display: bigint): string;
  /** DISPLAY_TYPE */
  getDisplayType(display: bigint): number;
  /** Whether it can DOZE. */
  getDozeSupport(display: bigint): boolean;
  /** What HDR it shows. */
  getHdrCapabilities(display: bigint): HdrCapabilities;
  /** Changes the config at once. BAD_CONFIG. */
  setActiveConfig(display: bigint, config: number): void;
  /** POWER_MODE. BAD_PARAMETER, UNSUPPORTED. */
  setPowerMode(display: bigint, mode: number): void;
  /** VSYNC. BAD_PARAMETER. */
  setVsyncEnabled(display: bigint, enabled: number): void;
  /** COLOR_MODE values, NATIVE among them. */
  getColorModes(display: bigint): number[];
  /** BAD_PARAMETER, UNSUPPORTED. */
  setColorMode(display: bigint, mode: number): void;
  /** A 4×4 matrix, row-major, for the whole picture; COLOR_TRANSFORM says what it is. BAD_PARAMETER. */
  setColorTransform(display: bigint, matrix: readonly number[], hint: number): void;
  /** Throws UNSUPPORTED for a client target the display cannot show. */
  getClientTargetSupport(display: bigint, width: number, height: number, format: number, dataspace: number): void;

  /** Decides who composes what. */
  validateDisplay(display: bigint): DisplayValidation;
  /** What validateDisplay changed. NOT_VALIDATED. */
  getChangedCompositionTypes(display: bigint): ChangedCompositionType[];
  /** What it asks for. NOT_VALIDATED. */
  getDisplayRequests(display: bigint): DisplayRequests;
  /** Gives the layers the changed types. NOT_VALIDATED. */
  acceptDisplayChanges(display: bigint): void;
  /** What the client has composed; `null` for nothing. BAD_PARAMETER. */
  setClientTarget(
    display: bigint,
    target: GraphicBuffer | null,
    acquireFence: NativeFence | null,
    dataspace: number,
    damage: readonly Rect[],
  ): void;
  /** Where a virtual display writes; the fence stays the caller's. BAD_PARAMETER, UNSUPPORTED for a physical one. */
  setOutputBuffer(display: bigint, buffer: GraphicBuffer | null, releaseFence: NativeFence | null): void;
  /** Shows the frame; its fence is signalled when it appears. NOT_VALIDATED, NO_RESOURCES without an output buffer. */
  presentDisplay(display: bigint): NativeFence;
  /** Fences of the layers whose buffer of the frame before was replaced. */
  getReleaseFences(display: bigint): ReleaseFence[];

  /** A new layer on top of nothing. NO_RESOURCES. */
  createLayer(display: bigint): bigint;
  /** Ends a layer. */
  destroyLayer(display: bigint, layer: bigint): void;
  /** Moves a CURSOR layer without a frame. BAD_LAYER for others, NOT_VALIDATED between validate and present. */
  setCursorPosition(display: bigint, layer: bigint, x: number, y: number): void;
  /** BAD_PARAMETER for no buffer. */
  setLayerBuffer(display: bigint, layer: bigint, buffer: GraphicBuffer | null, acquireFence: NativeFence | null): void;
  /** What changed in the buffer: nothing given is all of it, one empty rectangle is nothing. */
  setLayerSurfaceDamage(display: bigint, layer: bigint, damage: readonly Rect[]): void;
  /** BLEND. BAD_PARAMETER. */
  setLayerBlendMode(display: bigint, layer: bigint, mode: number): void;
  /** The colour of a SOLID_COLOR layer, bytes as 0 to 255; other layers ignore it. */
  setLayerColor(display: bigint, layer: bigint, color: Color): void;
  /** COMPOSITION. BAD_PARAMETER, UNSUPPORTED. */
  setLayerCompositionType(display: bigint, layer: bigint, type: number): void;
  /** `android_dataspace_t` */
  setLayerDataspace(display: bigint, layer: bigint, dataspace: number): void;
  /** Where it is shown. */
  setLayerDisplayFrame(display: bigint, layer: bigint, frame: Rect): void;
  /** 0 to 1. */
  setLayerPlaneAlpha(display: bigint, layer: bigint, alpha: number): void;
  /** A handle of a stream that the device reads by itself. BAD_PARAMETER for 0n. */
  setLayerSidebandStream(display: bigint, layer: bigint, stream: bigint): void;
  /** The part of the buffer that is shown. */
  setLayerSourceCrop(display: bigint, layer: bigint, crop: FRect): void;
  /** TRANSFORM. BAD_PARAMETER. */
  setLayerTransform(display: bigint, layer: bigint, transform: number): void;
  /** What of it can be seen: a hint. */
  setLayerVisibleRegion(display: bigint, layer: bigint, visible: readonly Rect[]): void;
  /** Greater is in front. */
  setLayerZOrder(display: bigint, layer: bigint, z: number): void;

  /** 2.2. The colour of a SOLID_COLOR layer, 0 to 1. */
  setLayerFloatColor(display: bigint, layer: bigint, color: Color): void;
  /** 2.2. BAD_PARAMETER. */
  setLayerPerFrameMetadata(display: bigint, layer: bigint, metadata: readonly PerFrameMetadata[]): void;
  /** 2.2. METADATA_KEY values the display understands. */
  getPerFrameMetadataKeys(display: bigint): number[];
  /** 2.2. Where the next frame is copied as it is shown. BAD_PARAMETER. */
  setReadbackBuffer(display: bigint, buffer: GraphicBuffer | null, releaseFence: NativeFence | null): void;
  /** 2.2. What the readback buffer shall be like. */
  getReadbackBufferAttributes(display: bigint): { format: number; dataspace: number };
  /** 2.2. Signals when the copy is there. UNSUPPORTED if there is none. */
  getReadbackBufferFence(display: bigint): NativeFence;
  /** 2.2. RENDER_INTENT values of a colour mode. BAD_PARAMETER. */
  getRenderIntents(display: bigint, mode: number): number[];
  /** 2.2. BAD_PARAMETER, UNSUPPORTED. */
  setColorModeWithRenderIntent(display: bigint, mode: number, intent: number): void;
  /** 2.2. Sixteen numbers, column-major. BAD_PARAMETER. */
  getDataspaceSaturationMatrix(dataspace: number): number[];

  /** 2.3. The display's EDID and the port it is at. */
  getDisplayIdentificationData(display: bigint): { port: number; data: Uint8Array };
  /** 2.3. DISPLAY_CAPABILITY values. */
  getDisplayCapabilities(display: bigint): number[];
  /** 2.3. 4×4, row-major, on linear light before blending. BAD_PARAMETER. */
  setLayerColorTransform(display: bigint, layer: bigint, matrix: readonly number[]): void;
  /** 2.3. How it can sample what it shows. */
  getDisplayedContentSamplingAttributes(display: bigint): ContentSamplingAttributes;
  /** 2.3. CONTENT_SAMPLING; 0 frames: as many as there is room for. BAD_PARAMETER. */
  setDisplayedContentSamplingEnabled(display: bigint, enabled: number, componentMask: number, maxFrames: bigint): void;
  /** 2.3. Of the last frames since a time. */
  getDisplayedContentSample(display: bigint, maxFrames: bigint, timestamp: bigint): ContentSample;
  /** 2.3. BAD_PARAMETER. */
  setLayerPerFrameMetadataBlobs(display: bigint, layer: bigint, blobs: readonly PerFrameMetadataBlob[]): void;
  /** 2.3. Whether brightness can be set. */
  getDisplayBrightnessSupport(display: bigint): boolean;
  /** 2.3. 0 to 1, or -1 for off. BAD_PARAMETER. */
  setDisplayBrightness(display: bigint, brightness: number): void;

  /** 2.4. CONNECTION_TYPE. BAD_DISPLAY for virtual ones. */
  getDisplayConnectionType(display: bigint): number;
  /** 2.4. Nanoseconds, as they are now. BAD_CONFIG. */
  getDisplayVsyncPeriod(display: bigint): number;
  /** 2.4. Changes the config at some time. BAD_CONFIG, SEAMLESS_NOT_ALLOWED, SEAMLESS_NOT_POSSIBLE. */
  setActiveConfigWithConstraints(
    display: bigint,
    config: number,
    constraints: VsyncPeriodChangeConstraints,
  ): VsyncPeriodChangeTimeline;
  /** 2.4. */
  setAutoLowLatencyMode(display: bigint, on: boolean): void;
  /** 2.4. CONTENT_TYPE values but NONE. */
  getSupportedContentTypes(display: bigint): number[];
  /** 2.4. NONE is always taken. BAD_PARAMETER. */
  setContentType(display: bigint, type: number): void;
  /** 2.4. NOT_VALIDATED. */
  getClientTargetProperty(display: bigint): ClientTargetProperty;
  /** 2.4. No bytes: as if it was never set. BAD_PARAMETER. */
  setLayerGenericMetadata(display: bigint, layer: bigint, key: string, mandatory: boolean, value: Uint8Array): void;
  /** 2.4. The key of an index; `undefined` behind the last. */
  getLayerGenericMetadataKey(index: number): GenericMetadataKey | undefined;

  /** composer3. The config the display shall have when the system starts. BAD_CONFIG. */
  setBootDisplayConfig(display: bigint, config: number): void;
  /** composer3. */
  clearBootDisplayConfig(display: bigint): void;
  /** composer3. What the device would choose. */
  getPreferredBootDisplayConfig(display: bigint): number;
  /** composer3. All that is to be known of the configs. */
  getDisplayConfigurations(display: bigint): DisplayConfiguration[];
  /** composer3. How the panel is mounted: a TRANSFORM of 0, 90, 180 or 270 degrees. */
  getDisplayPhysicalOrientation(display: bigint): number;
  /** composer3. 0 to 1 of the display's white, in linear light. BAD_PARAMETER. */
  setLayerBrightness(display: bigint, layer: bigint, brightness: number): void;
  /** composer3. What of it is behind something opaque: a hint. */
  setLayerBlockingRegion(display: bigint, layer: bigint, blocking: readonly Rect[]): void;
  /** composer3. When the next frame shall appear, CLOCK_MONOTONIC nanoseconds; 0n: as soon as it can. */
  setExpectedPresentTime(display: bigint, timestamp: bigint): void;
  /** composer3. Milliseconds without a frame until VSYNC_IDLE; 0 never. BAD_PARAMETER. */
  setIdleTimerEnabled(display: bigint, milliseconds: number): void;
  /** composer3. Whether REFRESH_RATE_CHANGED_DEBUG is called. */
  setRefreshRateChangedCallbackDebugEnabled(display: bigint, enabled: boolean): void;

  /** Ends the device: every fence it owes is signalled, every buffer given back. A second call does nothing. */
  close(): void;
}

/** A method that answers, or gives a Promise of the answer. */
export type MayBeLater<Method> = Method extends (...args: infer Arguments) => infer Result
  ? (...args: Arguments) => Result | Promise<Result>
  : Method;

/**
 * A composer that may answer later, as one behind hwcomposer2.h or in another
 * process does: every method may return a Promise. A {@linkcode Composer} is one.
 */
export type AsyncComposer =
  & { [Name in Exclude<keyof Composer, "registerCallback">]: MayBeLater<Composer[Name]> }
  & {
    registerCallback<Descriptor extends keyof ComposerCallbacks>(
      descriptor: Descriptor,
      callback: ComposerCallbacks[Descriptor] | null,
    ): void | Promise<void>;
  };
