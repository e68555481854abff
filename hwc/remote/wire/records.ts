import type {
  ChangedCompositionType,
  ClientTargetProperty,
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
} from "../../composer_records.ts";
import type { Color, FRect, Rect } from "../../types.ts";
import { array, BOOL, BYTES, type Codec, COUNT, ID, INT, list, NUMBER, optional, record, TEXT, TIME } from "./codec.ts";
import { FENCE } from "./shared.ts";

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
