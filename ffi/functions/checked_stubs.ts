import { TABLE_SETS, type TableSet } from "../emit/layout.ts";
import { coreImage } from "../image/core.ts";
import type { NativeFunction } from "../image/image.ts";
import { bindByTable } from "../stubs.ts";
import { parseSignature } from "../signature.ts";
import { peek64 } from "../machine.ts";
import { forgetLast, isTable } from "./table_sets.ts";
import { createThunk, type Thunk } from "../thunk/thunk.ts";

/** Called with a first argument that is not a handle, and with the command that was to be called. */
export type Refusal = (argument: bigint, set: TableSet, tableOffset: number) => void;

const checked = new Map<string, NativeFunction>();
let refusing: Thunk | undefined;

/**
 * Like {@linkcode bindByTable}, but without arena offsets, and with a check of
 * the first argument. If the object does not begin with a table of the kind,
 * the command is not called: `refuse` is called and the result is 0. The
 * `refuse` of the first call serves all stubs.
 */
export function bindChecked(signature: string, set: TableSet, refuse: Refusal): NativeFunction {
  const key = `${set} ${signature}`, known = checked.get(key);
  if (known) return known;
  const bound = bindInCore(signature, set, refuse) ?? bindHere(signature, set, refuse);
  checked.set(key, bound);
  return bound;
}

/** Checks in TypeScript, where machine code cannot be used. */
function bindHere(signature: string, set: TableSet, refuse: Refusal): NativeFunction {
  const call = bindByTable(signature);
  return (...args) => {
    const object: bigint = args[0];
    if (object !== 0n && isTable(set, peek64(object))) return call(...args);
    refuse(object, set, args.at(-1));
    return 0;
  };
}

function bindInCore(signature: string, set: TableSet, refuse: Refusal): NativeFunction | undefined {
  const core = coreImage(), name = `${set}_${parseSignature(signature).shape}`;
  if (!core?.image.has(name)) return;
  if (!refusing) {
    refusing = createThunk("q:qww", (argument: bigint, offset: number, place: number) => {
      refuse(argument, place === TABLE_SETS.instance ? "instance" : "device", offset);
      return 0n;
    });
    core.image.data.setBigUint64(core.slots.sets, core.tablesAddress, true);
    core.image.data.setBigUint64(core.slots.refuse, refusing.address, true);
    for (const level of ["instance", "device"] as const) forgetLast(core, level);
  }
  return core.image.bind(name, signature, "u32");
}
