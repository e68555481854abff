import type { GraphicBuffer } from "../wsi/buffer/graphic_buffer.ts";
import type { NativeFence } from "../wsi/fence/native_fence.ts";
import type {
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
  /**
   * Returns the method of a `hwc2_function_descriptor_t`; `undefined` if there is none, or if the device does not
   * support the function.
   */
  getFunction(descriptor: number): ((...args: never[]) => unknown) | undefined;
  /**
   * Registers a callback for an event, and replaces an earlier callback; `null` removes the callback. Registering
   * HOTPLUG calls the callback at once for each connected display. Throws BAD_PARAMETER for an unknown descriptor.
   */
  registerCallback<Descriptor extends keyof ComposerCallbacks>(
    descriptor: Descriptor,
    callback: ComposerCallbacks[Descriptor] | null,
  ): void;
  /** Returns a text for people that describes the state of the device. */
  dump(): string;

  /**
   * Creates a display that writes to buffers, and returns the format that the buffers must have. Throws UNSUPPORTED if
   * the size is too large, NO_RESOURCES if there are too many virtual displays.
   */
  createVirtualDisplay(width: number, height: number, format: number): { display: bigint; format: number };
  /** Destroys a virtual display. Throws BAD_PARAMETER for a physical display. */
  destroyVirtualDisplay(display: bigint): void;
  /** Returns how many virtual displays can exist at a time; the number never changes. */
  getMaxVirtualDisplayCount(): number;

  /** Returns the number of the active config. Throws BAD_CONFIG if there is none. */
  getActiveConfig(display: bigint): number;
  /** Returns an ATTRIBUTE of a config; -1 for an unknown attribute. Throws BAD_CONFIG. */
  getDisplayAttribute(display: bigint, config: number, attribute: number): number;
  /** Returns the numbers of the display's configs. */
  getDisplayConfigs(display: bigint): number[];
  /** Returns the display's name. */
  getDisplayName(display: bigint): string;
  /** Returns a DISPLAY_TYPE. */
  getDisplayType(display: bigint): number;
  /** Returns whether the display supports DOZE. */
  getDozeSupport(display: bigint): boolean;
  /** Returns the HDR types and luminances of the display. */
  getHdrCapabilities(display: bigint): HdrCapabilities;
  /** Changes the config at once. Throws BAD_CONFIG. */
  setActiveConfig(display: bigint, config: number): void;
  /** Sets the power mode, a POWER_MODE. Throws BAD_PARAMETER or UNSUPPORTED. */
  setPowerMode(display: bigint, mode: number): void;
  /** Turns the VSYNC callback on or off; takes a value of VSYNC. Throws BAD_PARAMETER. */
  setVsyncEnabled(display: bigint, enabled: number): void;
  /** Returns COLOR_MODE values, among them NATIVE. */
  getColorModes(display: bigint): number[];
  /** Sets the colour mode, a COLOR_MODE. Throws BAD_PARAMETER or UNSUPPORTED. */
  setColorMode(display: bigint, mode: number): void;
  /**
   * Sets a 4×4 matrix, row-major, for the whole picture; a COLOR_TRANSFORM gives the kind of the matrix. Throws
   * BAD_PARAMETER.
   */
  setColorTransform(display: bigint, matrix: readonly number[], hint: number): void;
  /** Throws UNSUPPORTED if the display cannot show such a client target. */
  getClientTargetSupport(display: bigint, width: number, height: number, format: number, dataspace: number): void;

  /** Decides who composes each layer. */
  validateDisplay(display: bigint): DisplayValidation;
  /** Returns the composition types that validateDisplay changed. Throws NOT_VALIDATED. */
  getChangedCompositionTypes(display: bigint): ChangedCompositionType[];
  /** Returns the device's requests for the frame. Throws NOT_VALIDATED. */
  getDisplayRequests(display: bigint): DisplayRequests;
  /** Accepts the changed composition types. Throws NOT_VALIDATED. */
  acceptDisplayChanges(display: bigint): void;
  /** Sets the buffer with the layers that the client composed; `null` for none. Throws BAD_PARAMETER. */
  setClientTarget(
    display: bigint,
    target: GraphicBuffer | null,
    acquireFence: NativeFence | null,
    dataspace: number,
    damage: readonly Rect[],
  ): void;
  /**
   * Sets the buffer that a virtual display writes. The caller keeps the fence. Throws BAD_PARAMETER, and UNSUPPORTED
   * for a physical display.
   */
  setOutputBuffer(display: bigint, buffer: GraphicBuffer | null, releaseFence: NativeFence | null): void;
  /**
   * Presents the frame, and returns a fence that is signalled when the frame appears. Throws NOT_VALIDATED, and
   * NO_RESOURCES without an output buffer.
   */
  presentDisplay(display: bigint): NativeFence;
  /** Returns the fences of the layers whose previous buffer was replaced. */
  getReleaseFences(display: bigint): ReleaseFence[];

  /** Creates a layer. Throws NO_RESOURCES. */
  createLayer(display: bigint): bigint;
  /** Destroys a layer. */
  destroyLayer(display: bigint, layer: bigint): void;
  /**
   * Moves a CURSOR layer without a frame. Throws BAD_LAYER for another layer, and NOT_VALIDATED between validate and
   * present.
   */
  setCursorPosition(display: bigint, layer: bigint, x: number, y: number): void;
  /** Sets the layer's buffer and its acquire fence. Throws BAD_PARAMETER without a buffer. */
  setLayerBuffer(display: bigint, layer: bigint, buffer: GraphicBuffer | null, acquireFence: NativeFence | null): void;
  /** Sets the parts of the buffer that changed. An empty list means all; one empty rectangle means nothing. */
  setLayerSurfaceDamage(display: bigint, layer: bigint, damage: readonly Rect[]): void;
  /** Sets the blend mode, a BLEND. Throws BAD_PARAMETER. */
  setLayerBlendMode(display: bigint, layer: bigint, mode: number): void;
  /** Sets the colour of a SOLID_COLOR layer, channels from 0 to 255; other layers ignore the colour. */
  setLayerColor(display: bigint, layer: bigint, color: Color): void;
  /** Sets the COMPOSITION that the client asks for. Throws BAD_PARAMETER or UNSUPPORTED. */
  setLayerCompositionType(display: bigint, layer: bigint, type: number): void;
  /** Sets the `android_dataspace_t` of the layer. */
  setLayerDataspace(display: bigint, layer: bigint, dataspace: number): void;
  /** Sets the layer's rectangle on the display. */
  setLayerDisplayFrame(display: bigint, layer: bigint, frame: Rect): void;
  /** Sets the layer's opacity, 0 to 1. */
  setLayerPlaneAlpha(display: bigint, layer: bigint, alpha: number): void;
  /** Sets the handle of a stream that the device reads by itself. Throws BAD_PARAMETER for 0n. */
  setLayerSidebandStream(display: bigint, layer: bigint, stream: bigint): void;
  /** Sets the part of the buffer that is shown. */
  setLayerSourceCrop(display: bigint, layer: bigint, crop: FRect): void;
  /** Sets the layer's TRANSFORM. Throws BAD_PARAMETER. */
  setLayerTransform(display: bigint, layer: bigint, transform: number): void;
  /** Sets a hint: the part of the layer that can be visible. */
  setLayerVisibleRegion(display: bigint, layer: bigint, visible: readonly Rect[]): void;
  /** Sets the layer's z; a layer with a greater z is in front. */
  setLayerZOrder(display: bigint, layer: bigint, z: number): void;

  /** 2.2. Sets the colour of a SOLID_COLOR layer, channels from 0 to 1. */
  setLayerFloatColor(display: bigint, layer: bigint, color: Color): void;
  /** 2.2. Sets HDR metadata of the layer. Throws BAD_PARAMETER. */
  setLayerPerFrameMetadata(display: bigint, layer: bigint, metadata: readonly PerFrameMetadata[]): void;
  /** 2.2. Returns the METADATA_KEY values that the display supports. */
  getPerFrameMetadataKeys(display: bigint): number[];
  /** 2.2. Sets the buffer that receives a copy of the next frame as shown. Throws BAD_PARAMETER. */
  setReadbackBuffer(display: bigint, buffer: GraphicBuffer | null, releaseFence: NativeFence | null): void;
  /** 2.2. Returns the format and dataspace that a readback buffer must have. */
  getReadbackBufferAttributes(display: bigint): { format: number; dataspace: number };
  /** 2.2. Returns a fence that is signalled when the copy is complete. Throws UNSUPPORTED if there is none. */
  getReadbackBufferFence(display: bigint): NativeFence;
  /** 2.2. Returns the RENDER_INTENT values of a colour mode. Throws BAD_PARAMETER. */
  getRenderIntents(display: bigint, mode: number): number[];
  /** 2.2. Sets colour mode and render intent. Throws BAD_PARAMETER or UNSUPPORTED. */
  setColorModeWithRenderIntent(display: bigint, mode: number, intent: number): void;
  /** 2.2. Returns 16 numbers, column-major. Throws BAD_PARAMETER. */
  getDataspaceSaturationMatrix(dataspace: number): number[];

  /** 2.3. Returns the display's EDID and the port of the display. */
  getDisplayIdentificationData(display: bigint): { port: number; data: Uint8Array };
  /** 2.3. Returns DISPLAY_CAPABILITY values. */
  getDisplayCapabilities(display: bigint): number[];
  /** 2.3. Sets a 4×4 matrix, row-major, applied in linear light before blending. Throws BAD_PARAMETER. */
  setLayerColorTransform(display: bigint, layer: bigint, matrix: readonly number[]): void;
  /** 2.3. Returns how the display can sample its content. */
  getDisplayedContentSamplingAttributes(display: bigint): ContentSamplingAttributes;
  /**
   * 2.3. Turns sampling on or off; takes a CONTENT_SAMPLING. With 0 frames, the device keeps as many as fit. Throws
   * BAD_PARAMETER.
   */
  setDisplayedContentSamplingEnabled(display: bigint, enabled: number, componentMask: number, maxFrames: bigint): void;
  /** 2.3. Returns the sample of the last frames since a time. */
  getDisplayedContentSample(display: bigint, maxFrames: bigint, timestamp: bigint): ContentSample;
  /** 2.3. Sets HDR metadata that are bytes. Throws BAD_PARAMETER. */
  setLayerPerFrameMetadataBlobs(display: bigint, layer: bigint, blobs: readonly PerFrameMetadataBlob[]): void;
  /** 2.3. Returns whether the brightness can be set. */
  getDisplayBrightnessSupport(display: bigint): boolean;
  /** 2.3. Sets the brightness: 0 to 1, or -1 for off. Throws BAD_PARAMETER. */
  setDisplayBrightness(display: bigint, brightness: number): void;

  /** 2.4. Returns a CONNECTION_TYPE. Throws BAD_DISPLAY for a virtual display. */
  getDisplayConnectionType(display: bigint): number;
  /** 2.4. Returns the current vsync period in nanoseconds. Throws BAD_CONFIG. */
  getDisplayVsyncPeriod(display: bigint): number;
  /**
   * 2.4. Changes the config within constraints of time. Throws BAD_CONFIG, SEAMLESS_NOT_ALLOWED or
   * SEAMLESS_NOT_POSSIBLE.
   */
  setActiveConfigWithConstraints(
    display: bigint,
    config: number,
    constraints: VsyncPeriodChangeConstraints,
  ): VsyncPeriodChangeTimeline;
  /** 2.4. Turns the display's mode of low latency on or off. */
  setAutoLowLatencyMode(display: bigint, on: boolean): void;
  /** 2.4. Returns the supported CONTENT_TYPE values, without NONE. */
  getSupportedContentTypes(display: bigint): number[];
  /** 2.4. Sets the CONTENT_TYPE; every display accepts NONE. Throws BAD_PARAMETER. */
  setContentType(display: bigint, type: number): void;
  /** 2.4. Returns the format and dataspace that the device wants for the client target. Throws NOT_VALIDATED. */
  getClientTargetProperty(display: bigint): ClientTargetProperty;
  /** 2.4. Sets a value of a key; an empty value removes the key. Throws BAD_PARAMETER. */
  setLayerGenericMetadata(display: bigint, layer: bigint, key: string, mandatory: boolean, value: Uint8Array): void;
  /** 2.4. Returns the key at an index; `undefined` beyond the last key. */
  getLayerGenericMetadataKey(index: number): GenericMetadataKey | undefined;

  /** composer3. Sets the config that the display has when the system starts. Throws BAD_CONFIG. */
  setBootDisplayConfig(display: bigint, config: number): void;
  /** composer3. Removes the config of `setBootDisplayConfig`. */
  clearBootDisplayConfig(display: bigint): void;
  /** composer3. Returns the config that the device prefers at the system's start. */
  getPreferredBootDisplayConfig(display: bigint): number;
  /** composer3. Returns all attributes of all configs. */
  getDisplayConfigurations(display: bigint): DisplayConfiguration[];
  /** composer3. Returns how the panel is mounted: a TRANSFORM of 0, 90, 180 or 270 degrees. */
  getDisplayPhysicalOrientation(display: bigint): number;
  /** composer3. Sets the layer's brightness, 0 to 1 of the display's white, in linear light. Throws BAD_PARAMETER. */
  setLayerBrightness(display: bigint, layer: bigint, brightness: number): void;
  /** composer3. Sets a hint: the part of the layer that is behind opaque layers. */
  setLayerBlockingRegion(display: bigint, layer: bigint, blocking: readonly Rect[]): void;
  /** composer3. Sets when the next frame is to appear, in CLOCK_MONOTONIC nanoseconds; 0n means as soon as possible. */
  setExpectedPresentTime(display: bigint, timestamp: bigint): void;
  /** composer3. Sets the milliseconds without a frame before VSYNC_IDLE; 0 means never. Throws BAD_PARAMETER. */
  setIdleTimerEnabled(display: bigint, milliseconds: number): void;
  /** composer3. Turns the callback REFRESH_RATE_CHANGED_DEBUG on or off. */
  setRefreshRateChangedCallbackDebugEnabled(display: bigint, enabled: boolean): void;
  /** composer3. Returns the formats and dataspaces that planes of every display show, and whether they do so together. */
  getOverlaySupport(): OverlayProperties;
  /** composer3. Returns the buffer of a display decoration; `undefined` for a display that has none. */
  getDisplayDecorationSupport(display: bigint): DisplayDecorationSupport | undefined;
  /** composer3. Returns the conversions of HDR that the device can make for its outputs. */
  getHdrConversionCapabilities(): HdrConversionCapability[];
  /** composer3. Chooses the conversion of HDR, and returns the HDR type of the output. Throws UNSUPPORTED. */
  setHdrConversionStrategy(strategy: HdrConversionStrategy): number;
  /** composer3. Tells when a frame is expected, in CLOCK_MONOTONIC nanoseconds, for panels of a variable rate. */
  notifyExpectedPresent(display: bigint, timestamp: bigint, frameIntervalNanos: number): void;
  /** composer3. Tells how many buffers the client's own composition takes turns with. */
  setClientTargetSlotCount(display: bigint, count: number): void;
  /** composer3. Returns how many layers can have a picture profile at a time. Throws UNSUPPORTED. */
  getMaxLayerPictureProfiles(display: bigint): number;
  /**
   * composer3. Begins to negotiate the protection of the link; takes values of HDCP_LEVEL. HDCP_LEVELS_CHANGED tells the
   * end. Throws UNSUPPORTED.
   */
  startHdcpNegotiation(display: bigint, connectedLevel: number, maxLevel: number): void;

  /** Closes the device: every pending fence is signalled, every buffer is given back. A second call does nothing. */
  close(): void;
}

/** The same method, whose result may be a Promise. */
export type MayBeLater<Method> = Method extends (...args: infer Arguments) => infer Result
  ? (...args: Arguments) => Result | Promise<Result>
  : Method;

/**
 * A composer whose methods may return Promises, such as one behind hwcomposer2.h or in another process. A
 * {@linkcode Composer} is an `AsyncComposer`, too.
 */
export type AsyncComposer =
  & { [Name in Exclude<keyof Composer, "registerCallback">]: MayBeLater<Composer[Name]> }
  & {
    registerCallback<Descriptor extends keyof ComposerCallbacks>(
      descriptor: Descriptor,
      callback: ComposerCallbacks[Descriptor] | null,
    ): void | Promise<void>;
  };

/**
 * Whether a composer takes fences of every kind. A vendor's composer of
 * `openHwc2` takes sync_files alone, and so does a served one of
 * `connectComposer`; all others take every kind.
 */
export function takesAnyFence(composer: object): boolean {
  return (composer as { readonly takesAnyFence?: boolean }).takesAnyFence ?? true;
}

/**
 * Sends what a composer of another process collects until the next frame, and throws the error of the first command that
 * failed; in this process there is nothing to send.
 */
export async function sendCollected(composer: object): Promise<void> {
  await (composer as { flush?(): void | Promise<void> }).flush?.();
}
