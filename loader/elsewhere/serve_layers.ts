import { anything, checkOptions, list, oneOf, type OptionRules, typed, yesOrNo } from "../../ffi/check_options.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";
import type { ForeignThreadPolicy, Layer, LayerControls } from "../layer.ts";
import { hookedBy } from "../layers/hooks/hooks.ts";
import { LayerPlaces } from "../layers/hooks/places.ts";
import { LAYER_NAME } from "./manifest.ts";
import { findCommand } from "../command/registry/table.ts";
import { type CopyStep, planCopies } from "./server/copies.ts";
import { Channel } from "./server/channel.ts";
import { socketAddress, socketText } from "./server/socket_address.ts";
import { SocketChannel } from "./server/socket_channel.ts";
import type { Transport } from "./server/transport.ts";
import { TARGETS } from "./commands.ts";
import { Session } from "./server/session.ts";
import { writeLayerFiles } from "./write_files.ts";

/** What happens to the calls of a command, see `policies` of {@linkcode ServeLayersOptions}. */
export type ServePolicy = ForeignThreadPolicy | {
  /** What is copied, by the names of arguments, or of arguments and members with points between them. */
  readonly record: readonly string[];
};

/** The options of {@linkcode serveLayers}. */
export interface ServeLayersOptions {
  /** The layers, from the program to the driver. */
  readonly layers: readonly Layer[];
  /**
   * How many milliseconds a thread of a program waits for an answer before the
   * program goes on without the layers; rounded to tenths of a second. Default
   * 5000. `Infinity`: as long as this process lives, for single-stepping.
   */
  readonly timeout?: number;
  /**
   * Whether layers that come later may hook any command. Without this option,
   * only those that the layers of the start hook: the calls of all others do not
   * cost programs anything then. Default false.
   */
  readonly live?: boolean;
  /**
   * What happens to calls of commands that layers hook, for all commands or by
   * command. `"block"`, the default: the call waits for its hooks. `"record"`:
   * the call goes on at once, no hook runs, and the layers' `recorded` hears of
   * it later. `"skip"`: the call goes on at once. Creating and destroying
   * instances and devices always wait. With `listen`, there is no `"record"`.
   * `{ record: [...] }` also copies what arguments point to, such as
   * `"pSubmits"`, and what members of the first struct there point to, such as
   * `"pSubmits.pCommandBuffers"`: 448 bytes a call in total, of up to 8 names.
   */
  readonly policies?: ForeignThreadPolicy | { readonly [Name in keyof RawCommands]?: ServePolicy };
  /**
   * Where to listen for programs that share no memory with this process:
   * `tcp:127.0.0.1:PORT` (0: any free port), `unix:PATH` or `abstract:NAME`.
   * Who knows the keys in the layer library can connect. Default: shared memory.
   */
  readonly listen?: string;
  /** With `listen`: where programs connect to, if that is not where this process listens. */
  readonly connect?: string;
  /** With `listen`: where programs run. Default `"x86_64-linux"`. */
  readonly runsOn?: "x86_64-linux" | "aarch64-linux" | "aarch64-android";
  /** Hears of each error that a hook throws. The program gets an error code. Default: prints the error. */
  readonly onError?: (error: unknown) => void;
  /** Gets a sentence for each program that cannot be served. Default: no messages. */
  readonly log?: (message: string) => void;
}

/** Layers that programs can load. */
export interface LayerServer
  extends AsyncDisposable, Pick<LayerControls<Layer>, "attach" | "detach" | "replace" | "drain" | "lostCalls"> {
  /** A folder with the native layer library of this server, and its manifest. */
  readonly folder: string;
  /** With `listen`: where programs connect to, with the port that was free. */
  readonly address: string | undefined;
  /** The name of the native layer. */
  readonly name: string;
  /** How many programs have connected so far. */
  readonly connected: number;
  /** How many programs are connected now. */
  readonly programs: number;
  /**
   * Returns the environment variables with which a program loads the layers,
   * on top of the program's own. By default, those of this process that name
   * layers; `Deno.Command` hands on all others by itself.
   */
  environment(own?: Readonly<Record<string, string>>): Record<string, string>;
  /** Ends the server: programs go on without the layers. A second call does nothing. */
  close(): Promise<void>;
}

const RULES: OptionRules<ServeLayersOptions> = {
  layers: list("a list of layers", typed("what defineLayer() returns", "object")),
  timeout: typed("a number of milliseconds", "number"),
  live: yesOrNo,
  policies: anything,
  listen: typed("an address such as tcp:127.0.0.1:0", "string"),
  connect: typed("an address such as tcp:127.0.0.1:4000", "string"),
  runsOn: oneOf(...Object.keys(TARGETS)),
  onError: typed("a function that takes an error", "function"),
  log: typed("a function that takes a text", "function"),
};

/**
 * Lets layers answer the calls of other processes: of any program on this
 * machine that loads the native layer library which this function writes. Hooks
 * run in this isolate, one at a time, while the calling thread of the program
 * waits. This process runs on Linux on x86-64; with `listen`, programs may run elsewhere.
 *
 * @throws {TypeError} for a layer that adds extensions or commands, for a wrong
 *   option or a name in `policies` of what cannot be copied, and if this isolate serves layers already.
 *
 * @example Count the buffers of a program
 * ```ts ignore
 * import { serveLayers } from "@pumice/gfx/layers";
 * import { defineLayer } from "@pumice/gfx/loader";
 *
 * let buffers = 0;
 * const counter = defineLayer({
 *   name: "VK_LAYER_EXAMPLE_counter",
 *   commands: {
 *     vkCreateBuffer(next, ...args) {
 *       buffers++;
 *       return next(...args);
 *     },
 *   },
 * });
 * await using server = await serveLayers({ layers: [counter] });
 * await new Deno.Command("vkcube", { args: ["--c", "10"], env: server.environment() }).spawn().status;
 * console.log(buffers);
 * ```
 */
export async function serveLayers(options: ServeLayersOptions): Promise<LayerServer> {
  checkOptions("serveLayers()", options, RULES);
  requireServable(options.layers);
  const { timeout = 5000, live = false, onError = console.error, log = () => {} } = options;
  if (!(timeout > 0)) throw new TypeError(`Cannot use timeout ${timeout}: give milliseconds above 0, or Infinity`);
  const policyOf = policiesOf(options), copies = copiesOf(options);
  const patience = timeout === Infinity ? 0 : Math.max(1, Math.round(timeout / 100));
  if (serving) throw new TypeError("Cannot serve layers twice in one isolate: close the first server, or use a Worker");
  serving = true;
  const layers = new LayerPlaces([{ typescript: options.layers, native: [] }]);
  let folder: string | undefined, session: Session | undefined;
  const end = async () => {
    await session?.close();
    if (folder !== undefined) Deno.removeSync(folder, { recursive: true });
    serving = false;
  };
  try {
    const open = () => openTransport(options, patience);
    session = new Session({ layers, live, policyOf, copies, open, onError, log });
    folder = Deno.makeTempDirSync({ prefix: "pumice-layers-" });
    await writeLayerFiles(folder, { processor: session.channel.processor, place: session.channel.place });
  } catch (error) {
    await end();
    throw error;
  }
  return Object.assign(serverOf(session, folder, end), controlsOf(session, layers, live));
}

function policiesOf({ policies = "block", listen }: ServeLayersOptions): (command: string) => ForeignThreadPolicy {
  const known = listen === undefined ? ["block", "record", "skip"] : ["block", "skip"];
  const plain = (policy: ServePolicy) => typeof policy === "object" ? "record" : policy;
  for (const policy of typeof policies === "string" ? [policies] : Object.values(policies).map(plain)) {
    if (!known.includes(policy)) throw new TypeError(`Cannot use policy "${policy}": give ${known.join(", ")}`);
  }
  return (command) =>
    typeof policies === "string" ? policies : plain(policies[command as keyof RawCommands] ?? "block");
}

function copiesOf({ policies }: ServeLayersOptions): ReadonlyMap<string, readonly CopyStep[]> {
  if (typeof policies !== "object") return new Map();
  return new Map(
    Object.entries(policies).flatMap(([name, policy]) => {
      if (typeof policy !== "object") return [];
      const command = findCommand(name), { record } = policy;
      if (!command) throw new TypeError(`Cannot record ${name}: the registry has no such command`);
      const isList = Array.isArray(record) && record.every((path) => typeof path === "string");
      if (!isList) throw new TypeError(`Cannot record ${name} so: give { record: [names of arguments] }`);
      return [[name, planCopies(command, record, Deno.build.arch)]];
    }),
  );
}

function openTransport({ listen, connect, runsOn = "x86_64-linux" }: ServeLayersOptions, patience: number): Transport {
  if (listen === undefined) return new Channel(patience);
  return new SocketChannel({
    address: socketAddress(listen),
    connect: connect === undefined ? undefined : socketAddress(connect),
    processor: TARGETS[runsOn],
    isAndroid: runsOn === "aarch64-android",
    patience,
  });
}

let serving = false;

function serverOf(
  session: Session,
  folder: string,
  end: () => Promise<void>,
): Omit<LayerServer, "attach" | "detach" | "replace"> {
  const { socket } = session.channel.place;
  let ended: Promise<void> | undefined;
  const close = () => ended ??= end();
  return {
    folder,
    address: socket && socketText(socket.address),
    name: LAYER_NAME,
    get connected() {
      return session.connected;
    },
    drain: () => session.drain(),
    get lostCalls() {
      return session.lost;
    },
    get programs() {
      return session.programs;
    },
    environment: (own = layersOfProcess()) => ({ ...own, ...layerVariables(folder, own) }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Changes of the layers: they hold from the next call on. */
function controlsOf(
  session: Session,
  layers: LayerPlaces<Layer>,
  live: boolean,
): Pick<LayerServer, "attach" | "detach" | "replace"> {
  const known = new Set(layers.all.flatMap(hookedBy));
  const check = (layer: Layer) => {
    requireServable([layer]);
    const other = live ? undefined : hookedBy(layer).find((command) => !known.has(command));
    if (other) {
      throw new TypeError(
        `Cannot attach ${layer.name}: it hooks ${other.name}, which no layer hooked at the start; give serveLayers() live: true`,
      );
    }
  };
  return {
    attach(layer, place) {
      layers.copy().attach(layer, place);
      check(layer);
      layers.attach(layer, place);
      session.refresh();
    },
    detach(layer) {
      layers.detach(layer);
      session.refresh();
    },
    replace(old, layer) {
      layers.copy().replace(old, layer);
      check(layer);
      session.handOver(old, layer);
      layers.replace(old, layer);
      session.refresh();
    },
  };
}

/** The variables of this process that name layers. */
function layersOfProcess(): Record<string, string> {
  const names = ["VK_LAYER_PATH", "VK_ADD_LAYER_PATH", "VK_INSTANCE_LAYERS"];
  return Object.fromEntries(names.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
}

/** Loaders ignore VK_ADD_LAYER_PATH if there is VK_LAYER_PATH. */
function layerVariables(folder: string, own: Readonly<Record<string, string>>): Record<string, string> {
  const { VK_LAYER_PATH, VK_ADD_LAYER_PATH, VK_INSTANCE_LAYERS } = own;
  const path = (rest: string | undefined) => rest ? `${folder}:${rest}` : folder;
  return {
    ...VK_LAYER_PATH ? { VK_LAYER_PATH: path(VK_LAYER_PATH) } : { VK_ADD_LAYER_PATH: path(VK_ADD_LAYER_PATH) },
    VK_INSTANCE_LAYERS: VK_INSTANCE_LAYERS ? `${LAYER_NAME}:${VK_INSTANCE_LAYERS}` : LAYER_NAME,
  };
}

function requireServable(layers: readonly Layer[]): void {
  for (const { name, instanceExtensions, deviceExtensions, newCommands } of layers) {
    if ([instanceExtensions, deviceExtensions, Object.keys(newCommands ?? {})].some((each) => each?.length)) {
      throw new TypeError(`Cannot serve ${name}: it adds extensions or commands, which only loadVulkan() can do`);
    }
  }
}
