import { arenaMemory } from "../arena_memory.ts";
import type { NativeFunction } from "../image/image.ts";
import { foreignResult, parseSignature, type Signature } from "../signature.ts";

const FUNCTION_POINTER_TYPES: Record<string, Deno.NativeType> = {
  q: "u64",
  w: "u32",
  s: "i32",
  f: "f32",
  d: "f64",
  o: "u64",
};

const bound = new Map<string, NativeFunction>();

/** Returns a function at an address, called through Deno's function pointers. Slow, but needs no emitted code. */
export function portableFunction(address: bigint, text: string): NativeFunction {
  const key = `${address} ${text}`;
  const known = bound.get(key);
  if (known) return known;
  const signature = parseSignature(text);
  const pointer = new Deno.UnsafeFnPointer(Deno.UnsafePointer.create(address)!, {
    parameters: Array.from(signature.parameters, (letter) => FUNCTION_POINTER_TYPES[letter]),
    result: foreignResult(signature),
  });
  const call: NativeFunction = (...args) => pointer.call(...withAddresses(signature, args) as never[]);
  bound.set(key, call);
  return call;
}

function withAddresses(signature: Signature, args: unknown[]): unknown[] {
  if (!signature.parameters.includes("o")) return args;
  return args.map((arg, index) => signature.parameters[index] === "o" ? addressOf(arg as number) : arg);
}

function addressOf(offset: number): bigint {
  return offset === 0 ? 0n : arenaMemory().base + BigInt(offset);
}
