import { DEVICE_NAMES, INSTANCE_NAMES } from "../../gen/command_table_gen.js";
import { type Command, findCommand } from "../../command/table.ts";
import type { Layer } from "../../layer.ts";
import { hookOf } from "./compose.ts";

/** Native callers get these answered in machine code, from the dispatch tables: a hook could not stand before that. */
const ANSWERED: ReadonlySet<string> = new Set(["vkGetInstanceProcAddr", "vkGetDeviceProcAddr"]);

const known = new WeakMap<Layer, readonly Command[]>();

/** The instance-level and device-level commands a layer has hooks for, as far as they can stand before native callers. */
export function hookedBy(layer: Layer): readonly Command[] {
  let commands = known.get(layer);
  if (!commands) known.set(layer, commands = commandsOf(layer));
  return commands;
}

/** Without `anyCommand` the layer's own list is all there is; with it, every command must be asked about. */
function commandsOf(layer: Layer): Command[] {
  const names = layer.anyCommand ? `${INSTANCE_NAMES} ${DEVICE_NAMES}`.split(" ") : Object.keys(layer.commands ?? {});
  return names.filter((name) => !ANSWERED.has(name) && hookOf(layer, name)).map((name) => findCommand(name)!)
    .filter(({ level }) => level !== "global");
}
