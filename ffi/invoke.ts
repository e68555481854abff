import { arenaMemory } from "./arena_memory.ts";
import { LASTING, NativeBlock } from "./block.ts";
import { INTEGER_REGISTERS, INVOKE } from "./emit/layout.ts";
import { coreImage } from "./image/core.ts";
import type { NativeFunction } from "./image/image.ts";
import { libcAddress } from "./libc.ts";
import { portableFunction } from "./portable.ts";
import { parseSignature, type Signature } from "./signature.ts";
import { bindByAddress } from "./stubs.ts";

/** The invoker and the block with its arguments. */
interface Invoker {
  readonly call: NativeFunction;
  readonly view: DataView;
  readonly address: bigint;
}

let invoker: Invoker | undefined;

/**
 * Calls any address with any signature, without compiling a function. Meant for
 * addresses that are called once or twice, where {@linkcode bindByAddress}
 * would take longer to bind. Arguments and result are as there, without the
 * address. Calling 0n ends the process.
 *
 * @example
 * ```ts
 * import { createThunk, invokeAddress } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * using add = createThunk("w:ww", (one, other) => Number(one) + Number(other));
 * assertEquals(invokeAddress(add.address, "w:ww", [1, 2]), 3);
 * ```
 */
export function invokeAddress(
  address: bigint,
  signature: string,
  args: readonly (number | bigint)[],
): number | bigint | undefined {
  if (!coreImage()) return portableFunction(address, requireCount(signature, args).text)(...args);
  const shape = requireCount(signature, args), { call, view, address: block } = invoker ??= makeInvoker();
  placeCall(view, address, shape, args);
  call(block);
  return readResult(view, shape.result);
}

function makeInvoker(): Invoker {
  const { address, view } = new NativeBlock(INVOKE.size, LASTING);
  return { call: coreImage()!.image.bind("invoke", "v:q"), view, address };
}

/** Returns the parsed signature. Throws a `TypeError` if the number of arguments differs. */
function requireCount(signature: string, args: readonly unknown[]): Signature {
  const shape = parseSignature(signature);
  if (args.length === shape.parameters.length) return shape;
  throw new TypeError(`Cannot call "${signature}": found ${args.length} arguments; give ${shape.parameters.length}`);
}

/**
 * Writes a call to a block laid out as {@linkcode INVOKE}. Arguments that do
 * not fit in registers of the processor go to the stack, in order.
 */
export function placeCall(
  view: DataView,
  address: bigint,
  shape: Signature,
  args: readonly (number | bigint)[],
  processor: string = Deno.build.arch,
): void {
  const registers = INTEGER_REGISTERS[processor];
  view.setBigUint64(INVOKE.target, address, true);
  let integers = 0, floats = 0, stacked = 0;
  for (let index = 0; index < args.length; index++) {
    const letter = shape.parameters[index];
    const isFloat = letter === "f" || letter === "d";
    let at: number;
    if (isFloat && floats < 8) at = INVOKE.floats + 8 * floats++;
    else if (!isFloat && integers < registers) at = INVOKE.integers + 8 * integers++;
    else at = INVOKE.stack + 8 * stacked++;
    placeArgument(view, at, letter, args[index]);
  }
  view.setBigUint64(INVOKE.stackCount, BigInt(stacked + (stacked & 1)), true);
}

function placeArgument(view: DataView, at: number, letter: string, value: number | bigint): void {
  if (letter === "f") view.setFloat32(at, value as number, true);
  else if (letter === "d") view.setFloat64(at, value as number, true);
  else if (letter === "q") view.setBigUint64(at, value as bigint, true);
  else if (letter === "s") view.setBigInt64(at, BigInt(value as number | 0), true);
  else if (letter === "o" && value !== 0) view.setBigUint64(at, arenaMemory().base + BigInt(value), true);
  else view.setBigUint64(at, BigInt(Number(value) >>> 0), true);
}

/** Returns the result of the call. */
export function readResult(view: DataView, letter: string): number | bigint | undefined {
  switch (letter) {
    case "q":
      return view.getBigUint64(INVOKE.result, true);
    case "w":
      return view.getUint32(INVOKE.result, true);
    case "s":
      return view.getInt32(INVOKE.result, true);
    case "f":
      return view.getFloat32(INVOKE.floatResult, true);
    case "d":
      return view.getFloat64(INVOKE.floatResult, true);
  }
}

const addresses = new Map<string, bigint>();

/** The address of a function of the C library, looked up once. */
export function addressOf(name: string): bigint {
  let address = addresses.get(name);
  if (address === undefined) addresses.set(name, address = libcAddress(name));
  return address;
}

/**
 * Calls a function of the C library by name, as {@linkcode bindByAddress} does; for those that return an int. A spread
 * call of a native function takes 0.4 µs longer than one with its arguments written out.
 */
export function callLibc(name: string, signature: string, ...args: (number | bigint)[]): number {
  const call = bindByAddress(signature), at = addressOf(name), [a, b, c, d] = args;
  switch (args.length) {
    case 1:
      return call(a, at) as number;
    case 2:
      return call(a, b, at) as number;
    case 3:
      return call(a, b, c, at) as number;
    case 4:
      return call(a, b, c, d, at) as number;
  }
  return call(...args, at) as number;
}
