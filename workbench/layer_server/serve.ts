import { LayerPlaces } from "../../loader/layers/hooks/places.ts";
import type { ForeignThreadPolicy } from "../../loader/layer.ts";
import { type TemporaryFolder, temporaryFolder } from "../../loader/temporary_folder.ts";
import { placeArenaAt, placeArenaFor39Bits } from "../../ffi/arena_memory.ts";
import { anything, oneOf, type OptionRules, typed, yesOrNo } from "../../ffi/check_options.ts";
import { TARGETS } from "./commands.ts";
import { arenaWith, keysIn, type LayerKeys, newKeys, patienceOf } from "./keys.ts";
import type { ServedLayers, ServePolicy, ServingOptions } from "./served.ts";
import { Channel } from "./server/channel.ts";
import type { CopyStep } from "./server/copies.ts";
import type { LayerKind } from "./server/layer_kind.ts";
import { PULSE, type Pulse } from "./server/pulse.ts";
import { Session } from "./server/session.ts";
import { requireExecutable } from "./write_files.ts";
import { socketAddress, socketText } from "./server/socket_address.ts";
import { SocketChannel } from "./server/socket_channel.ts";
import type { Transport } from "./server/transport.ts";

/** The rules of {@linkcode ServingOptions}. */
export const SERVE_RULES: OptionRules<ServingOptions & { policies?: unknown }> = {
  timeout: typed("a number of milliseconds", "number"),
  live: yesOrNo,
  policies: anything,
  listen: typed("an address such as tcp:127.0.0.1:0", "string"),
  connect: typed("an address such as tcp:127.0.0.1:4000", "string"),
  keyFile: typed("the path of a file", "string"),
  runsOn: oneOf(...Object.keys(TARGETS)),
  onError: typed("a function that takes an error", "function"),
  log: typed("a function that takes a text", "function"),
};

let serving = false;

/** The options with the layers and the policies, which each interface declares with its own commands. */
type Served<Kind> = ServingOptions & {
  readonly layers: readonly Kind[];
  readonly [PULSE]?: Pulse;
  readonly policies?: ForeignThreadPolicy | { readonly [name: string]: ServePolicy | undefined };
};

/** Serves layers of an interface, with options that were checked by {@linkcode SERVE_RULES}. */
export async function serve<Kind extends { readonly name: string }>(
  kind: LayerKind<Kind>,
  options: Served<Kind>,
): Promise<ServedLayers<Kind>> {
  options.layers.forEach((layer) => kind.requireServable(layer));
  const { timeout = 5000, live = false, onError = console.error, log = () => {} } = options;
  if (!(timeout > 0)) throw new TypeError(`Cannot use timeout ${timeout}: give milliseconds above 0, or Infinity`);
  const policyOf = policiesOf(options), copies = copiesOf(kind, options);
  const patience = patienceOf(timeout);
  if (serving) throw new TypeError("Cannot serve layers twice in one isolate: close the first server, or use a Worker");
  const keys = placeServed(options);
  serving = true;
  const layers = new LayerPlaces([{ typescript: options.layers, native: [] }]);
  let folder: TemporaryFolder | undefined, session: Session<Kind> | undefined;
  const end = async () => {
    await session?.close();
    folder?.[Symbol.dispose]();
    serving = false;
  };
  try {
    const open = () => openTransport(options, keys, patience);
    const { [PULSE]: pulse } = options;
    session = new Session({ kind, layers, live, policyOf, copies, open, onError, log, pulse });
    folder = temporaryFolder("layers");
    if (options.listen === undefined) requireExecutable(folder.path); // others may take the library elsewhere
    await kind.writeFiles(folder.path, { processor: session.channel.processor, place: session.channel.place });
  } catch (error) {
    await end();
    throw error;
  }
  return Object.assign(serverOf(session, folder.path, end), controlsOf(kind, { session, layers, live }));
}

/**
 * Puts this isolate's memory where programs at a socket expect it, which is to
 * happen before anything uses it. Returns the keys. A second call does nothing.
 */
export function placeServed({ listen, keyFile, runsOn }: ServingOptions): LayerKeys {
  if (keyFile !== undefined && listen === undefined) {
    throw new TypeError(
      'Cannot use "keyFile" without "listen": programs that share memory with this process need no keys',
    );
  }
  if (keyFile === undefined) {
    if (listen !== undefined && runsOn === "aarch64-android") placeArenaFor39Bits();
    return newKeys();
  }
  const keys = keysIn(keyFile);
  placeArenaAt(arenaWith(keys));
  return keys;
}

function policiesOf<Kind>({ policies = "block" }: Served<Kind>): (command: string) => ForeignThreadPolicy {
  const known = ["block", "record", "skip"];
  const plain = (policy: ServePolicy = "block") => typeof policy === "object" ? "record" : policy;
  for (const policy of typeof policies === "string" ? [policies] : Object.values(policies).map(plain)) {
    if (!known.includes(policy)) throw new TypeError(`Cannot use policy "${policy}": give ${known.join(", ")}`);
  }
  return (command) => typeof policies === "string" ? policies : plain(policies[command]);
}

function copiesOf<Kind extends { readonly name: string }>(
  kind: LayerKind<Kind>,
  { policies, runsOn }: Served<Kind>,
): ReadonlyMap<string, readonly CopyStep[]> {
  if (typeof policies !== "object") return new Map();
  return new Map(
    Object.entries(policies).flatMap(([name, policy]) => {
      if (typeof policy !== "object") return [];
      const { record } = policy, isList = Array.isArray(record) && record.every((path) => typeof path === "string");
      if (!isList) throw new TypeError(`Cannot record ${name} so: give { record: [names of arguments] }`);
      return [[name, kind.planCopies(name, record, runsOn === undefined ? Deno.build.arch : TARGETS[runsOn])]];
    }),
  );
}

function openTransport(
  { listen, connect, runsOn = "x86_64-linux", log = () => {} }: ServingOptions,
  keys: LayerKeys,
  patience: number,
): Transport {
  if (listen === undefined) return new Channel(patience);
  return new SocketChannel({
    address: socketAddress(listen),
    connect: connect === undefined ? undefined : socketAddress(connect),
    processor: TARGETS[runsOn],
    isAndroid: runsOn === "aarch64-android",
    patience,
    keys,
    log,
  });
}

function serverOf<Kind extends { readonly name: string }>(
  session: Session<Kind>,
  folder: string,
  end: () => Promise<void>,
): Omit<ServedLayers<Kind>, "attach" | "detach" | "replace"> {
  const { socket } = session.channel.place;
  let ended: Promise<void> | undefined;
  const close = () => ended ??= end();
  return {
    folder,
    address: socket && socketText(socket.address),
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
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The layers and programs that a change concerns. */
interface Changed<Kind extends { readonly name: string }> {
  readonly session: Session<Kind>;
  readonly layers: LayerPlaces<Kind>;
  readonly live: boolean;
}

/** Changes of the layers: they hold from the next call on. */
function controlsOf<Kind extends { readonly name: string }>(
  kind: LayerKind<Kind>,
  { session, layers, live }: Changed<Kind>,
): Pick<ServedLayers<Kind>, "attach" | "detach" | "replace"> {
  const known = new Set(layers.all.flatMap((layer) => kind.hookedBy(layer)));
  const check = (layer: Kind) => {
    kind.requireServable(layer);
    const other = live ? undefined : kind.hookedBy(layer).find((command) => !known.has(command));
    if (other) {
      throw new TypeError(
        `Cannot attach ${layer.name}: it hooks ${other}, which no layer hooked at the start; give the server live: true`,
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
