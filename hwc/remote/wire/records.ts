import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import type {
  ChangedCompositionType,
  ClientTargetProperty,
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
} from "../../composer_records.ts";
import type { Color, FRect, Rect } from "../../types.ts";
import { array, BOOL, BYTES, type Codec, COUNT, ID, INT, list, NUMBER, optional, record, TEXT, TIME } from "./codec.ts";
import type { Reader } from "./reader.ts";
import { BadMessage } from "./wire.ts";
import type { Writer } from "./writer.ts";

/** The byte that stands for a fence or a buffer. */
const NOTHING = 0, SIGNALED = 1, DESCRIPTOR = 2;

/** A buffer by its name, or none. */
export const BUFFER: Codec<GraphicBuffer | null> = {
  least: 1,
  write(to, buffer) {
    to.u8(buffer ? 1 : NOTHING);
    if (buffer) to.names!.write(to, buffer);
  },
  read: (from) => from.u8() === NOTHING ? null : from.names!.read(from),
};

/**
 * A fence that the receiver gets another of: the sender keeps its own, and closes it if that is the rule. The fences of a
 * frame are usually duplicates of one, whose file descriptor goes over once.
 */
export const FENCE: Codec<NativeFence> = {
  least: 1,
  write(to, fence) {
    const known = to.numberOf(fence), fd = known === undefined ? to.relay.descriptorOf(fence) : -1;
    to.u8(fd < 0 && known === undefined ? SIGNALED : DESCRIPTOR);
    if (known !== undefined) to.u32(known);
    else if (fd >= 0) to.fence(fence, fd);
  },
  read(from) {
    const kind = from.u8();
    if (kind === SIGNALED) return NativeFence.signaled();
    if (kind !== DESCRIPTOR) throw new BadMessage(`${kind} is no kind of fence`);
    return from.fence();
  },
};

/** A fence that a command is given. */
interface GivenFence extends Codec<NativeFence | null> {
  /** Whether the composer owns the fence after success; otherwise the caller keeps it always. */
  readonly isTaken: boolean;
}

function given(isTaken: boolean): GivenFence {
  return {
    least: 1,
    isTaken,
    write(to: Writer, fence: NativeFence | null) {
      if (fence) FENCE.write(to, fence);
      else to.u8(NOTHING);
    },
    read(from: Reader) {
      const kind = from.u8();
      if (kind === NOTHING || kind === SIGNALED) return null;
      if (kind !== DESCRIPTOR) throw new BadMessage(`${kind} is no kind of fence`);
      return from.fence();
    },
  };
}

/** A fence that the composer closes, unless it refuses the command. */
export const TAKEN_FENCE: GivenFence = given(true);

/** A fence that the composer copies. */
export const LENT_FENCE: GivenFence = given(false);

/** Whole pixels. */
export const RECT: Codec<Rect> = record({ left: INT, top: INT, right: INT, bottom: INT });
/** Fractions of pixels. */
export const FRECT: Codec<FRect> = record({ left: NUMBER, top: NUMBER, right: NUMBER, bottom: NUMBER });
/** Bytes, or 0 to 1. */
export const COLOR: Codec<Color> = record({ r: NUMBER, g: NUMBER, b: NUMBER, a: NUMBER });
/** Rectangles. */
export const REGION: Codec<readonly Rect[]> = list(RECT);
/** Sixteen numbers, if the composer is not to refuse them. */
export const MATRIX: Codec<readonly number[]> = list(NUMBER);

/** The result of validateDisplay. */
export const VALIDATION: Codec<DisplayValidation> = record({ result: INT, numTypes: COUNT, numRequests: COUNT });
/** The result of getChangedCompositionTypes. */
export const CHANGES: Codec<ChangedCompositionType[]> = array(record({ layer: ID, type: INT }));
/** The result of getDisplayRequests. */
export const REQUESTS: Codec<DisplayRequests> = record({
  displayRequests: INT,
  layerRequests: list(record({ layer: ID, requests: INT })),
});
/** The result of getClientTargetProperty. */
export const TARGET_PROPERTY: Codec<ClientTargetProperty> = record({ pixelFormat: INT, dataspace: INT });
/** The result of getReleaseFences. */
export const RELEASES: Codec<ReleaseFence[]> = array(record({ layer: ID, fence: FENCE }));

/** The argument of setActiveConfigWithConstraints. */
export const CONSTRAINTS: Codec<VsyncPeriodChangeConstraints> = record({
  desiredTimeNanos: TIME,
  seamlessRequired: BOOL,
});
/** The result of setActiveConfigWithConstraints. */
export const TIMELINE: Codec<VsyncPeriodChangeTimeline> = record({
  newVsyncAppliedTimeNanos: TIME,
  refreshRequired: BOOL,
  refreshTimeNanos: TIME,
});
/** The result of getHdrCapabilities. */
export const HDR_CAPABILITIES: Codec<HdrCapabilities> = record({
  types: list(INT),
  maxLuminance: NUMBER,
  maxAverageLuminance: NUMBER,
  minLuminance: NUMBER,
});
/** HDR metadata. */
export const METADATA: Codec<readonly PerFrameMetadata[]> = list(record({ key: INT, value: NUMBER }));
/** HDR metadata that is bytes. */
export const BLOBS: Codec<readonly PerFrameMetadataBlob[]> = list(record({ key: INT, blob: BYTES }));
/** The result of getDisplayedContentSamplingAttributes. */
export const SAMPLING: Codec<ContentSamplingAttributes> = record({ format: INT, dataspace: INT, componentMask: INT });
/** The result of getDisplayedContentSample. */
export const SAMPLE: Codec<ContentSample> = record({ frameCount: ID, samples: list(list(ID)) });
/** The result of getLayerGenericMetadataKey. */
export const METADATA_NAME: Codec<GenericMetadataKey | undefined> = optional(record({ key: TEXT, mandatory: BOOL }));
/** The result of getDisplayIdentificationData. */
export const IDENTIFICATION: Codec<{ port: number; data: Uint8Array }> = record({ port: INT, data: BYTES });

/** The result of getOverlaySupport. */
export const OVERLAYS: Codec<OverlayProperties> = record({
  combinations: list(
    record({ pixelFormats: list(INT), standards: list(INT), transfers: list(INT), ranges: list(INT) }),
  ),
  supportMixedColorSpaces: BOOL,
});
/** The result of getDisplayDecorationSupport. */
export const DECORATION: Codec<DisplayDecorationSupport | undefined> = optional(
  record({ format: INT, alphaInterpretation: INT }),
);
/** The result of getHdrConversionCapabilities. */
export const CONVERSIONS: Codec<HdrConversionCapability[]> = array(
  record({ sourceType: INT, outputType: INT, addsLatency: BOOL }),
);

const ANY_STRATEGY = record({ passthrough: optional(BOOL), types: optional(list(INT)), force: optional(INT) });

/** The argument of setHdrConversionStrategy: the one of its members that is there. */
export const STRATEGY: Codec<HdrConversionStrategy> = {
  ...ANY_STRATEGY,
  write(to, strategy) {
    const { passthrough, autoAllowedHdrTypes: types, forceHdrConversion: force } = strategy as AnyStrategy;
    ANY_STRATEGY.write(to, { passthrough, types, force });
  },
  read(from): HdrConversionStrategy {
    const { passthrough, types, force } = ANY_STRATEGY.read(from);
    if (types) return { autoAllowedHdrTypes: types };
    return force === undefined ? { passthrough: passthrough ?? false } : { forceHdrConversion: force };
  },
};

/** A strategy whose member is not known. */
interface AnyStrategy {
  readonly passthrough?: boolean;
  readonly autoAllowedHdrTypes?: readonly number[];
  readonly forceHdrConversion?: number;
}

const CONFIGURATION = record({
  configId: COUNT,
  width: INT,
  height: INT,
  vsyncPeriod: INT,
  configGroup: INT,
  dpi: optional(record({ x: NUMBER, y: NUMBER })),
});

/** The result of getDisplayConfigurations; unknown members are absent. */
export const CONFIGURATIONS: Codec<DisplayConfiguration[]> = array({
  ...CONFIGURATION,
  write: (to, { dpi, ...known }) => CONFIGURATION.write(to, { ...known, dpi }),
  read(from): DisplayConfiguration {
    const { dpi, ...known } = CONFIGURATION.read(from);
    return { ...known, ...dpi && { dpi } };
  },
});
