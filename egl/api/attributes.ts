import { arena, inFrame } from "../../ffi/arena.ts";
import { peek32, peek64 } from "../../ffi/machine.ts";
import { EGL_NONE } from "../gen/egl_constants_gen.js";

/** Lists longer than this have no end. */
const MOST = 4096;

/** A name and its value. */
export type Pair = readonly [name: number, value: bigint];

/** The pairs of an attribute list in native memory, with signed values; `wide` for EGLAttrib, else EGLint. Empty for NULL. */
export function readAttributes(address: bigint, wide: boolean): Pair[] {
  const pairs: Pair[] = [], step = wide ? 8n : 4n;
  if (address === 0n) return pairs;
  for (let at = address; pairs.length < MOST; at += 2n * step) {
    const name = peek32(at) | 0;
    if (name === EGL_NONE) break;
    pairs.push([name, wide ? BigInt.asIntN(64, peek64(at + step)) : BigInt(peek32(at + step) | 0)]);
  }
  return pairs;
}

/** Places an attribute list in the arena; returns its address. The caller releases. */
export function placePairs(pairs: readonly Pair[], wide: boolean): bigint {
  const memory = arena(), size = wide ? 8 : 4, offset = memory.alloc((2 * pairs.length + 1) * size);
  let at = offset;
  const put = (value: bigint) => {
    if (wide) memory.view.setBigInt64(at, BigInt.asIntN(64, value), true);
    else memory.view.setInt32(at, Number(BigInt.asIntN(32, value)), true);
    at += size;
  };
  for (const [name, value] of pairs) {
    put(BigInt(name));
    put(value);
  }
  put(BigInt(EGL_NONE));
  return memory.address(offset);
}

/** Does something with an attribute list whose values have another width; NULL stays NULL. */
export function withWidth<T>(address: bigint, from: "wide" | "narrow", work: (list: bigint) => T): T {
  if (address === 0n) return work(0n);
  return inFrame(() => work(placePairs(readAttributes(address, from === "wide"), from !== "wide")));
}
