import { arena } from "../../../../ffi/arena.ts";
import { cstring } from "../../../../ffi/cstring.ts";
import { Library } from "../../../../ffi/library/library.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";

/** A native library whose functions are called by name. */
export class NativeProgram {
  readonly #library: Library;

  /** Opens it. */
  constructor(path: string) {
    this.#library = Library.open(path);
  }

  /** Address of a function or an object. */
  find(name: string): bigint {
    return this.#library.require(name);
  }

  /** Calls a function with a signature, such as `"s:qw"`. Strings are placed in memory as C has them. */
  call(name: string, signature: string, ...args: (number | bigint | string)[]): number | bigint {
    const values = args.map((value) => typeof value === "string" ? arena().place(cstring(value)) : value);
    return invokeAddress(this.find(name), signature, values) as number | bigint;
  }

  /** Calls a function that must return `wanted`; throws what it returned instead, and `why()`. */
  must(
    wanted: number,
    why: () => unknown,
    name: string,
    signature: string,
    ...args: (number | bigint | string)[]
  ): void {
    const result = this.call(name, signature, ...args);
    if (result !== wanted) throw new Error(`${name} returned ${result}: ${why()}`);
  }
}

/** Room for a result of 8 bytes, zeroed: its address, and what is there later. */
export function outcome(): { address: bigint; value(): bigint } {
  const memory = arena(), at = memory.alloc(8);
  memory.view.setBigUint64(at, 0n, true);
  return { address: memory.address(at), value: () => memory.view.getBigUint64(at, true) };
}

/** A struct of these 64-bit words in native memory. */
export function words(...values: bigint[]): bigint {
  return arena().place(new Uint8Array(BigUint64Array.from(values).buffer));
}
