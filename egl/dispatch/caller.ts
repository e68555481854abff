import { bindByAddress, type NativeFunction } from "../../ffi/stubs.ts";

/** Floating-point arguments that travel in registers. */
const MOST_FLOATS = 8;
const FOREIGN: Readonly<Record<string, Deno.NativeType>> = { q: "u64", w: "u32", s: "i32", f: "f32", d: "f64" };

/**
 * A function that calls any address with a signature; the address is the last
 * argument. glDrawVkImageNV, the one command with more floating-point
 * parameters than registers, goes through `Deno.UnsafeFnPointer`, slowly.
 */
export function callerOf(signature: string): NativeFunction {
  return hasManyFloats(signature) ? slowCaller(signature) : bindByAddress(signature);
}

/** Whether a signature has more floating-point parameters than the processor has registers for them. */
export function hasManyFloats(signature: string): boolean {
  return signature.slice(2).replace(/[^fd]/g, "").length > MOST_FLOATS;
}

function slowCaller(signature: string): NativeFunction {
  const parameters = Array.from(signature.slice(2), (letter) => FOREIGN[letter]);
  return (...args) => {
    const pointer = Deno.UnsafePointer.create<never>(args.at(-1))!;
    return new Deno.UnsafeFnPointer(pointer, { parameters, result: "void" }).call(...args.slice(0, -1) as number[]);
  };
}
