import { declareSignatures, stubHome } from "./image/core.ts";
import type { NativeFunction } from "./image/image.ts";
import { PORTABLE, portableFunction } from "./portable.ts";
import { foreignParameters, foreignResult, parseSignature } from "./signature.ts";

export type { NativeFunction };
export { declareSignatures };

const byTable = new Map<string, NativeFunction>();
const byAddress = new Map<string, NativeFunction>();

/**
 * Returns the function that calls any command of a signature through a dispatch
 * table. Word 0 of the object behind the first argument is the address of the
 * table. The last argument, after those of the signature, is the command's byte
 * offset in the table.
 *
 * There is one function per signature and process, so call sites stay on Deno's
 * fast path whichever command they call. `u32` arguments must be `>>> 0`,
 * offsets lie in the arena, 64-bit arguments are `bigint`. A table entry of 0
 * is not checked: calling it ends the process.
 *
 * @example
 * ```ts
 * import { bindByTable, createThunk, NativeBlock, poke64 } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * using add = createThunk("w:qw", (_, value) => Number(value) + 1);
 * using object = new NativeBlock(32); // word 0 is the table's address; the table follows
 * poke64(object.address, object.address + 8n);
 * poke64(object.address + 16n, add.address);
 * assertEquals(bindByTable("w:qw")(object.address, 4, 8), 5);
 * ```
 */
export function bindByTable(signature: string): NativeFunction {
  const known = byTable.get(signature);
  if (known) return known;
  const home = stubHome(signature, true);
  const bound = home ? home.image.bind(home.name, signature, "u32") : portableByTable(signature);
  byTable.set(signature, bound);
  return bound;
}

/**
 * Returns the function that calls any address with a signature. The address is
 * the last argument, after those of the signature. There is one function per
 * signature and process, as with {@linkcode bindByTable}. Calling 0n ends the
 * process.
 *
 * @example
 * ```ts
 * import { bindByAddress, createThunk } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * using add = createThunk("w:ww", (one, other) => Number(one) + Number(other));
 * assertEquals(bindByAddress("w:ww")(1, 2, add.address), 3);
 * ```
 */
export function bindByAddress(signature: string): NativeFunction {
  const known = byAddress.get(signature);
  if (known) return known;
  const home = stubHome(signature, false);
  const bound = home ? home.image.bind(home.name, signature, "u64") : portableByAddress(signature);
  byAddress.set(signature, bound);
  return bound;
}

/** {@linkcode bindByTable} without emitted code. */
function portableByTable(signature: string): NativeFunction {
  const count = parseSignature(signature).parameters.length;
  return (...args) => {
    const table: bigint = PORTABLE.peek64(args[0]);
    const address: bigint = PORTABLE.peek64(table + BigInt(args[count] >>> 0));
    return portableFunction(address, signature)(...args.slice(0, count));
  };
}

/** {@linkcode bindByAddress} without emitted code. */
function portableByAddress(signature: string): NativeFunction {
  const count = parseSignature(signature).parameters.length;
  return (...args) => portableFunction(args[count], signature)(...args.slice(0, count));
}

/** A native function that runs on another thread while the event loop continues. */
export type NonblockingFunction = (...args: (number | bigint)[]) => Promise<number | bigint | undefined>;

/**
 * Returns the function at an address, called on one of Deno's threads. For
 * functions that may wait for an action of this thread. There are 32 such
 * threads in total, so call only one function of a library at a time. Throws a
 * `TypeError` for a signature with `o`, because the arena must not hold memory
 * that is used meanwhile.
 */
export function bindNonblocking(signature: string, address: bigint): NonblockingFunction {
  const shape = parseSignature(signature);
  if (shape.parameters.includes("o")) {
    throw new TypeError(`Cannot bind "${signature}" nonblocking: the arena is used by others meanwhile; write "q"`);
  }
  const definition = { parameters: foreignParameters(shape), result: foreignResult(shape), nonblocking: true } as const;
  const pointer = Deno.UnsafePointer.create(address) as Deno.PointerObject<typeof definition>;
  const native = new Deno.UnsafeFnPointer(pointer, definition) as unknown as { call: NonblockingFunction };
  return (...args) => native.call(...args);
}
