import type { Composer } from "../../composer.ts";
import { ERROR } from "../../types.ts";
import { BLOBS, BYTES, METADATA, TEXT } from "../values/byte_inputs.ts";
import {
  BOOL,
  BUFFER,
  COLOR,
  CONSTRAINTS,
  F,
  FLOAT_COLOR,
  FRECT,
  type Input,
  LENT_FENCE,
  MATRIX,
  Q,
  RECT,
  REGION,
  S,
  TAKEN_FENCE,
  U8,
  W,
} from "../values/inputs.ts";
import {
  OUT_BOOL,
  OUT_F,
  OUT_FENCE,
  OUT_INT_BOOL,
  OUT_MATRIX,
  OUT_PROPERTY,
  OUT_Q,
  OUT_S,
  OUT_TIMELINE,
  OUT_U8,
  OUT_W,
} from "../values/outputs.ts";
import { around, list, mapped, NOTHING, one, record, type Result, rows } from "../values/result.ts";

/** A method of a composer. */
export type MethodName = keyof Composer & string;

/** A function of hwcomposer2.h as its parameters behind the device. */
export interface Hwc2Function {
  /** The caller's inputs. */
  // deno-lint-ignore no-explicit-any
  readonly inputs: readonly Input<any>[];
  /** The device's outputs. */
  readonly result: Result;
  /** The letter of the returned value. Default: `s`, an error. */
  readonly returns: "s" | "w" | "v";
}

// deno-lint-ignore no-explicit-any
function takes(...inputs: Input<any>[]): Hwc2Function {
  return gives(NOTHING, ...inputs);
}

// deno-lint-ignore no-explicit-any
function gives(result: Result, ...inputs: Input<any>[]): Hwc2Function {
  return { inputs, result, returns: "s" };
}

/** Bytes as text. */
const OUT_TEXT = mapped(
  list(OUT_U8),
  (bytes: number[]) => new TextDecoder().decode(Uint8Array.from(bytes)).replace(/\0+$/, ""),
  (text) => [...new TextEncoder().encode(text)],
);
const OUT_BYTES = mapped(list(OUT_U8), (bytes: number[]) => Uint8Array.from(bytes), (bytes) => [...bytes]);

const VALIDATION: Result = {
  ...record({ numTypes: OUT_W, numRequests: OUT_W }),
  pack: ({ before: [numTypes, numRequests] }, code) => ({ result: code, numTypes, numRequests }),
};

const VIRTUAL_DISPLAY: Result = {
  ...record({ format: OUT_S, display: OUT_Q }),
  before: [{ name: "format", output: OUT_S, isInOut: true }, { name: "display", output: OUT_Q }],
};

/** An empty key means no key. */
const KEY: Result = mapped(
  around({}, "key", OUT_TEXT, { mandatory: OUT_BOOL }),
  (found: { key: string; mandatory: boolean }) => found.key === "" ? undefined : found,
  (found) => found ?? { key: "", mandatory: false },
);

/** Results of validateDisplay that are no failure. */
export const SUCCESSES: readonly number[] = [ERROR.NONE, ERROR.HAS_CHANGES];

/**
 * The functions by their methods' names, but those that are like no other:
 * `registerCallback` and `getDisplayedContentSample`.
 */
export const FUNCTIONS: Readonly<Partial<Record<MethodName, Hwc2Function>>> = {
  dump: { ...gives(OUT_TEXT), returns: "v" },
  createVirtualDisplay: gives(VIRTUAL_DISPLAY, W, W),
  destroyVirtualDisplay: takes(Q),
  getMaxVirtualDisplayCount: { ...takes(), returns: "w" },

  getActiveConfig: gives(one(OUT_W), Q),
  getDisplayAttribute: gives(one(OUT_S), Q, W, S),
  getDisplayConfigs: gives(list(OUT_W), Q),
  getDisplayName: gives(OUT_TEXT, Q),
  getDisplayType: gives(one(OUT_S), Q),
  getDozeSupport: gives(one(OUT_INT_BOOL), Q),
  getHdrCapabilities: gives(
    around({}, "types", list(OUT_S), { maxLuminance: OUT_F, maxAverageLuminance: OUT_F, minLuminance: OUT_F }),
    Q,
  ),
  setActiveConfig: takes(Q, W),
  setPowerMode: takes(Q, S),
  setVsyncEnabled: takes(Q, S),
  getColorModes: gives(list(OUT_S), Q),
  setColorMode: takes(Q, S),
  setColorTransform: takes(Q, MATRIX, S),
  getClientTargetSupport: takes(Q, W, W, S, S),

  validateDisplay: gives(VALIDATION, Q),
  getChangedCompositionTypes: gives(rows({ layer: OUT_Q, type: OUT_S }), Q),
  getDisplayRequests: gives(
    around({ displayRequests: OUT_S }, "layerRequests", rows({ layer: OUT_Q, requests: OUT_S })),
    Q,
  ),
  acceptDisplayChanges: takes(Q),
  setClientTarget: takes(Q, BUFFER, TAKEN_FENCE, S, REGION),
  setOutputBuffer: takes(Q, BUFFER, LENT_FENCE),
  presentDisplay: gives(one(OUT_FENCE), Q),
  getReleaseFences: gives(rows({ layer: OUT_Q, fence: OUT_FENCE }), Q),

  createLayer: gives(one(OUT_Q), Q),
  destroyLayer: takes(Q, Q),
  setCursorPosition: takes(Q, Q, S, S),
  setLayerBuffer: takes(Q, Q, BUFFER, TAKEN_FENCE),
  setLayerSurfaceDamage: takes(Q, Q, REGION),
  setLayerBlendMode: takes(Q, Q, S),
  setLayerColor: takes(Q, Q, COLOR),
  setLayerCompositionType: takes(Q, Q, S),
  setLayerDataspace: takes(Q, Q, S),
  setLayerDisplayFrame: takes(Q, Q, RECT),
  setLayerPlaneAlpha: takes(Q, Q, F),
  setLayerSidebandStream: takes(Q, Q, Q),
  setLayerSourceCrop: takes(Q, Q, FRECT),
  setLayerTransform: takes(Q, Q, S),
  setLayerVisibleRegion: takes(Q, Q, REGION),
  setLayerZOrder: takes(Q, Q, W),

  setLayerFloatColor: takes(Q, Q, FLOAT_COLOR),
  setLayerPerFrameMetadata: takes(Q, Q, METADATA),
  getPerFrameMetadataKeys: gives(list(OUT_S), Q),
  setReadbackBuffer: takes(Q, BUFFER, TAKEN_FENCE),
  getReadbackBufferAttributes: gives(record({ format: OUT_S, dataspace: OUT_S }), Q),
  getReadbackBufferFence: gives(one(OUT_FENCE), Q),
  getRenderIntents: gives(list(OUT_S), Q, S),
  setColorModeWithRenderIntent: takes(Q, S, S),
  getDataspaceSaturationMatrix: gives(one(OUT_MATRIX), S),

  getDisplayIdentificationData: gives(around({ port: OUT_U8 }, "data", OUT_BYTES), Q),
  getDisplayCapabilities: gives(list(OUT_W), Q),
  setLayerColorTransform: takes(Q, Q, MATRIX),
  getDisplayedContentSamplingAttributes: gives(
    record({ format: OUT_S, dataspace: OUT_S, componentMask: OUT_U8 }),
    Q,
  ),
  setDisplayedContentSamplingEnabled: takes(Q, S, U8, Q),
  setLayerPerFrameMetadataBlobs: takes(Q, Q, BLOBS),
  getDisplayBrightnessSupport: gives(one(OUT_BOOL), Q),
  setDisplayBrightness: takes(Q, F),

  getDisplayConnectionType: gives(one(OUT_W), Q),
  getDisplayVsyncPeriod: gives(one(OUT_W), Q),
  setActiveConfigWithConstraints: gives(one(OUT_TIMELINE), Q, W, CONSTRAINTS),
  setAutoLowLatencyMode: takes(Q, BOOL),
  getSupportedContentTypes: gives(list(OUT_W), Q),
  setContentType: takes(Q, S),
  getClientTargetProperty: gives(one(OUT_PROPERTY), Q),
  setLayerGenericMetadata: takes(Q, Q, TEXT, BOOL, BYTES),
  getLayerGenericMetadataKey: { ...gives(KEY, W), returns: "v" },
};
