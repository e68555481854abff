import { type Arena, arena } from "../../ffi/arena.ts";

/** The arena seen as elements of each kind. */
interface Views {
  readonly i8: Int8Array;
  readonly u8: Uint8Array;
  readonly i16: Int16Array;
  readonly u16: Uint16Array;
  readonly i32: Int32Array;
  readonly u32: Uint32Array;
  readonly f32: Float32Array;
  readonly f64: Float64Array;
  readonly i64: BigInt64Array;
  readonly u64: BigUint64Array;
}

/** A view of the arena whose elements are numbers. */
export type NumberView = Exclude<Views[keyof Views], BigInt64Array | BigUint64Array>;
/** Any view of the arena. */
export type View = Views[keyof Views];

const KINDS: Readonly<Record<string, keyof Views>> = {
  e: "u32",
  u: "u32",
  x: "u32",
  i: "i32",
  b: "u8",
  B: "u32",
  y: "i8",
  Y: "u8",
  h: "i16",
  H: "u16",
  f: "f32",
  d: "f64",
  c: "u8",
  v: "u8",
  l: "i64",
};

let views: Views | undefined;

/** The arena as elements of a code of the command tables; persistent, so that nothing is made for a call. */
export function viewOf(code: string): View {
  return (views ??= viewsOf(arena()))[KINDS[code] ?? "u64"];
}

function viewsOf({ view: { buffer } }: Arena): Views {
  return {
    i8: new Int8Array(buffer),
    u8: new Uint8Array(buffer),
    i16: new Int16Array(buffer),
    u16: new Uint16Array(buffer),
    i32: new Int32Array(buffer),
    u32: new Uint32Array(buffer),
    f32: new Float32Array(buffer),
    f64: new Float64Array(buffer),
    i64: new BigInt64Array(buffer),
    u64: new BigUint64Array(buffer),
  };
}

/** Whether elements of this code are bigints. */
export function isWide(code: string): boolean {
  return code.length > 1 || "lLzSP".includes(code);
}
