import { arena, inFrame } from "../../../ffi/arena.ts";
import { type OpenLibrary, openLibrary } from "../../../ffi/library/library.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { createThunk } from "../../../ffi/thunk/thunk.ts";
import type { Finding } from "../../driver/report/finding.ts";
import { surfaceFault } from "../../chain/failed_creation.ts";
import { type ManifestLayer, refusedLayer } from "./declared/manifest.ts";

/** VkChainHeader of `vk_layer.h`, and what follows it, with which a layer calls the next: its size and the offsets of its members. */
const CHAIN = { size: 32, type: 0, version: 4, sizeMember: 8, next: 16, link: 24 } as const;
/** VkChainType values, and the arguments of each command. */
const COMMANDS = {
  vkEnumerateInstanceExtensionProperties: { type: 1, parameters: "qqq" },
  vkEnumerateInstanceLayerProperties: { type: 2, parameters: "qq" },
  vkEnumerateInstanceVersion: { type: 3, parameters: "q" },
} as const;

/** The commands without an instance in which implicit layers may take part. */
export type PreInstanceCommand = keyof typeof COMMANDS;

/** A layer's function for a command, in a library that is open during a call. */
interface Hook {
  readonly address: bigint;
  readonly library: OpenLibrary;
}

/**
 * Calls a command through the functions that implicit layers have for it. The
 * layer found last is called first. `last` is the loader's own answer. The
 * libraries are open during the call. A library that cannot be opened is left
 * out and reported.
 */
export function callPreInstance(
  command: PreInstanceCommand,
  layers: readonly ManifestLayer[],
  args: readonly bigint[],
  last: (...args: bigint[]) => number,
  { quiet, report }: { quiet: boolean; report(findings: readonly Finding[]): void },
): number {
  const refuse = (layer: ManifestLayer, reason: string) => report([refusedLayer(layer, reason, "warning")]);
  const hooks = layers.flatMap((layer) => hookOf(layer, command, quiet, refuse));
  if (hooks.length === 0) return last(...args);
  try {
    return callHooks(command, hooks, args, last);
  } finally {
    hooks.forEach(({ library }) => library.close());
    surfaceFault(0, 0n);
  }
}

function callHooks(
  command: PreInstanceCommand,
  hooks: readonly Hook[],
  args: readonly bigint[],
  last: (...args: bigint[]) => number,
): number {
  const signature = `s:q${COMMANDS[command].parameters}`;
  const bottom = createThunk(signature, (_chain, ...rest) => last(...rest as bigint[]));
  try {
    return inFrame(() => {
      const last: Call = { address: bottom.address, link: 0n };
      const first = hooks.reduce((below, { address }) => linkAbove(below, address, command), last);
      return invokeAddress(first.address, signature, [first.link, ...args]) as number;
    });
  } finally {
    bottom.free();
  }
}

/** A function and its first argument. */
interface Call {
  readonly address: bigint;
  readonly link: bigint;
}

function linkAbove(below: Call, address: bigint, command: PreInstanceCommand): Call {
  const memory = arena(), { view } = memory, at = memory.alloc(CHAIN.size);
  view.setUint32(at + CHAIN.type, COMMANDS[command].type, true);
  view.setUint32(at + CHAIN.version, 1, true);
  view.setUint32(at + CHAIN.sizeMember, CHAIN.size, true);
  view.setBigUint64(at + CHAIN.next, below.address, true);
  view.setBigUint64(at + CHAIN.link, below.link, true);
  return { address, link: memory.address(at) };
}

function hookOf(
  layer: ManifestLayer,
  command: PreInstanceCommand,
  quiet: boolean,
  refuse: (layer: ManifestLayer, reason: string) => void,
): Hook[] {
  const symbol = layer.preInstance.get(command);
  if (symbol === undefined) return [];
  try {
    const library = openLibrary(layer.library, quiet), address = library.find(symbol);
    if (address !== 0n) return [{ address, library }];
    library.close();
    refuse(layer, `its library does not export ${symbol}, which its manifest names for ${command}`);
  } catch (error) {
    refuse(layer, (error as Error).message);
  }
  return [];
}
