import type { NativeCall } from "../../command/compile.ts";
import { type Command, findCommand } from "../../command/registry/table.ts";
import type { RawCommands } from "../../gen/raw_commands_gen.ts";
import type { Layer } from "../../layer.ts";
import { type ChainView, viewOf } from "./chain_view.ts";
import { compose } from "./hooks.ts";
import { passedCheck } from "../guard/passed.ts";
import { watchOf } from "../guard/watch.ts";

/** The commands below a layer, valid while its view has these layers. */
interface Below {
  readonly layers: readonly Layer[];
  readonly commands: RawCommands;
}

const known = new WeakMap<ChainView, Map<Layer, Below>>();

/**
 * Returns the commands below a layer for the instance or device of a
 * dispatchable handle. Throws a `TypeError` if the layer is not in its chain.
 */
export function commandsBelow(layer: Layer, handle: bigint): RawCommands {
  const view = viewOf(layer, handle);
  if (view) return view.below(layer);
  const found = typeof handle === "bigint" ? `0x${handle.toString(16)}` : String(handle);
  throw new TypeError(
    `Cannot call below ${layer.name}: it is not in the chain of ${found}; give a handle that a hook got`,
  );
}

/** A dispatch table. */
interface Table {
  /** The address below all TypeScript layers for a command. */
  below(slot: number): bigint;
}

/** The view of layers that stand before every command of one instance or device. */
export function viewOfTable(
  table: Table,
  layers: () => readonly Layer[],
  bottom: (command: Command) => NativeCall,
): ChainView {
  const view: ChainView = {
    layers,
    bottom,
    address: ({ slot }) => table.below(slot),
    below: (layer) => belowIn(view, layer),
  };
  return view;
}

/** Returns the commands below a layer of a view. They are kept until the layers of the view change. */
export function belowIn(view: ChainView, layer: Layer): RawCommands {
  let ofView = known.get(view);
  if (!ofView) known.set(view, ofView = new Map());
  let below = ofView.get(layer);
  const layers = view.layers();
  if (below?.layers !== layers) ofView.set(layer, below = { layers, commands: commandsOf(view, layer, layers) });
  return below.commands;
}

/** A command is composed when it is first named, and then kept. */
function commandsOf(view: ChainView, layer: Layer, layers: readonly Layer[]): RawCommands {
  const rest = layers.slice(layers.indexOf(layer) + 1);
  return new Proxy<Record<string, NativeCall>>({}, {
    get(made, name) {
      if (typeof name !== "string" || name in made) return made[name as string];
      const call = checked(view, layer, rest, name);
      if (call) made[name] = call;
      return call;
    },
  }) as unknown as RawCommands;
}

function checked(view: ChainView, layer: Layer, rest: readonly Layer[], name: string): NativeCall | undefined {
  const command = findCommand(name);
  if (!command) return undefined;
  const call = compose(rest, command, view.bottom(command)), check = passedCheck(layer, command);
  const watch = watchOf(layer, command);
  return (...args) => {
    check(args);
    watch?.before?.(args[0], args[watch.place], args[watch.measure]);
    const result = call(...args);
    watch?.after?.(args[0], args[watch.place], args[watch.measure], result);
    return result;
  };
}
