/**
 * A layer with one fault: it changes one call. The variable `PLANT` says which
 * call of which command, and how.
 *
 * @module
 */
import { defineLayer } from "../../../../../loader/mod.ts";
import type { Layer } from "../../../../../loader/layer.ts";
import { poke32, poke64 } from "../../../../../ffi/machine.ts";

// deno-lint-ignore no-explicit-any -- the arguments depend on the command
type Args = any[];
/** The `this` of a layer's hook. */
// deno-lint-ignore no-explicit-any -- likewise
type Hook = any;

/** A fault. */
export interface Plant {
  /** The command. */
  readonly command: string;
  /** The number of the call among those since the instance was made, from 0. */
  readonly nth: number;
  /** The change: see {@linkcode CHANGES}. */
  readonly change: string;
  /** The argument's index, for "add". */
  readonly at?: number;
  /** The number to add. */
  readonly by?: number;
  /** A struct's name and members to change, for "struct". */
  readonly struct?: string;
  readonly members?: Record<string, unknown>;
}

const TRANSFER_DST = 2;
const add = (value: number | bigint, by: number) => typeof value === "bigint" ? value + BigInt(by) : value + by;

/** The changes of a call. Each returns whether the call is made. */
const CHANGES: Readonly<Record<string, (self: Hook, args: Args, plant: Plant) => boolean>> = {
  drop: () => false,
  add(_self, args, { at = 0, by = 1 }) {
    args[at] = add(args[at], by);
    return true;
  },
  /** Adds to a 32-bit word at an address. */
  word(self, args, { at = 0, by = 1 }) {
    poke32(args[at], self.u32(args[at]) + by >>> 0);
    return true;
  },
  /** Adds to a 64-bit word at an address. */
  long(self, args, { at = 0, by = 1 }) {
    poke64(args[at], self.u64(args[at]) + BigInt(by));
    return true;
  },
  /** Changes members of a struct, by their paths. */
  struct(self, args, { at = 0, struct, members = {} }) {
    const value = self.read(struct, args[at]);
    for (const [path, wanted] of Object.entries(members)) {
      const names = path.split("."), last = names.pop()!;
      names.reduce((inner, name) => inner[name], value)[last] = typeof wanted === "string" ? BigInt(wanted) : wanted;
    }
    args[at] = self.write(struct, value);
    return true;
  },
};

/** Returns a layer with a fault. */
export function planted(plant: Plant): Layer {
  const readers = new Set<bigint>();
  let count = 0;
  return defineLayer({
    name: "VK_LAYER_TEST_planted",
    commands: {
      vkCreateInstance(next: (...args: Args) => number, ...args: Args) {
        count = 0;
        return next(...args);
      },
      /** Contents are read through buffers that nothing else can be done with. */
      vkCreateBuffer(this: Hook, next: (...args: Args) => number, ...args: Args) {
        const result = next(...args), isReader = this.read("VkBufferCreateInfo", args[1]).usage === TRANSFER_DST;
        if (isReader) readers.add(this.u64(args[3]));
        else readers.delete(this.u64(args[3]));
        return result;
      },
      [plant.command](this: Hook, next: (...args: Args) => unknown, ...args: Args) {
        if (args.some((each) => readers.has(each))) return next(...args);
        const isHere = count++ === plant.nth;
        return isHere && !CHANGES[plant.change](this, args, plant) ? undefined : next(...args);
      },
    } as Layer["commands"],
  });
}

const told = Deno.env.get("PLANT");
export default told === undefined ? undefined : planted(JSON.parse(told));
