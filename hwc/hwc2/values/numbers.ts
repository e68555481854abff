import { peek32, peek64, poke32, poke64 } from "../../../ffi/machine.ts";

/** A number as a native function takes it: by its letter a `number` or a `bigint`. */
export type Native = number | bigint;

const scratch = new DataView(new ArrayBuffer(8));

/** The `float` at an address. */
export function peekFloat(address: bigint): number {
  scratch.setUint32(0, peek32(address), true);
  return scratch.getFloat32(0, true);
}

/** Stores a `float`. */
export function pokeFloat(address: bigint, value: number): void {
  scratch.setFloat32(0, value, true);
  poke32(address, scratch.getUint32(0, true));
}

/** The `int64_t` at an address. */
export function peekTime(address: bigint): bigint {
  return BigInt.asIntN(64, peek64(address));
}

/** Stores an `int64_t`. */
export function pokeTime(address: bigint, value: bigint): void {
  poke64(address, BigInt.asUintN(64, value));
}

/** Two ints in the one register that a struct of both travels in. */
export function joinInts(low: number, high: number): bigint {
  return BigInt(low >>> 0) | BigInt(high >>> 0) << 32n;
}

/** The two ints of a register. */
export function splitInts(value: bigint): [number, number] {
  return [Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n))];
}

/** Two floats in one vector register, as the `double` of the same bits. */
export function joinFloats(low: number, high: number): number {
  scratch.setFloat32(0, low, true);
  scratch.setFloat32(4, high, true);
  return scratch.getFloat64(0, true);
}

/** The two floats of a vector register. */
export function splitFloats(value: number): [number, number] {
  scratch.setFloat64(0, value, true);
  return [scratch.getFloat32(0, true), scratch.getFloat32(4, true)];
}
