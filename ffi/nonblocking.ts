import { foreignParameters, foreignResult, parseSignature } from "./signature.ts";

/** A native function that runs on another thread while the event loop goes on. */
export type NonblockingFunction = (...args: (number | bigint)[]) => Promise<number | bigint | undefined>;

/**
 * The function at an address, called on a thread of Deno's: for functions that
 * may wait for something this thread does. There are 32 such threads in all, so
 * call one function of a library at a time. Throws a `TypeError` for a signature
 * with `o`: memory that is used meanwhile must not be the arena's.
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
