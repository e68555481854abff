import { readCString } from "../../../ffi/cstring.ts";
import type { NativeCall } from "../../command/compile.ts";
import { findExtension } from "../../command/registry/extension.ts";
import { type Command, findCommand } from "../../command/registry/table.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../../gen/command_table_gen.js";
import type { AnyHook, ForeignThreadPolicy, Hook, Layer } from "../../layer.ts";
import { blaming } from "../guard/blame.ts";
import { forgettingLink, makesWhatGoes } from "../guard/watch.ts";
import { guardedLink } from "../guard/link.ts";
import { policyOf } from "./foreign_calls.ts";

/** The policies by strength. If several layers hook a command, the strongest counts. */
const POLICIES: readonly ForeignThreadPolicy[] = ["skip", "record", "block"];

/** Returns a layer's hook for a command, if there is one. */
export function hookOf(layer: Layer, command: string): AnyHook | undefined {
  const own = layer.commands?.[command as keyof typeof layer.commands] as AnyHook | undefined;
  return own ?? blaming(layer.name, `anyCommand("${command}")`, () => layer.anyCommand?.(command));
}

/**
 * Puts the hooks of all layers before `last`, top layer first. Returns `last`
 * itself if no layer hooks the command, so that the command costs nothing.
 */
export function compose(layers: readonly Layer[], command: Command, last: NativeCall): NativeCall {
  return layers.reduceRight<NativeCall>((next, layer) => {
    const hook = hookOf(layer, command.name);
    return hook ? guardedLink(layer, hook, next, command) : forgettingLink(layer, command, next);
  }, last);
}

/** Whether {@linkcode compose} certainly adds nothing to a command, found out without composing and without asking. */
export function passesBy(layer: Layer, command: Command): boolean {
  return !layer.anyCommand && !Object.hasOwn(layer.commands ?? {}, command.name) && !makesWhatGoes(layer, command);
}

/** Machine code answers these commands for native callers from the dispatch tables, so that no hook can run. */
const ANSWERED: ReadonlySet<string> = new Set(["vkGetInstanceProcAddr", "vkGetDeviceProcAddr"]);

const known = new WeakMap<Layer, readonly Command[]>();

/** Returns the instance-level and device-level commands with hooks of a layer that native callers can reach. */
export function hookedBy(layer: Layer): readonly Command[] {
  let commands = known.get(layer);
  if (!commands) known.set(layer, commands = commandsOf(layer));
  return commands;
}

/** Without `anyCommand`, the layer's own list is complete. With it, every command must be asked for. */
function commandsOf(layer: Layer): Command[] {
  const names = layer.anyCommand ? `${INSTANCE_NAMES} ${DEVICE_NAMES}`.split(" ") : Object.keys(layer.commands ?? {});
  return names.filter((name) => !ANSWERED.has(name) && hookOf(layer, name)).map((name) => findCommand(name)!)
    .filter(({ level }) => level !== "global");
}

/** Returns the names of the commands that layers hide from native code above them. */
export function hiddenBy(layers: readonly Layer[]): string[] {
  return layers.flatMap(({ hides = [] }) => hides);
}

/** Makes the hooks that hide commands from scripts above a layer, too. */
export function hidingHooks(names: readonly string[]): NonNullable<Layer["commands"]> {
  const answer = hidingHook(() => names);
  return { vkGetInstanceProcAddr: answer, vkGetDeviceProcAddr: answer };
}

/**
 * Makes the hook of vkGetInstanceProcAddr and vkGetDeviceProcAddr that returns
 * no address for these commands. The names are read at each call.
 */
export function hidingHook(names: () => readonly string[]): Hook<"vkGetDeviceProcAddr"> {
  return (next, handle, name) => name !== 0n && names().includes(readCString(name)) ? 0n : next(handle, name);
}

/** Whether a layer provides a command: the layer hooks the command, and one of its extensions has the command. */
export function isBrought(layers: readonly Layer[], { name }: Command): boolean {
  return layers.some((layer) => {
    const extensions = [...layer.instanceExtensions ?? [], ...layer.deviceExtensions ?? []];
    return extensions.some(({ extensionName }) => findExtension(extensionName)?.commands.includes(name)) &&
      hookOf(layer, name) !== undefined;
  });
}

/** Returns the policy for calls of a command on other threads if several of these layers hook it. */
export function jointPolicy(layers: readonly Layer[], command: string): ForeignThreadPolicy {
  const asking = layers.filter((layer) => hookedBy(layer).some(({ name }) => name === command));
  return POLICIES[Math.max(0, ...asking.map((layer) => POLICIES.indexOf(policyOf(layer, command))))];
}
