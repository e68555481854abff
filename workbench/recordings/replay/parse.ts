import { type Field, type Kind, type Layout, layoutOf, nameOfSType } from "../../../loader/codec/layout/layout.ts";
import type { StructObject } from "../../../loader/codec/values/convert.ts";
import { type Addresses, isAddress, mayHoldAddresses } from "./addresses.ts";
import { refusedStruct } from "./refused.ts";
import { VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR } from "../../../loader/gen/native_gen.ts";

/** The meaning of names and numbers in a recording. */
export interface Meaning {
  /** Returns the handle of a name. */
  handle(type: string, name: unknown): bigint;
  /** Returns the bytes of a hash. */
  data(hash: string): Uint8Array<ArrayBuffer>;
  /** Returns the queue family in place of a recorded one. */
  family(index: number): number;
  /** The addresses of the device in place of recorded ones. */
  readonly addresses: Pick<Addresses, "address" | "contents">;
}

/** The facts about a parameter or member by which its values are read; the kind is looked up once for each of them. */
type Described = Pick<Field, "name" | "type" | "kind">;

/** The lowest of `VK_QUEUE_FAMILY_IGNORED` and similar values, which are not families. */
const NO_FAMILY = 0xffff_fffd;
const WIDE: readonly Kind[] = ["u64", "i64", "usize"];

/**
 * Returns a recorded value as the methods and the codec take it. Throws a
 * `TypeError` for values that cannot be replayed. A presented image is an image
 * like any other here. Methods and codec check the
 * rest.
 */
export function parseValue(spec: Described, value: unknown, meaning: Meaning): unknown {
  if (value === null || value === undefined || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map((item) => parseValue(spec, item, meaning));
  const { kind } = spec;
  if (kind === "h") return meaning.handle(spec.type, value);
  if (typeof value === "object") return parseObject(spec, value as StructObject, meaning);
  if (typeof value === "number" && /QueueFamilyInd(ex|ices)$/i.test(spec.name) && value < NO_FAMILY) {
    return meaning.family(value);
  }
  const isPresented = spec.type === "VkImageLayout" && value === VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
  if (isPresented) return VK_IMAGE_LAYOUT_GENERAL;
  const scalar = parseScalar(spec, value);
  return kind === "u64" && isAddress(spec.name) ? meaning.addresses.address(scalar as bigint) : scalar;
}

/** Returns the object of a recorded struct. */
export function parseStruct(layout: Layout, fields: StructObject, meaning: Meaning): StructObject {
  const known = new Map(layout.fields.map((field) => [field.name, field]));
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, parseMember(layout, known.get(name), value, meaning)]),
  );
}

function parseMember(layout: Layout, field: Field | undefined, value: unknown, meaning: Meaning): unknown {
  if (!field || field.name === "sType" && layout.sType >= 0) return value; // what is no member, the codec names
  if (field.kind !== "chain") return parseValue(field, value, meaning);
  if (!Array.isArray(value)) throw new TypeError(`${layout.name}.pNext is ${typeof value}; give a list of structs`);
  return value.map((link) => parseLink(link, meaning));
}

/** A struct of a chain, which has its name. */
function parseLink(link: StructObject, meaning: Meaning): StructObject {
  const { sType, ...members } = Object(link) as StructObject;
  const name = typeof sType === "number" ? nameOfSType(sType) : sType;
  if (typeof name !== "string" || !/^Vk\w+$/.test(name)) {
    throw new TypeError(`a chain has a struct of sType ${sType}, which the registry does not know`);
  }
  const layout = layoutOf(name), reason = refusedStruct(name);
  if (reason) throw new TypeError(`${name} ${reason}`);
  return { sType: layout.sType, ...parseStruct(layout, members, meaning) };
}

function parseObject({ name, type, kind }: Described, value: StructObject, meaning: Meaning) {
  if ("foreign" in value) throw new TypeError(`${name} is an address of the recorded program`);
  if (kind === "struct") return parseStruct(layoutOf(type), value, meaning);
  const bytes = bytesIn(value, meaning);
  if (bytes) return mayHoldAddresses(name) ? meaning.addresses.contents(bytes) : bytes;
  throw new TypeError(`${name} is ${JSON.stringify(value).slice(0, 60)}; give { bytes } or { data }`);
}

function bytesIn({ data, bytes }: StructObject, meaning: Meaning): Uint8Array<ArrayBuffer> | undefined {
  if (typeof data === "string") return meaning.data(data);
  try {
    return typeof bytes === "string" ? Uint8Array.fromHex(bytes) : undefined;
  } catch {
    return undefined; // no hexadecimal text, as any other value that holds no bytes
  }
}

function parseScalar({ name, kind }: Described, value: unknown): unknown {
  if (kind === "p" || kind === "void") throw new TypeError(`${name} is an address of the recorded program`);
  if (kind === "str" || typeof value === "bigint") return value;
  if (WIDE.includes(kind) && /^-?\d+$/.test(`${value}`)) return BigInt(value as string);
  if ((kind === "f32" || kind === "f64") && typeof value === "string") return Number(value);
  if (typeof value === "number" && /^[iu]\d/.test(kind) && !Number.isSafeInteger(value)) {
    throw new TypeError(`${name} is ${value}; give a whole number`);
  }
  return value;
}
