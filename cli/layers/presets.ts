import { closest } from "../../ffi/check_options.ts";
import type { Layer } from "../../loader/layer.ts";
import { exitCodeOf, isRefusal, sentenceOf, Unusable, WrongUse } from "../../workbench/process/exit_code.ts";
import type { DeviceTwin } from "../../loader/twin/device_twin.ts";
import { DECLARED, variableOf } from "../../loader/layers/shipped/settings/declared.ts";
import { processSettings, readSettings } from "../../loader/layers/shipped/settings/read_settings.ts";
import { textIn } from "../../workbench/process/files.ts";
import type { ScriptLayer } from "./script_layer.ts";

// Loaded when they are needed: cli/commands.ts says why "as string".
type Layers = typeof import("../../workbench/layers.ts");
type RecordingLayerModule = typeof import("../recording/recording_layer.ts");
type TwinOptionModule = typeof import("../../workbench/process/twin_option.ts");

/** Options of a layer, as its settings have them. */
type Options = Record<string, unknown>;

/** A layer of `@pumice/gfx/layers`, as the command line creates it. */
interface Preset {
  /** The name of the function that makes the layer. */
  readonly function: string;
  /** The text after the colon in the help; `""` for a layer that needs none. */
  readonly value: string;
  /** Whether other settings can stand for the text. */
  readonly isOptional?: true;
  /** Makes the layer from its settings, which hold the text after the colon, too. */
  open(layers: Layers, options: Options, say: (message: string) => void): ScriptLayer | Promise<ScriptLayer>;
}

/** The layers by the names that `--layer` takes. */
export const PRESETS: Readonly<Record<string, Preset>> = {
  profile: {
    function: "apiProfile",
    value: "",
    open: ({ apiProfile }, options) =>
      reporting(apiProfile(options), ({ text }, isFull) => profileReport(text, isFull)),
  },
  trace: {
    function: "apiTrace",
    value: "FILE",
    open: ({ apiTrace }, options) => written(apiTrace(options), options.path as string),
  },
  record: {
    function: "apiRecording",
    value: "FILE",
    open: async (_, { path }, warn) => {
      const { openRecording } = await import("../recording/recording_layer.ts" as string) as RecordingLayerModule;
      return openRecording(path as string, "program", { warn }, "--layer=record").layer;
    },
  },
  limits: {
    function: "deviceLimits",
    value: "FILE",
    isOptional: true,
    open: ({ deviceLimits }, options) => made(deviceLimits(withFile(options))),
  },
  twin: {
    function: "deviceTwin",
    value: "FILE",
    open: async (_, { source, ...options }, say) => {
      const { twinNamed } = await import("../../workbench/process/twin_option.ts" as string) as TwinOptionModule;
      const twin = twinNamed(source as string, say, options);
      return { ...made(twin), failure: () => loweredText(twin) };
    },
  },
  faults: {
    function: "faultInjection",
    value: "FILE",
    open: ({ faultInjection }, options) => reporting(faultInjection(withFile(options)), ({ text }) => text()),
  },
  leaks: {
    function: "objectLeaks",
    value: "",
    open: ({ objectLeaks }, options) => reporting(objectLeaks(options), ({ report }) => report().text),
  },
  spirv: {
    function: "spirvDump",
    value: "FOLDER",
    open: ({ spirvDump }, options) => written(spirvDump(options as { folder: string }), options.folder as string),
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
  const { main } = DECLARED[short];
  if (preset.value === "" && value !== "") throw new WrongUse(`--layer: write ${spelling(short)}`);
  const layers = await import("../../workbench/layers.ts" as string) as Layers;
  try {
    const settings = readSettings(DECLARED[short], processSettings());
    const options = main === undefined || value === ""
      ? settings
      : { ...settings, [DECLARED[short].settings[main].option]: value };
    const isEnough = preset.isOptional && Object.keys(options).length > 0;
    if (main !== undefined && options[DECLARED[short].settings[main].option] === undefined && !isEnough) {
      throw new WrongUse(`--layer: write ${spelling(short)}, or set ${variableOf(DECLARED[short], main)}`);
    }
    return await preset.open(layers, options, say);
  } catch (error) {
    if (error instanceof WrongUse || error instanceof Unusable || !(error instanceof Error)) throw error;
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

/** The most commands in a profile, unless everything is asked for. */
const MOST_COMMANDS = 10;

/** A profile as the command line prints it. */
export function profileReport(text: (most?: number) => string, isFull: boolean): string {
  return isFull ? text() : text(MOST_COMMANDS).replace(/^and .*$/m, "$&: --frames prints all");
}

/** Returns the spelling of a layer after `--layer=`. */
export function spelling(name: string): string {
  const { value } = PRESETS[name];
  return value === "" ? name : `${name}:${value}`;
}

function meant(name: string): string {
  const near = closest(name, NAMES);
  return near ? `; did you mean ${spelling(near)}?` : `; there are ${NAMES.map(spelling).join(", ")}`;
}

/** Returns the facts for which a program may have ended, unless a refusal says why. */
function loweredText({ refused, lowered }: DeviceTwin): string {
  if (refused.length > 0 || lowered.size === 0) return "";
  const kinds = Map.groupBy(
    lowered,
    (name) => /^VK_FORMAT_/.test(name) ? "formats" : /^VK_/.test(name) ? "extensions" : "features and limits",
  );
  const lines = Array.from(kinds, ([kind, names]) => `${kind} (${names.length}): ${names.sort().join(", ")}`);
  return [
    "the twin refused nothing; the program was told less than the driver has, and may miss one of these:",
    ...lines,
  ].join("\n");
}

function made(shipped: { readonly layer: Layer; close?(): void }): ScriptLayer {
  return { current: () => shipped.layer, close: () => shipped.close?.() };
}

/** A layer that writes files says only what went wrong. */
export function written(
  shipped: { readonly layer: Layer; readonly error: unknown; close(): void },
  path: string,
): ScriptLayer {
  const report = () => shipped.error === undefined ? "" : `${path}: not written to the end: ${shipped.error}`;
  return { ...made(shipped), report, isWhole: () => shipped.error === undefined };
}

function reporting<Shipped extends { readonly layer: Layer }>(
  shipped: Shipped,
  report: (shipped: Shipped, isFull: boolean) => string,
): ScriptLayer {
  return { ...made(shipped), report: (isFull = false) => report(shipped, isFull) };
}

/** Options with those of a JSON file, which count less. */
function withFile<Typed>({ file, ...options }: Options): Typed {
  return { ...typeof file === "string" ? optionsIn(file) : {}, ...options } as Typed;
}

/** The options in a JSON file; a text such as "64n" stands for a 64-bit number. */
function optionsIn(path: string): Options {
  return JSON.parse(
    textIn("--layer", path),
    (_, value) => typeof value === "string" && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  );
}
