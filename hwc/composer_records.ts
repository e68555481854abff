import type { NativeFence } from "../wsi/fence/native_fence.ts";

/** What a callback of `registerCallback` gets, by its descriptor. Times are CLOCK_MONOTONIC nanoseconds. */
export interface ComposerCallbacks {
  /** HOTPLUG: a display came or went; CONNECTED for one that is known: its configs changed. */
  readonly 1: (display: bigint, connection: number) => void;
  /** REFRESH: send all state, validate and present again. */
  readonly 2: (display: bigint) => void;
  /** VSYNC */
  readonly 3: (display: bigint, timestamp: bigint) => void;
  /** VSYNC_2_4: instead of VSYNC when both are registered. */
  readonly 4: (display: bigint, timestamp: bigint, vsyncPeriodNanos: number) => void;
  /** VSYNC_PERIOD_TIMING_CHANGED: the config will change at another time than was said. */
  readonly 5: (display: bigint, timeline: VsyncPeriodChangeTimeline) => void;
  /** SEAMLESS_POSSIBLE: what ended with SEAMLESS_NOT_POSSIBLE can be tried again. */
  readonly 6: (display: bigint) => void;
  /** VSYNC_IDLE: the display rests, its refresh rate may have gone down. */
  readonly 100: (display: bigint) => void;
  /** REFRESH_RATE_CHANGED_DEBUG */
  readonly 101: (display: bigint, vsyncPeriodNanos: number) => void;
}

/** What validateDisplay found. */
export interface DisplayValidation {
  /** NONE, or HAS_CHANGES when the client must accept before it presents. */
  readonly result: number;
  /** How many layers change their composition type. */
  readonly numTypes: number;
  /** How many layers have requests. */
  readonly numRequests: number;
}

/** A layer that the device wants composed otherwise. */
export interface ChangedCompositionType {
  /** The layer. */
  readonly layer: bigint;
  /** The composition type it gets when the changes are accepted. */
  readonly type: number;
}

/** What the device asks for. */
export interface DisplayRequests {
  /** Bits of DISPLAY_REQUEST. */
  readonly displayRequests: number;
  /** Layers with bits of LAYER_REQUEST. */
  readonly layerRequests: readonly { readonly layer: bigint; readonly requests: number }[];
}

/** A layer's fence that is signalled when the buffer before is free. The client owns it. */
export interface ReleaseFence {
  /** The layer. */
  readonly layer: bigint;
  /** Signals when the buffer presented the frame before can be written. */
  readonly fence: NativeFence;
}

/** When a config shall change (`hwc_vsync_period_change_constraints_t`). */
export interface VsyncPeriodChangeConstraints {
  /** Not before, CLOCK_MONOTONIC nanoseconds. */
  readonly desiredTimeNanos: bigint;
  /** Whether it must not be seen. */
  readonly seamlessRequired: boolean;
}

/** When a config will change (`hwc_vsync_period_change_timeline_t`). */
export interface VsyncPeriodChangeTimeline {
  /** The first vsync of the new period. */
  readonly newVsyncAppliedTimeNanos: bigint;
  /** Whether a frame must be presented for it to happen. */
  readonly refreshRequired: boolean;
  /** Before when. */
  readonly refreshTimeNanos: bigint;
}

/** What HDR a display shows, cd/m². */
export interface HdrCapabilities {
  /** `android_hdr_t` values; none on a display without HDR. */
  readonly types: readonly number[];
  /** Of a small part of the picture. */
  readonly maxLuminance: number;
  /** Of the whole picture. */
  readonly maxAverageLuminance: number;
  /** Of black. */
  readonly minLuminance: number;
}

/** One HDR metadata value. */
export interface PerFrameMetadata {
  /** One of METADATA_KEY. */
  readonly key: number;
  /** Its value. */
  readonly value: number;
}

/** HDR metadata that is bytes. */
export interface PerFrameMetadataBlob {
  /** METADATA_KEY.HDR10_PLUS_SEI. */
  readonly key: number;
  /** Its bytes. */
  readonly blob: Uint8Array;
}

/** How content is sampled. */
export interface ContentSamplingAttributes {
  /** HAL format of the samples. */
  readonly format: number;
  /** Their dataspace. */
  readonly dataspace: number;
  /** Bits: components that can be sampled. */
  readonly componentMask: number;
}

/** Histograms of what was shown. */
export interface ContentSample {
  /** Frames counted. */
  readonly frameCount: bigint;
  /** For each of four components its bins; empty for one that is not sampled. */
  readonly samples: readonly (readonly bigint[])[];
}

/** A mode of a display, as composer3's DisplayConfiguration has it. */
export interface DisplayConfiguration {
  /** The config's number. */
  readonly configId: number;
  /** Pixels. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Nanoseconds. */
  readonly vsyncPeriod: number;
  /** Configs of a group change seamlessly. */
  readonly configGroup: number;
  /** Dots per inch, if known. */
  readonly dpi?: { readonly x: number; readonly y: number };
}

/** A key of setLayerGenericMetadata. */
export interface GenericMetadataKey {
  /** A name in reverse-DNS form. */
  readonly key: string;
  /** Whether a client that does not know it must compose the layer itself. */
  readonly mandatory: boolean;
}

/** A buffer for the client's composition, as it wants to be allocated. */
export interface ClientTargetProperty {
  /** HAL pixel format. */
  readonly pixelFormat: number;
  /** UNKNOWN: nothing is asked for. */
  readonly dataspace: number;
}
