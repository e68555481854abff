import { arena } from "../../../ffi/arena.ts";
import { codec, type StructObject } from "../../codec/codec.ts";
import { DISPATCHABLE } from "../../command/registry/kind.ts";
import type { HandleName } from "../../gen/names_gen.ts";
import type { Layer } from "../../layer.ts";
import { commandsBelow } from "../hooks/below.ts";
import type { LayerContext, LayerStates, StateTypes } from "./definition.ts";
import type { ObjectStates } from "./object_states.ts";
import { READERS } from "./reading.ts";

/** Makes the `this` of a layer's hooks. */
export function contextOf(layer: () => Layer, states: LayerStates<StateTypes>): LayerContext<StateTypes> {
  const context = {
    state: states,
    below: (handle: bigint) => commandsBelow(layer(), handle),
    ...READERS,
    write: (name: string, value: StructObject) => writeAll(name, [value]),
    writeAll,
  };
  return context as unknown as LayerContext<StateTypes>;
}

/** Makes the functions by handle type that return state. */
export function stateAccess(states: ObjectStates, makers: object): LayerStates<StateTypes> {
  const access = Object.keys(makers).map((type) => {
    const isKnown = DISPATCHABLE.has(type), name = type as HandleName;
    return [type, (owner: bigint, handle: bigint) => states.get(name, owner, isKnown ? owner : handle)];
  });
  return Object.fromEntries(access);
}

function writeAll(name: string, values: readonly StructObject[]): bigint {
  const { size, encode } = codec(name), memory = arena(), at = memory.alloc(size * values.length || 1);
  values.forEach((value, index) => encode(value, at + size * index));
  return memory.address(at);
}
