import type { Composer } from "../composer.ts";
import type { ComposerCallbacks } from "../composer_records.ts";
import {
  array,
  BOOL,
  BYTES,
  type Codec,
  type Codecs,
  COUNT,
  ID,
  INT,
  NUMBER,
  record,
  TEXT,
  TIME,
} from "./wire/codec.ts";
import {
  BLOBS,
  BUFFER,
  CHANGES,
  COLOR,
  CONFIGURATIONS,
  CONSTRAINTS,
  CONVERSIONS,
  DECORATION,
  FENCE,
  FRECT,
  HDR_CAPABILITIES,
  IDENTIFICATION,
  LENT_FENCE,
  MATRIX,
  METADATA,
  METADATA_NAME,
  OVERLAYS,
  RECT,
  REGION,
  RELEASES,
  REQUESTS,
  SAMPLE,
  SAMPLING,
  STRATEGY,
  TAKEN_FENCE,
  TARGET_PROPERTY,
  TIMELINE,
  VALIDATION,
} from "./wire/records.ts";

/** The methods that are commands: all but those about the connection itself. */
export type CommandName = Exclude<keyof Composer, "registerCallback" | "getFunction" | "close" | typeof Symbol.dispose>;

/** The moment at which a command is sent. */
export type Pace =
  /** Sent with the next asked command: its answer changes nothing that a client does next. */
  | "queued"
  /** Sent at once: the client waits for the answer, or for whether the command succeeds. */
  | "asked";

/** The wire form of a command. */
export interface Command<Parameters extends readonly unknown[], Result> {
  /** The codecs of the arguments. */
  readonly args: Codecs<Parameters>;
  /** The codec of the result; absent for a method without a result. */
  readonly result: Codec<Result> | undefined;
  /** The moment at which the command is sent. */
  readonly pace: Pace;
}

type Table = { readonly [Name in CommandName]: Command<Parameters<Composer[Name]>, ReturnType<Composer[Name]>> };

/** A command whose errors are those of misuse: a frame is full of them. */
function set<Parameters extends readonly unknown[]>(...args: Codecs<Parameters>): Command<Parameters, void> {
  return { args, result: undefined, pace: "queued" };
}

/** A command that a composer may be unable to carry out. */
function does<Parameters extends readonly unknown[]>(...args: Codecs<Parameters>): Command<Parameters, void> {
  return { args, result: undefined, pace: "asked" };
}

/** A command that answers something. */
function gives<Parameters extends readonly unknown[], Result>(
  result: Codec<Result>,
  ...args: Codecs<Parameters>
): Command<Parameters, Result> {
  return { args, result, pace: "asked" };
}

/** All methods of a composer, by name. */
export const COMMANDS: Table = {
  getCapabilities: gives(array(INT)),
  dump: gives(TEXT),
  createVirtualDisplay: gives(record({ display: ID, format: INT }), COUNT, COUNT, INT),
  destroyVirtualDisplay: does(ID),
  getMaxVirtualDisplayCount: gives(COUNT),

  getActiveConfig: gives(COUNT, ID),
  getDisplayAttribute: gives(INT, ID, COUNT, INT),
  getDisplayConfigs: gives(array(COUNT), ID),
  getDisplayName: gives(TEXT, ID),
  getDisplayType: gives(INT, ID),
  getDozeSupport: gives(BOOL, ID),
  getHdrCapabilities: gives(HDR_CAPABILITIES, ID),
  setActiveConfig: does(ID, COUNT),
  setPowerMode: does(ID, INT),
  setVsyncEnabled: does(ID, INT),
  getColorModes: gives(array(INT), ID),
  setColorMode: does(ID, INT),
  setColorTransform: set(ID, MATRIX, INT),
  getClientTargetSupport: does(ID, COUNT, COUNT, INT, INT),

  validateDisplay: gives(VALIDATION, ID),
  getChangedCompositionTypes: gives(CHANGES, ID),
  getDisplayRequests: gives(REQUESTS, ID),
  acceptDisplayChanges: set(ID),
  setClientTarget: set(ID, BUFFER, TAKEN_FENCE, INT, REGION),
  setOutputBuffer: set(ID, BUFFER, LENT_FENCE),
  presentDisplay: gives(FENCE, ID),
  getReleaseFences: gives(RELEASES, ID),

  createLayer: gives(ID, ID),
  destroyLayer: does(ID, ID),
  setCursorPosition: does(ID, ID, INT, INT),
  setLayerBuffer: set(ID, ID, BUFFER, TAKEN_FENCE),
  setLayerSurfaceDamage: set(ID, ID, REGION),
  setLayerBlendMode: set(ID, ID, INT),
  setLayerColor: set(ID, ID, COLOR),
  setLayerCompositionType: set(ID, ID, INT),
  setLayerDataspace: set(ID, ID, INT),
  setLayerDisplayFrame: set(ID, ID, RECT),
  setLayerPlaneAlpha: set(ID, ID, NUMBER),
  setLayerSidebandStream: does(ID, ID, ID),
  setLayerSourceCrop: set(ID, ID, FRECT),
  setLayerTransform: set(ID, ID, INT),
  setLayerVisibleRegion: set(ID, ID, REGION),
  setLayerZOrder: set(ID, ID, COUNT),

  setLayerFloatColor: set(ID, ID, COLOR),
  setLayerPerFrameMetadata: does(ID, ID, METADATA),
  getPerFrameMetadataKeys: gives(array(INT), ID),
  setReadbackBuffer: does(ID, BUFFER, TAKEN_FENCE),
  getReadbackBufferAttributes: gives(record({ format: INT, dataspace: INT }), ID),
  getReadbackBufferFence: gives(FENCE, ID),
  getRenderIntents: gives(array(INT), ID, INT),
  setColorModeWithRenderIntent: does(ID, INT, INT),
  getDataspaceSaturationMatrix: gives(array(NUMBER), INT),

  getDisplayIdentificationData: gives(IDENTIFICATION, ID),
  getDisplayCapabilities: gives(array(COUNT), ID),
  setLayerColorTransform: does(ID, ID, MATRIX),
  getDisplayedContentSamplingAttributes: gives(SAMPLING, ID),
  setDisplayedContentSamplingEnabled: does(ID, INT, INT, ID),
  getDisplayedContentSample: gives(SAMPLE, ID, ID, TIME),
  setLayerPerFrameMetadataBlobs: does(ID, ID, BLOBS),
  getDisplayBrightnessSupport: gives(BOOL, ID),
  setDisplayBrightness: does(ID, NUMBER),

  getDisplayConnectionType: gives(INT, ID),
  getDisplayVsyncPeriod: gives(COUNT, ID),
  setActiveConfigWithConstraints: gives(TIMELINE, ID, COUNT, CONSTRAINTS),
  setAutoLowLatencyMode: does(ID, BOOL),
  getSupportedContentTypes: gives(array(INT), ID),
  setContentType: does(ID, INT),
  getClientTargetProperty: gives(TARGET_PROPERTY, ID),
  setLayerGenericMetadata: does(ID, ID, TEXT, BOOL, BYTES),
  getLayerGenericMetadataKey: gives(METADATA_NAME, COUNT),

  setBootDisplayConfig: does(ID, COUNT),
  clearBootDisplayConfig: does(ID),
  getPreferredBootDisplayConfig: gives(COUNT, ID),
  getDisplayConfigurations: gives(CONFIGURATIONS, ID),
  getDisplayPhysicalOrientation: gives(INT, ID),
  setLayerBrightness: set(ID, ID, NUMBER),
  setLayerBlockingRegion: set(ID, ID, REGION),
  setExpectedPresentTime: set(ID, TIME),
  setIdleTimerEnabled: does(ID, INT),
  setRefreshRateChangedCallbackDebugEnabled: does(ID, BOOL),

  getOverlaySupport: gives(OVERLAYS),
  getDisplayDecorationSupport: gives(DECORATION, ID),
  getHdrConversionCapabilities: gives(CONVERSIONS),
  setHdrConversionStrategy: gives(INT, STRATEGY),
  notifyExpectedPresent: does(ID, TIME, INT),
  setClientTargetSlotCount: does(ID, INT),
  getMaxLayerPictureProfiles: gives(INT, ID),
  startHdcpNegotiation: does(ID, INT, INT),
};

// deno-lint-ignore no-explicit-any
type AnyCommand = Command<any[], any>;

/** Commands by their numbers on the wire, from 1. */
export const NUMBERED: readonly (readonly [CommandName, AnyCommand])[] = Object.entries(COMMANDS) as [
  CommandName,
  AnyCommand,
][];

const numbers = new Map(NUMBERED.map(([name], index) => [name, index + 1]));

/** The number of a command. */
export function commandNumber(name: CommandName): number {
  return numbers.get(name)!;
}

type Shapes = { readonly [Descriptor in keyof ComposerCallbacks]: Codecs<Parameters<ComposerCallbacks[Descriptor]>> };

const EVENTS: Shapes = {
  1: [ID, INT],
  2: [ID],
  3: [ID, TIME],
  4: [ID, TIME, COUNT],
  5: [ID, TIMELINE],
  6: [ID],
  100: [ID],
  101: [ID, COUNT],
  102: [ID, COUNT, COUNT],
};

/** Returns the codec of a callback's arguments by descriptor; `undefined` for an unknown descriptor. */
export function eventShape(descriptor: number): readonly Codec<unknown>[] | undefined {
  return (EVENTS as unknown as Record<number, readonly Codec<unknown>[]>)[descriptor];
}
