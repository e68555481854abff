import { foreignParameters, foreignResult, parseSignature } from "./signature.ts";

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
