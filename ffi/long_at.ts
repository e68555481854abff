import { arena } from "./arena.ts";
import { peek64 } from "./machine.ts";

/** One address, to be seen in halves. */
const address64 = new BigUint64Array(1), halves = new Uint32Array(address64.buffer);

/** The u64 at an address: no native call is needed for what lies in the arena, where most of a command's outputs do. */
export function longAt(address: bigint): bigint {
  const memory = arena();
  address64[0] = address;
  const at = halves[0] - memory.low;
  if (halves[1] === memory.high && at >= 0 && at + 8 <= memory.size) return memory.view.getBigUint64(at, true);
  return peek64(address);
}

/** The u64 at an index of an array. */
export function longIn(array: bigint, index: number): bigint {
  return longAt(index === 0 ? array : array + BigInt(8 * index));
}
