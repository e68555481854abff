import { closest } from "../../ffi/check_options.ts";
import type { Layer } from "../../loader/layer.ts";
import { Unusable, WrongUse } from "../command.ts";
import { exitCodeOf, isRefusal, sentenceOf } from "../exit_code.ts";
import { textIn } from "../files.ts";
import type { ScriptLayer } from "./script_layer.ts";

type Layers = typeof import("../../loader/layers.ts");

/** How the command line creates a layer of `@pumice/gfx/layers`. */
interface Preset {
  /** The name of the function that makes the layer. */
  readonly function: string;
  /** The text after the colon in the help, in brackets if it is optional. */
  readonly value: string;
  /** Makes the layer. */
  open(layers: Layers, value: string, say: (message: string) => void): ScriptLayer;
}

/** The layers by the names that `--layer` takes. */
export const PRESETS: Readonly<Record<string, Preset>> = {
  profile: {
    function: "apiProfile",
    value: "",
    open: ({ apiProfile }) => reporting(apiProfile(), ({ text }) => text()),
  },
  trace: { function: "apiTrace", value: "FILE", open: ({ apiTrace }, path) => traced(apiTrace({ path }), path) },
  record: {
    function: "apiRecording",
    value: "FILE",
    open: ({ apiRecording }, path, log) => made(apiRecording({ path, log })),
  },
  limits: {
    function: "deviceLimits",
    value: "FILE",
    open: ({ deviceLimits }, path) => made(deviceLimits(optionsIn(path))),
  },
  faults: {
    function: "faultInjection",
    value: "FILE",
    open: ({ faultInjection }, path) => made(faultInjection(optionsIn(path))),
  },
  leaks: {
    function: "objectLeaks",
    value: "",
    open: ({ objectLeaks }) => reporting(objectLeaks(), ({ report }) => report().text),
  },
  spirv: {
    function: "spirvDump",
    value: "FOLDER",
    open: ({ spirvDump }, folder) => made(spirvDump({ folder })),
  },
};

const NAMES = Object.keys(PRESETS);

/**
 * Makes the layer that `NAME` or `NAME:VALUE` stands for, where NAME is one of
 * {@linkcode PRESETS} or the function's; `undefined` for what is another kind
 * of layer. Throws {@linkcode WrongUse} for a value that makes no sense.
 */
export async function openPreset(
  layer: string,
  say: (message: string) => void,
): Promise<ScriptLayer | undefined> {
  const [, name, colon, value] = /^(\w+)(:?)(.*)$/.exec(layer) ?? [];
  const found = Object.entries(PRESETS).find(([short, preset]) => name === short || name === preset.function);
  if (!found) {
    if (name !== undefined && (colon || closest(name, NAMES))) {
      throw new WrongUse(`--layer: there is no layer "${name}"${colon && " that takes a value"}${meant(name)}`);
    }
    return undefined;
  }
  const [short, preset] = found;
  if ((preset.value === "") !== (value === "")) throw new WrongUse(`--layer: write ${spelling(short)}`);
  const layers = await import("../../loader/layers.ts");
  try {
    return preset.open(layers, value, say);
  } catch (error) {
    if (error instanceof WrongUse || !(error instanceof Error)) throw error;
    const sentence = `--layer=${layer}: ${sentenceOf(error) ?? error.message.replace(/\s*\n\s*/g, " ")}`;
    throw new (isRefusal(error) && exitCodeOf(error) === 1 ? Unusable : WrongUse)(sentence);
  }
}

/** Whether a text names a module. */
export function isModule(layer: string): boolean {
  return /\.(m?js|ts)$/.test(layer) && !layer.includes(":");
}

/** Throws {@linkcode WrongUse} for a layer that is no native layer, which is all that the command takes. */
export function requireNative(command: string, layer: string): void {
  const [, name] = /^(\w+)(?::|$)/.exec(layer) ?? [];
  const isPreset = Object.entries(PRESETS).some(([short, preset]) => name === short || name === preset.function);
  if (!isPreset && !isModule(layer)) return;
  throw new WrongUse(
    `${command}: --layer=${layer} is a layer in TypeScript, which run, exec, serve, phone, trace, record and replay take; give a native layer's name, library or manifest`,
  );
}

/** How a layer is written after `--layer=`. */
export function spelling(name: string): string {
  const { value } = PRESETS[name];
  return value === "" ? name : `${name}:${value}`;
}

function meant(name: string): string {
  const near = closest(name, NAMES);
  return near ? `; did you mean ${spelling(near)}?` : `; there are ${NAMES.map(spelling).join(", ")}`;
}

function made(shipped: { readonly layer: Layer; close?(): void }): ScriptLayer {
  return { current: () => shipped.layer, close: () => shipped.close?.() };
}

/** A trace says only what went wrong. */
function traced(trace: { readonly layer: Layer; readonly error: unknown; close(): void }, path: string): ScriptLayer {
  const report = () => trace.error === undefined ? "" : `${path}: not written to the end: ${trace.error}`;
  return { ...made(trace), report, isWhole: () => trace.error === undefined };
}

function reporting<Shipped extends { readonly layer: Layer }>(
  shipped: Shipped,
  report: (shipped: Shipped) => string,
): ScriptLayer {
  return { ...made(shipped), report: () => report(shipped) };
}

/** The options in a JSON file; a text such as "64n" stands for a 64-bit number. */
function optionsIn<Options>(path: string): Options {
  return JSON.parse(
    textIn("--layer", path),
    (_, value) => typeof value === "string" && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  );
}
