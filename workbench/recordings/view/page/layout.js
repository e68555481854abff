// The layout of a buffer as a reader types it: `vec3 position; vec2 uv; stride 20;`.

const READS = {
  f32: [4, (view, at) => view.getFloat32(at, true)],
  f64: [8, (view, at) => view.getFloat64(at, true)],
  f16: [2, (view, at) => half(view.getUint16(at, true))],
  i8: [1, (view, at) => view.getInt8(at)],
  u8: [1, (view, at) => view.getUint8(at)],
  i16: [2, (view, at) => view.getInt16(at, true)],
  u16: [2, (view, at) => view.getUint16(at, true)],
  i32: [4, (view, at) => view.getInt32(at, true)],
  u32: [4, (view, at) => view.getUint32(at, true)],
  i64: [8, (view, at) => view.getBigInt64(at, true)],
  u64: [8, (view, at) => view.getBigUint64(at, true)],
  n8: [1, (view, at) => view.getUint8(at) / 255],
  s8: [1, (view, at) => Math.max(-1, view.getInt8(at) / 127)],
  n16: [2, (view, at) => view.getUint16(at, true) / 65535],
  s16: [2, (view, at) => Math.max(-1, view.getInt16(at, true) / 32767)],
};
const NAMES = {
  float: "f32",
  double: "f64",
  half: "f16",
  sbyte: "i8",
  byte: "u8",
  short: "i16",
  ushort: "u16",
  int: "i32",
  uint: "u32",
  bool: "u32",
  long: "i64",
  ulong: "u64",
  unorm8: "n8",
  snorm8: "s8",
  unorm16: "n16",
  snorm16: "s16",
};
const VECTORS = { vec: "f32", dvec: "f64", hvec: "f16", ivec: "i32", uvec: "u32", bvec: "u32" };
/** Numbers of one row at most, and bytes of a step from row to row. */
const MOST_NUMBERS = 1024, MOST_STRIDE = 65536;

/**
 * Reads a layout. Members follow each other without gaps unless `@` says where one begins; `stride` says where the next
 * row does. Throws an `Error` with a sentence for what makes no sense.
 */
export function parseLayout(text) {
  const members = [];
  let offset = 0, stride, numbers = 0;
  for (const each of text.split(/[;\n]/).map((part) => part.trim()).filter((part) => part !== "")) {
    const [, step] = /^stride\s+(\d+)$/.exec(each) ?? [];
    if (step !== undefined) {
      stride = Number(step);
      continue;
    }
    const member = memberOf(each, offset);
    numbers += member.count;
    if (numbers > MOST_NUMBERS) throw new Error(`a row has more than ${MOST_NUMBERS} numbers`);
    members.push(member);
    offset = member.offset + member.count * member.size;
  }
  const end = Math.max(0, ...members.map((each) => each.offset + each.count * each.size)), found = stride ?? end;
  if (members.length === 0) throw new Error("no member: write a type and a name, such as vec3 position;");
  if (found < 1 || found > MOST_STRIDE) throw new Error(`a stride of ${found} is not between 1 and ${MOST_STRIDE}`);
  return { members, stride: found, end };
}

/** Such as `vec3 position @12` or `unorm8x4 colours[4]`. */
function memberOf(text, next) {
  const found = /^(\w+?)(?:\[(\d+)\])?(?:\s+(\w+))?(?:\[(\d+)\])?(?:\s*@\s*(\d+))?$/.exec(text);
  if (!found) throw new Error(`"${text}" is no member: write a type and a name, such as vec3 position;`);
  const [, written, inType, name = written, inName, place] = found, { type, wide } = typeOf(written);
  const count = wide * Number(inType ?? 1) * Number(inName ?? 1);
  if (!(count >= 1 && count <= MOST_NUMBERS)) throw new Error(`"${text}" has ${count} numbers`);
  return { name, type, count, size: READS[type][0], offset: place === undefined ? next : Number(place) };
}

/** A name of one number; the same with a count, as in `vec3`, `half2`, `unorm8x4`; or a matrix. */
function typeOf(written) {
  if (Object.hasOwn(NAMES, written)) return { type: NAMES[written], wide: 1 };
  const [, columns, rows = columns] = /^mat([2-4])(?:x([2-4]))?$/.exec(written) ?? [];
  if (columns) return { type: "f32", wide: columns * rows };
  const [, base, count] = /^([a-z]+(?:8|16)?)x(\d{1,4})$/.exec(written) ?? /^([a-z]+)([2-4])$/.exec(written) ?? [];
  const type = Object.hasOwn(NAMES, base ?? "")
    ? NAMES[base]
    : Object.hasOwn(VECTORS, base ?? "")
    ? VECTORS[base]
    : undefined;
  if (type) return { type, wide: Number(count) };
  throw new Error(
    `"${written}" is no type that is known: ${Object.keys(NAMES).join(", ")}, and with a count vec3, unorm8x4, mat4`,
  );
}

/** The rows that bytes have from an offset on. */
export function rowCount({ stride, end }, size, offset) {
  return size - offset < end ? 0 : Math.floor((size - offset - end) / stride) + 1;
}

/** The numbers of a row by member; a member that the bytes do not reach has none. */
export function rowOf({ members, stride }, view, offset, row) {
  return members.map(({ type, count, size, offset: place }) => {
    const [, read] = READS[type], start = offset + row * stride + place;
    return Array.from({ length: count }, (_, at) => start + at * size).filter((at) => at + size <= view.byteLength).map(
      (at) => read(view, at),
    );
  });
}

/** The number of a float of 16 bits. */
export function half(stored) {
  const sign = stored & 0x8000 ? -1 : 1, power = stored >> 10 & 31, fraction = stored & 1023;
  if (power === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (power === 0 ? fraction : fraction + 1024) * 2 ** (Math.max(power, 1) - 25);
}
