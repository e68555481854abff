import type { EglInfo } from "../../egl/info/egl_info.ts";
import type { GlesLayer } from "../../egl/layers/gles_layer.ts";
import { textIn } from "../../workbench/process/files.ts";
import { NativeError } from "../../ffi/error.ts";
import type { Layer } from "../../loader/layer.ts";
import { TARGETS } from "../../workbench/layer_server/commands.ts";
import { placeServed } from "../../workbench/layer_server/serve.ts";
import { type LayerServer, serveLayers } from "../../workbench/layer_server/serve_layers.ts";
import type { ServedLayers, ServingOptions } from "../../workbench/layer_server/served.ts";
import { PULSE } from "../../workbench/layer_server/server/pulse.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import type { Process, Request } from "../command.ts";
import { isModule, profileReport, written } from "../layers/presets.ts";
import { endLayers, glesHookOf, openLayer, type ScriptLayer, tellFailures } from "../layers/script_layer.ts";
import { HookWatch } from "./hung_hook.ts";

// Loaded when it is needed: cli/commands.ts says why "as string".
type GlesLayersModule = typeof import("../../workbench/gles_layers.ts");

type Layers = typeof import("../../workbench/gles_layers.ts");

/** The makers of the layers of `@pumice/gfx/gles-layers`, by the names that `--layer` takes with `--gles`. */
const PRESETS: Readonly<Record<string, (layers: Layers, file: string, say: (text: string) => void) => ScriptLayer>> = {
  profile: ({ glesApiProfile }) => {
    const profile = glesApiProfile();
    return { ...made(profile.layer), report: (isFull = false) => profileReport(profile.text, isFull) };
  },
  errors: ({ glesErrors }, _, say) => {
    const { layer } = glesErrors({ report: ({ command, codeName }) => say(`${command} caused ${codeName}`) });
    return made(layer);
  },
  twin: ({ glesDeviceTwin }, path, log) =>
    refusing("--layer=twin", () => made(glesDeviceTwin(jsonIn(path), { log }).layer)),
  trace: ({ glesApiTrace }, path) => {
    const trace = glesApiTrace({ path });
    return written(trace as unknown as Parameters<typeof written>[0], path);
  },
};

/** Reads a file of JSON. */
function jsonIn(path: string): EglInfo {
  try {
    return JSON.parse(textIn("--layer=twin", path).replace(/^\ufeff/, ""));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    throw new TypeError(`"${path}" is no JSON: ${error.message}`, { cause: error });
  }
}

/** Opens the layer for OpenGL ES that `--layer` names: `profile`, `errors`, `trace:FILE`, `twin:FILE` or a module. */
async function openGlesLayer(name: string, say: (text: string) => void): Promise<ScriptLayer> {
  if (isModule(name)) return await openLayer(name, say);
  const [, short = "", colon = "", file = ""] = /^(\w+)(:?)(.*)$/.exec(name) ?? [];
  const open = Object.hasOwn(PRESETS, short) ? PRESETS[short] : undefined;
  if (open && ["trace", "twin"].includes(short) === (file !== "") && (colon === "") === (file === "")) {
    return open(await import("../../workbench/gles_layers.ts" as string) as GlesLayersModule, file, say);
  }
  throw new WrongUse(`--layer=${name}: with --gles, give profile, errors, trace:FILE, twin:FILE or a module`);
}

/** The layer of a {@linkcode ScriptLayer} that stands above OpenGL ES: `--gles` says so, and its file knows no types. */
function glesLayerOf(layer: ScriptLayer): GlesLayer {
  return layer.current() as unknown as GlesLayer;
}

/** A layer for OpenGL ES where the command line keeps those for Vulkan: see {@linkcode glesLayerOf}. */
function made(layer: GlesLayer): ScriptLayer {
  return { current: () => layer as unknown as Layer };
}

/** Layers of the command line that answer programs. */
export interface Serving extends AsyncDisposable {
  /** The folder of the layer library, and the address for programs. */
  readonly server: Pick<ServedLayers<Layer>, "folder" | "address" | "connected" | "programs" | "lostCalls" | "drain">;
  /** The thread that watches the layers' code. */
  readonly watch: HookWatch;
  /** Returns the variables by which a program of this machine loads the layers. Refuses without a libEGL for them. */
  environment(): Record<string, string>;
  /** Ends the layers, once programs are served no more, and returns what they report. What is not whole is warned of. */
  reports(): string[];
  /** Warns of the reasons for which a program may have failed, as far as layers know. */
  tellFailures(): void;
  /** Whether the files of all layers have what they must have. */
  isWhole(): boolean;
}

/** The layers that are served, and the options of serving. */
interface ServingSpec {
  /** The name of the command. */
  readonly command: string;
  readonly request: Request;
  readonly process: Process;
  /** The address for programs. */
  readonly options?: ServingOptions;
  /** Layers that are opened already; they are closed in any case. */
  readonly more?: readonly ScriptLayer[];
}

/** Serves the layers of `--layer`, as `--gles`, `--watch` and `--timeout` say. */
export async function serveNamed(
  { command, request, process, options = {}, more = [] }: ServingSpec,
): Promise<Serving> {
  const { values } = request, isGles = values.gles === true, live = values.watch === true, opened = [...more];
  let watch: HookWatch | undefined;
  try {
    const timeout = timeoutOf(command, values.timeout as string | undefined);
    refusing(command, () => placeServed(options)); // before a layer uses memory
    const hooks = watch = new HookWatch(command);
    const open = isGles ? openGlesLayer : openLayer;
    for (const name of request.options.layers as string[]) opened.push(await open(name, process.warn));
    const onError = (error: unknown) => process.warn(Deno.inspect(error));
    for (const layer of opened) requireInterface(command, layer, isGles);
    const own = { ...options, live, timeout, onError, log: process.warn, [PULSE]: hooks.pulse };
    const server = await serve(opened, isGles, own).catch((error) => refusing(command, () => raise(error)));
    await hooks.ready;
    hooks.removes(server.folder);
    for (const { file } of opened) {
      if (live) file?.follow(server);
      else file?.close();
    }
    const end = async () => {
      await server.close();
      if (server.lostCalls > 0) opened.forEach((layer) => layer.lost?.(server.lostCalls));
      hooks[Symbol.dispose]();
      opened.forEach((layer) => layer.close?.());
    };
    const environment = () => refusing(command, () => server.environment());
    const isWhole = () => opened.every((layer) => layer.isWhole?.() ?? true);
    return {
      server,
      watch: hooks,
      environment,
      reports: () => reportsOf(opened, values, process.warn),
      tellFailures: () => tellFailures(opened, process.warn),
      isWhole,
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    watch?.[Symbol.dispose]();
    opened.forEach((layer) => layer.close?.());
    throw error;
  }
}

async function serve(
  opened: readonly ScriptLayer[],
  isGles: boolean,
  options: ServingOptions,
): Promise<ServedLayers<Layer> & Pick<LayerServer, "environment">> {
  if (!isGles) return await serveLayers({ layers: opened.map((layer) => layer.current() as Layer), ...options });
  const { serveGlesLayers } = await import("../../workbench/gles_layers.ts" as string) as GlesLayersModule,
    layers = opened.map(glesLayerOf);
  return await serveGlesLayers({ layers, ...options }) as unknown as
    & ServedLayers<Layer>
    & Pick<LayerServer, "environment">;
}

/** The time-out in milliseconds. */
export function timeoutOf(name: string, seconds = "5"): number {
  const value = Number(seconds);
  if (seconds === "" || !(value >= 0)) throw new WrongUse(`${name}: --timeout=${seconds} is no number of seconds`);
  return value === 0 ? Infinity : value * 1000;
}

/** Refuses a native layer, and a layer of the other interface. */
function requireInterface(command: string, layer: ScriptLayer, isGles: boolean): void {
  const current = layer.current();
  if (typeof current === "string") {
    throw new WrongUse(
      `${command}: "${current}" is a native layer, which the program's own loader takes: put it into VK_INSTANCE_LAYERS`,
    );
  }
  const isVulkan = (name: string) => /^vk[A-Z]/.test(name);
  const other = isGles ? Object.keys(current.commands ?? {}).find(isVulkan) : glesHookOf(current);
  if (other === undefined) return;
  throw new WrongUse(
    `${command}: ${current.name} hooks ${other}, ` +
      (isGles ? 'which is of Vulkan: leave "--gles" out' : 'which is of OpenGL ES: give "--gles"'),
  );
}

/** Runs something whose `TypeError` is about the command line, and whose `NativeError` is about the machine. */
export function refusing<Result>(command: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw error instanceof TypeError || error instanceof NativeError
      ? new WrongUse(`${command}: ${error.message}`)
      : error;
  }
}

function raise(error: unknown): never {
  throw error;
}

function reportsOf(
  layers: readonly ScriptLayer[],
  values: Request["values"],
  warn: (text: string) => void,
): string[] {
  const reports: string[] = [];
  endLayers(layers, (text) => reports.push(text), warn, values);
  return reports;
}

/** Returns the machine of the programs, by the value of `--target`; by default, a machine like this one. */
export function runsOnOf(command: string, value: unknown): keyof typeof TARGETS {
  const target = (value as string | undefined) ?? `${Deno.build.arch}-${Deno.build.os}`, known = Object.keys(TARGETS);
  if (known.includes(target)) return target as keyof typeof TARGETS;
  throw new WrongUse(`${command}: "${target}" is no target: give --target=${known.join(", ")}`);
}
