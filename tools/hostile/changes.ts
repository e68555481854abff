import fc from "fast-check";

/** Values that break those who trust them. */
const BAD: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  0.5,
  2 ** 32,
  2 ** 53,
  1e308,
  "",
  "\0",
  "\ud800",
  "../../..",
  "x".repeat(70_000),
  [],
  {},
  [[]],
  [null],
  { length: 1e9 },
  JSON.parse('{"__proto__": {"a": 1}}'),
  nested(2000),
];

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

/** A place in a JSON value: the keys that lead there. */
export type Place = readonly (string | number)[];

/** Every place in a value, the value itself first. */
export function placesIn(value: unknown, place: Place = []): Place[] {
  if (typeof value !== "object" || value === null) return [place];
  const keys = Array.isArray(value) ? value.map((_, index) => index) : Object.keys(value);
  return [place, ...keys.flatMap((key) => placesIn((value as Record<string, unknown>)[key], [...place, key]))];
}

/** The value with another one at a place; without the place if that is `undefined`. */
export function withValue(value: unknown, [key, ...rest]: Place, other: unknown): unknown {
  if (key === undefined) return other;
  if (typeof value !== "object" || value === null) return value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string | number, unknown>;
  if (rest.length > 0) copy[key] = withValue(copy[key], rest, other);
  else if (other !== undefined) copy[key] = other;
  else if (Array.isArray(copy)) copy.splice(Number(key), 1);
  else delete copy[key];
  return copy;
}

/** A JSON value with one to three places that have other values, or are missing. */
export function changedValue(sample: unknown): fc.Arbitrary<unknown> {
  const place = fc.constantFrom(...placesIn(sample));
  const other = fc.oneof(fc.constantFrom(...BAD, undefined), fc.string(), fc.integer(), fc.jsonValue());
  return fc.array(fc.tuple(place, other), { minLength: 1, maxLength: 3 }).map((changes) =>
    changes.reduce<unknown>((value, [at, to]) => withValue(value, at, to), sample) ?? null
  );
}

/** JSON of which values or characters are others. */
export function changedJson(sample: unknown): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: changedValue(sample).map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: changedText(JSON.stringify(sample)) },
  );
}

/** A text that is cut, has other characters, or a part of it many times. */
export function changedText(sample: string): fc.Arbitrary<string> {
  const at = fc.nat(sample.length), piece = fc.oneof(fc.string(), fc.constantFrom("\0", "\n", '"', "[", "=", "\ud800"));
  const put = fc.tuple(at, fc.nat(8), piece).map(([from, length, text]) =>
    sample.slice(0, from) + text + sample.slice(from + length)
  );
  const cut = at.map((end) => sample.slice(0, end));
  const repeated = fc.tuple(at, fc.integer({ min: 1, max: 12 }), fc.constantFrom(2, 1000, 20_000)).map((
    [from, length, count],
  ) => sample.slice(0, from) + sample.slice(from, from + length).repeat(count) + sample.slice(from));
  return fc.oneof({ weight: 3, arbitrary: put }, { weight: 1, arbitrary: cut }, { weight: 1, arbitrary: repeated });
}

/** Bytes that are cut, or have other bytes, words or some more. */
export function changedBytes(sample: Uint8Array): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  const at = fc.nat(Math.max(0, sample.length - 1)), word = fc.constantFrom(0, 1, 0x7fffffff, 0x80000000, 0xffffffff);
  const bytes = fc.array(fc.tuple(at, fc.nat(255)), { maxLength: 4 });
  const words = fc.array(fc.tuple(at, word), { maxLength: 2 });
  const end = fc.oneof({ weight: 3, arbitrary: fc.constant(sample.length) }, { weight: 1, arbitrary: at });
  return fc.tuple(bytes, words, end, fc.uint8Array({ maxLength: 9 })).map(([some, whole, size, more]) => {
    const changed = new Uint8Array([...sample.subarray(0, size), ...size < sample.length ? [] : more]);
    const view = new DataView(changed.buffer);
    for (const [place, value] of some) if (place < changed.length) changed[place] = value;
    for (const [place, value] of whole) if (place + 4 <= changed.length) view.setUint32(place & ~3, value, true);
    return changed;
  });
}
