import type { NativeFence } from "../wsi/fence/native_fence.ts";

/** The arguments of each callback of `registerCallback`, by descriptor. Times are CLOCK_MONOTONIC nanoseconds. */
export interface ComposerCallbacks {
  /** HOTPLUG: a display was connected or disconnected. CONNECTED for a known display means that its configs changed. */
  readonly 1: (display: bigint, connection: number) => void;
  /** REFRESH: send all state, validate and present again. */
  readonly 2: (display: bigint) => void;
  /** VSYNC */
  readonly 3: (display: bigint, timestamp: bigint) => void;
  /** VSYNC_2_4: called instead of VSYNC if both are registered. */
  readonly 4: (display: bigint, timestamp: bigint, vsyncPeriodNanos: number) => void;
  /** VSYNC_PERIOD_TIMING_CHANGED: the config will change at another time than announced. */
  readonly 5: (display: bigint, timeline: VsyncPeriodChangeTimeline) => void;
  /** SEAMLESS_POSSIBLE: a change that failed with SEAMLESS_NOT_POSSIBLE can be tried again. */
  readonly 6: (display: bigint) => void;
  /** VSYNC_IDLE: the display is idle, and its refresh rate may be lower. */
  readonly 100: (display: bigint) => void;
  /** REFRESH_RATE_CHANGED_DEBUG */
  readonly 101: (display: bigint, vsyncPeriodNanos: number) => void;
  /** HDCP_LEVELS_CHANGED: the protection of a link that was negotiated, and the most that it can have, of HDCP_LEVEL. */
  readonly 102: (display: bigint, connectedLevel: number, maxLevel: number) => void;
}

/** The result of validateDisplay. */
export interface DisplayValidation {
  /** NONE, or HAS_CHANGES if the client must accept changes before it presents. */
  readonly result: number;
  /** Number of layers whose composition type changes. */
  readonly numTypes: number;
  /** Number of layers with requests. */
  readonly numRequests: number;
}

/** A layer whose composition type the device changes. */
export interface ChangedCompositionType {
  /** The layer. */
  readonly layer: bigint;
  /** The composition type after the changes are accepted. */
  readonly type: number;
}

/** The device's requests for a frame. */
export interface DisplayRequests {
  /** Bits of DISPLAY_REQUEST. */
  readonly displayRequests: number;
  /** Layers with bits of LAYER_REQUEST. */
  readonly layerRequests: readonly { readonly layer: bigint; readonly requests: number }[];
}

/** A fence of a layer's previous buffer. The client owns the fence. */
export interface ReleaseFence {
  /** The layer. */
  readonly layer: bigint;
  /** Signalled when the buffer of the previous frame can be written. */
  readonly fence: NativeFence;
}

/** The demands on a change of the config (`hwc_vsync_period_change_constraints_t`). */
export interface VsyncPeriodChangeConstraints {
  /** The earliest time of the change, in CLOCK_MONOTONIC nanoseconds. */
  readonly desiredTimeNanos: bigint;
  /** Whether the change must be invisible. */
  readonly seamlessRequired: boolean;
}

/** The times of a change of the config (`hwc_vsync_period_change_timeline_t`). */
export interface VsyncPeriodChangeTimeline {
  /** The first vsync of the new period. */
  readonly newVsyncAppliedTimeNanos: bigint;
  /** Whether the change needs a new frame. */
  readonly refreshRequired: boolean;
  /** The latest time for that frame. */
  readonly refreshTimeNanos: bigint;
}

/** The HDR capabilities of a display; luminances in cd/m². */
export interface HdrCapabilities {
  /** `android_hdr_t` values; empty for a display without HDR. */
  readonly types: readonly number[];
  /** Luminance of a small white area. */
  readonly maxLuminance: number;
  /** Luminance of a white screen. */
  readonly maxAverageLuminance: number;
  /** Luminance of black. */
  readonly minLuminance: number;
}

/** One HDR metadata value. */
export interface PerFrameMetadata {
  /** One of METADATA_KEY. */
  readonly key: number;
  /** The entry's value. */
  readonly value: number;
}

/** HDR metadata in the form of bytes. */
export interface PerFrameMetadataBlob {
  /** METADATA_KEY.HDR10_PLUS_SEI. */
  readonly key: number;
  /** The entry's bytes. */
  readonly blob: Uint8Array;
}

/** The form of samples of the content. */
export interface ContentSamplingAttributes {
  /** HAL format of the samples. */
  readonly format: number;
  /** The dataspace of the samples. */
  readonly dataspace: number;
  /** A bit for each component that can be sampled. */
  readonly componentMask: number;
}

/** Histograms of the displayed content. */
export interface ContentSample {
  /** Number of sampled frames. */
  readonly frameCount: bigint;
  /** The histogram of each of four components; empty for a component that is not sampled. */
  readonly samples: readonly (readonly bigint[])[];
}

/** A mode of a display, with the members of composer3's DisplayConfiguration. */
export interface DisplayConfiguration {
  /** The config's number. */
  readonly configId: number;
  /** Pixels. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** The vsync period in nanoseconds. */
  readonly vsyncPeriod: number;
  /** Changes between configs of one group are seamless. */
  readonly configGroup: number;
  /** Dots per inch, if known. */
  readonly dpi?: { readonly x: number; readonly y: number };
}

/** A key of setLayerGenericMetadata. */
export interface GenericMetadataKey {
  /** A name in reverse-DNS form. */
  readonly key: string;
  /** Whether a client that does not know the key must compose the layer itself. */
  readonly mandatory: boolean;
}

/** The format and dataspace of the buffer for the client's composition. */
export interface ClientTargetProperty {
  /** HAL pixel format. */
  readonly pixelFormat: number;
  /** The dataspace; UNKNOWN means that any will do. */
  readonly dataspace: number;
}

/** Formats and dataspaces of which a plane shows every combination. Dataspaces are given by their three parts. */
export interface BufferCombinations {
  /** HAL pixel formats. */
  readonly pixelFormats: readonly number[];
  /** `STANDARD` parts. */
  readonly standards: readonly number[];
  /** `TRANSFER` parts. */
  readonly transfers: readonly number[];
  /** `RANGE` parts. */
  readonly ranges: readonly number[];
}

/** The abilities of a device's planes. */
export interface OverlayProperties {
  /** Combinations that planes of every display show. */
  readonly combinations: readonly BufferCombinations[];
  /** Whether layers of different dataspaces can be on planes at the same time. */
  readonly supportMixedColorSpaces: boolean;
}

/** The buffer of a display decoration: the corners of a panel that is not rectangular. */
export interface DisplayDecorationSupport {
  /** HAL pixel format. */
  readonly format: number;
  /** Whether alpha is the coverage by the decoration (0), or a mask of it (1). */
  readonly alphaInterpretation: number;
}

/** A conversion of HDR that a device can make; types are values of HDR, 0 for SDR. */
export interface HdrConversionCapability {
  /** The type of the content. */
  readonly sourceType: number;
  /** The type of the output. */
  readonly outputType: number;
  /** Whether frames appear later for it. */
  readonly addsLatency: boolean;
}

/** The treatment of HDR on its way to an output. */
export type HdrConversionStrategy =
  /** HDR goes through as it is. */
  | { readonly passthrough: boolean }
  /** The device chooses among types. */
  | { readonly autoAllowedHdrTypes: readonly number[] }
  /** HDR becomes one type. */
  | { readonly forceHdrConversion: number };
