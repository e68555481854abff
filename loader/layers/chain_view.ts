import { peek64 } from "../../ffi/machine.ts";
import type { NativeCall } from "../command/compile.ts";
import { type Command, findCommand } from "../command/table.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";
import type { Layer } from "../layer.ts";
import { compose } from "./compose.ts";
import { goneWatch } from "./guard/gone.ts";
import { madeWatch } from "./guard/made.ts";
import { passedCheck } from "./guard/passed.ts";

/** TypeScript layers that stand together before the commands of one instance or device. */
export interface ChainView {
  /** The layers in force, top to bottom; another array when they change. */
  layers(): readonly Layer[];
  /** What lies below all of them for a command, in raw form. */
  bottom(command: Command): NativeCall;
}

/** By dispatch key, which is the address of the dispatch table. */
const views = new Map<bigint, ChainView[]>();

/** Lets layers find their way by the dispatch key of an instance or device; the result forgets it again. */
export function openView(key: bigint, view: ChainView): () => void {
  const known = views.get(key) ?? [];
  views.set(key, [...known, view]);
  return () => {
    const left = views.get(key)!.filter((each) => each !== view);
    if (left.length > 0) views.set(key, left);
    else views.delete(key);
  };
}

/** Whether there is an instance or device with that dispatch key. */
export function isKey(key: bigint): boolean {
  return views.has(key);
}

/** The commands below a layer for the instance or device of a dispatchable handle. Throws a `TypeError` when the layer is not in its chain. */
export function commandsBelow(layer: Layer, handle: bigint): RawCommands {
  const view = views.get(peek64(handle))?.find((each) => each.layers().includes(layer));
  if (view) return new Proxy({}, { get: (_, name) => below(view, layer, name) }) as RawCommands;
  throw new TypeError(
    `Cannot call below ${layer.name}: it is not in the chain of 0x${
      handle.toString(16)
    }; give a handle that a hook got`,
  );
}

function below(view: ChainView, layer: Layer, name: string | symbol): NativeCall | undefined {
  const command = typeof name === "string" ? findCommand(name) : undefined, layers = view.layers();
  if (!command) return undefined;
  const rest = layers.slice(layers.indexOf(layer) + 1);
  const call = compose(rest, command, view.bottom(command)), check = passedCheck(layer, command);
  const watch = layer.ownHandles ? undefined : madeWatch(layer, command) ?? goneWatch(layer, command);
  return (...args) => {
    check(args);
    watch?.before?.(args);
    const result = call(...args);
    watch?.after?.(args, result);
    return result;
  };
}
