import type { NativeFunction } from "../image/image.ts";
import { parseSignature } from "../signature.ts";
import { portableFunction } from "./call.ts";
import { PORTABLE } from "./machine.ts";

/** {@linkcode bindByTable} without emitted code. */
export function portableByTable(signature: string): NativeFunction {
  const count = parseSignature(signature).parameters.length;
  return (...args) => {
    const table: bigint = PORTABLE.peek64(args[0]);
    const address: bigint = PORTABLE.peek64(table + BigInt(args[count] >>> 0));
    return portableFunction(address, signature)(...args.slice(0, count));
  };
}

/** {@linkcode bindByAddress} without emitted code. */
export function portableByAddress(signature: string): NativeFunction {
  const count = parseSignature(signature).parameters.length;
  return (...args) => portableFunction(args[count], signature)(...args.slice(0, count));
}
