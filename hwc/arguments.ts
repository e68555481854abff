import { describe, missing, noHole, type ScalarKind, toScalar } from "../ffi/scalar.ts";
import type { Composer } from "./composer.ts";

/** Throws a `TypeError` for a value that a parameter does not take; the label names the parameter. */
type Rule = (value: unknown, label: string) => void;

/** Returns a required number of a kind. Throws a `TypeError` that says what was found. */
export function fitted(kind: ScalarKind, value: unknown, label: string): number | bigint {
  if (value === undefined || value === null) missing(label);
  return toScalar(kind, value, label);
}

/** The same for kinds of 32 bits and less, and for fractions. */
export function fittedNumber(
  kind: "u8" | "i32" | "u32" | "f32" | "f64" | "bool",
  value: unknown,
  label: string,
): number {
  return fitted(kind, value, label) as number;
}

/** The same for kinds of 64 bits. */
export function fittedLong(kind: "u64" | "i64", value: unknown, label: string): bigint {
  return fitted(kind, value, label) as bigint;
}

function number(kind: ScalarKind): Rule {
  return (value, label) => void fitted(kind, value, label);
}

function given(what: string, isThat: (value: unknown) => boolean): Rule {
  return (value, label) => {
    if (!isThat(value)) throw new TypeError(`${label}: expected ${what}, found ${describe(value)}`);
  };
}

/** An object of a method's name, or nothing. */
function optional(what: string, method: string): Rule {
  return given(`${what} or null`, (value) => (value ?? null) === null || typeof value === "object" && method in value!);
}

function members(rules: Readonly<Record<string, Rule>>): Rule {
  const entries = Object.entries(rules),
    object = given("object", (value) => typeof value === "object" && value !== null);
  return (value, label) => {
    object(value, label);
    for (const [name, rule] of entries) rule((value as Record<string, unknown>)[name], `${label}.${name}`);
  };
}

const array = given("array", Array.isArray);

function list(of: Rule): Rule {
  return (value, label) => {
    array(value, label);
    const values = value as unknown[];
    for (let index = 0; index < values.length; index++) {
      noHole(values[index], index, label);
      of(values[index], `${label}[${index}]`);
    }
  };
}

const INT = number("i32"), COUNT = number("u32"), BYTE = number("u8"), FLOAT = number("f32");
const ID = number("u64"), TIME = number("i64"), BOOL = number("bool");
/** A place or a part of a colour: there is nothing to be drawn with one that is no number. */
const FINITE = given("finite number", Number.isFinite);
const TEXT = given("string", (value) => typeof value === "string");
const BYTES = given("Uint8Array", (value) => value instanceof Uint8Array);
const CALLBACK = given("function or null", (value) => (value ?? null) === null || typeof value === "function");
const BUFFER = optional("a GraphicBuffer", "retain"), FENCE = optional("a NativeFence", "dup");
const RECT = members({ left: INT, top: INT, right: INT, bottom: INT });
const FRECT = members({ left: FINITE, top: FINITE, right: FINITE, bottom: FINITE });
const REGION = list(RECT);
/** The number of elements, and their meaning together, are for the device to check. */
const MATRIX = list(FLOAT);

/** One of three ways, by the name of its member. */
const STRATEGY: Rule = (value, label) => {
  const ways = { passthrough: BOOL, autoAllowedHdrTypes: list(INT), forceHdrConversion: INT };
  const given = Object.entries(value ?? {}), [[name, member] = ["", undefined]] = given;
  if (given.length !== 1 || !(name in ways)) {
    throw new TypeError(`${label}: expected one of ${Object.keys(ways).join(", ")}, found ${describe(value)}`);
  }
  ways[name as keyof typeof ways](member, `${label}.${name}`);
};

const display = ID, layer = ID, config = COUNT;

/** The parameters of a composer's methods, by name. Methods that are not listed take a display alone. */
const PARAMETERS: Readonly<Partial<Record<keyof Composer, Readonly<Record<string, Rule>>>>> = {
  getCapabilities: {},
  dump: {},
  getMaxVirtualDisplayCount: {},
  registerCallback: { descriptor: INT, callback: CALLBACK },
  createVirtualDisplay: { width: COUNT, height: COUNT, format: INT },
  getDisplayAttribute: { display, config, attribute: INT },
  setActiveConfig: { display, config },
  setPowerMode: { display, mode: INT },
  setVsyncEnabled: { display, enabled: INT },
  setColorMode: { display, mode: INT },
  setColorTransform: { display, matrix: MATRIX, hint: INT },
  getClientTargetSupport: { display, width: COUNT, height: COUNT, format: INT, dataspace: INT },
  setClientTarget: { display, target: BUFFER, acquireFence: FENCE, dataspace: INT, damage: REGION },
  setOutputBuffer: { display, buffer: BUFFER, releaseFence: FENCE },
  destroyLayer: { display, layer },
  setCursorPosition: { display, layer, x: INT, y: INT },
  setLayerBuffer: { display, layer, buffer: BUFFER, acquireFence: FENCE },
  setLayerSurfaceDamage: { display, layer, damage: REGION },
  setLayerBlendMode: { display, layer, mode: INT },
  setLayerColor: { display, layer, color: members({ r: BYTE, g: BYTE, b: BYTE, a: BYTE }) },
  setLayerCompositionType: { display, layer, type: INT },
  setLayerDataspace: { display, layer, dataspace: INT },
  setLayerDisplayFrame: { display, layer, frame: RECT },
  setLayerPlaneAlpha: { display, layer, alpha: FLOAT },
  setLayerSidebandStream: { display, layer, stream: ID },
  setLayerSourceCrop: { display, layer, crop: FRECT },
  setLayerTransform: { display, layer, transform: INT },
  setLayerVisibleRegion: { display, layer, visible: REGION },
  setLayerZOrder: { display, layer, z: COUNT },
  setLayerFloatColor: { display, layer, color: members({ r: FINITE, g: FINITE, b: FINITE, a: FINITE }) },
  setLayerPerFrameMetadata: { display, layer, metadata: list(members({ key: INT, value: FLOAT })) },
  setReadbackBuffer: { display, buffer: BUFFER, releaseFence: FENCE },
  getRenderIntents: { display, mode: INT },
  setColorModeWithRenderIntent: { display, mode: INT, intent: INT },
  getDataspaceSaturationMatrix: { dataspace: INT },
  setLayerColorTransform: { display, layer, matrix: MATRIX },
  setDisplayedContentSamplingEnabled: { display, enabled: INT, componentMask: BYTE, maxFrames: ID },
  getDisplayedContentSample: { display, maxFrames: ID, timestamp: TIME },
  setLayerPerFrameMetadataBlobs: { display, layer, blobs: list(members({ key: INT, blob: BYTES })) },
  setDisplayBrightness: { display, brightness: FLOAT },
  setActiveConfigWithConstraints: {
    display,
    config,
    constraints: members({ desiredTimeNanos: TIME, seamlessRequired: BOOL }),
  },
  setAutoLowLatencyMode: { display, on: BOOL },
  setContentType: { display, type: INT },
  setLayerGenericMetadata: { display, layer, key: TEXT, mandatory: BOOL, value: BYTES },
  getLayerGenericMetadataKey: { index: COUNT },
  setBootDisplayConfig: { display, config },
  setLayerBrightness: { display, layer, brightness: FLOAT },
  setLayerBlockingRegion: { display, layer, blocking: REGION },
  setExpectedPresentTime: { display, timestamp: TIME },
  setIdleTimerEnabled: { display, milliseconds: INT },
  setRefreshRateChangedCallbackDebugEnabled: { display, enabled: BOOL },
  getOverlaySupport: {},
  getHdrConversionCapabilities: {},
  setHdrConversionStrategy: { strategy: STRATEGY },
  notifyExpectedPresent: { display, timestamp: TIME, frameIntervalNanos: INT },
  setClientTargetSlotCount: { display, count: INT },
  startHdcpNegotiation: { display, connectedLevel: INT, maxLevel: INT },
};

const DISPLAY_ALONE: readonly (readonly [string, Rule])[] = [["display", display]];
const BY_METHOD = new Map(Object.entries(PARAMETERS).map(([name, rules]) => [name, Object.entries(rules)]));

/** Looks up handles, for a device that checks them before anything else. */
export interface KnownHandles {
  /** Throws for a display that is not there. */
  display(display: bigint): unknown;
  /** Throws for a layer that is not there. */
  layer(display: bigint, layer: bigint): unknown;
}

/**
 * Checks the arguments of a composer's method before anything is converted, in
 * the same way for all composers: numbers in range, none of them left out.
 * @throws {TypeError} that names the parameter and says what was found.
 */
export function checkArguments(method: string, values: readonly unknown[], known?: KnownHandles): void {
  let index = 0;
  for (const [name, rule] of BY_METHOD.get(method) ?? DISPLAY_ALONE) {
    const value = values[index++];
    rule(value, `${method} ${name}`);
    if (!known) continue;
    if (name === "display") known.display(value as bigint);
    else if (name === "layer") known.layer(values[0] as bigint, value as bigint);
  }
}

/** The same methods, which check what they are given. */
export function checkingArguments<Methods extends object>(methods: Methods, known: KnownHandles): Methods {
  const checked = Object.entries(methods).map(([name, method]) => [name, (...values: unknown[]) => {
    checkArguments(name, values, known);
    return method(...values);
  }]);
  return Object.fromEntries(checked) as Methods;
}

/** The layer among the arguments of a composer's method; `undefined` for a method without one. */
export function layerOf(method: string, values: readonly unknown[]): bigint | undefined {
  const at = (BY_METHOD.get(method) ?? []).findIndex(([name]) => name === "layer");
  return at < 0 ? undefined : values[at] as bigint;
}
