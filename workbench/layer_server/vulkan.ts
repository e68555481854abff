import { defaultFailure } from "../../ffi/thunk/thunk.ts";
import { commandSignature } from "../../loader/command/plan.ts";
import { findCommand } from "../../loader/command/registry/table.ts";
import type { RawCommands } from "../../loader/gen/raw_commands_gen.ts";
import type { Layer } from "../../loader/layer.ts";
import { TIMED, type TimedLayer } from "../../loader/layers/shipped/profile/counters.ts";
import { hookedBy, hookOf } from "../../loader/layers/hooks/hooks.ts";
import { numberedCommands } from "./commands.ts";
import { HookChain } from "./server/hook_chain.ts";
import { planCopies } from "./server/copies.ts";
import type { LayerKind } from "./server/layer_kind.ts";
import { writeLayerFiles } from "./write_files.ts";

/** The layers of Vulkan. */
export const VULKAN: LayerKind<Layer> = {
  names: numberedCommands,
  always: ["vkCreateInstance", "vkDestroyInstance", "vkCreateDevice", "vkDestroyDevice"],
  requireServable,
  hookedBy: (layer) => hookedBy(layer).map(({ name }) => name),
  wantedBy,
  signatureOf,
  failureOf: (name) => defaultFailure(signatureOf(name)[0]),
  listener: (layer, name) =>
    layer.recorded && hookOf(layer, name)
      ? (call) => layer.recorded!({ ...call, command: name as keyof RawCommands })
      : undefined,
  timer: (layer: Layer & TimedLayer) => layer[TIMED],
  planCopies(name, paths, processor) {
    const command = findCommand(name);
    if (!command) throw new TypeError(`Cannot record ${name}: the registry has no such command`);
    return planCopies(command, paths, processor);
  },
  hooks: (spec) => new HookChain(spec),
  writeFiles: writeLayerFiles,
};

function signatureOf(name: string): string {
  return commandSignature(findCommand(name)!, "raw");
}

/** The names of the commands that a layer hooks in programs. */
function wantedBy(layer: Layer): string[] {
  const names = hookedBy(layer).map(({ name }) => name).filter((name) => isHeard(layer, name));
  return hookOf(layer, "vkCreateInstance") ? [...names, "vkCreateInstance"] : names;
}

/**
 * Whether a layer wants a program's calls of a command. Every thread of a program is a foreign thread, so that "skip"
 * holds only where the layer states that policy.
 */
function isHeard({ onForeignThread }: Layer, name: string): boolean {
  const policy = typeof onForeignThread === "object"
    ? onForeignThread[name as keyof typeof onForeignThread]
    : onForeignThread;
  return policy !== "skip";
}

function requireServable({ name, instanceExtensions, deviceExtensions, newCommands }: Layer): void {
  if ([instanceExtensions, deviceExtensions, Object.keys(newCommands ?? {})].some((each) => each?.length)) {
    throw new TypeError(`Cannot serve ${name}: it adds extensions or commands, which only loadVulkan() can do`);
  }
}
