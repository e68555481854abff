import {
  VK_IMAGE_LAYOUT_GENERAL,
  VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
  VK_QUEUE_FAMILY_FOREIGN_EXT,
} from "../../../loader/gen/enums_core_gen.js";
import { type Field, type Kind, kindOf, layoutOf } from "../../../loader/codec/layout/layout.ts";
import type { Spec } from "../../../loader/codec/layout/spec.ts";
import type { Fields } from "../record/line.ts";
import type { Constants } from "./constants.ts";
import { after, braces, brackets, type Node } from "./node.ts";
import { bytesNode, floatText, wholeText } from "./numbers.ts";
import type { Shaders } from "./shaders.ts";
import type { Variables } from "./variables.ts";

const WIDE: readonly Kind[] = ["u64", "i64"];
const FAMILY = /QueueFamilyInd(ex|ices)$/i;

/** The words that values of a recording are written with. */
export interface Vocabulary {
  readonly constants: Constants;
  readonly variables: Variables;
  readonly shaders: Shaders;
  /** Returns the bytes of a hash. */
  readonly data: (hash: string) => Uint8Array;
}

/** Writes values of a recording as TypeScript. */
export class Values {
  readonly #words: Vocabulary;

  constructor(words: Vocabulary) {
    this.#words = words;
  }

  /** Writes a value of a parameter or member. */
  of(spec: Pick<Spec, "name" | "type">, value: unknown): Node {
    if (value === null || value === undefined) return "null";
    if (Array.isArray(value)) return this.#list(spec, value);
    const kind = kindOf(spec.type);
    if (kind === "h") return this.#words.variables.handle(value as string);
    if (typeof value === "object") return this.#object(spec, kind, value as Fields);
    return this.#scalar(spec, kind, value as string | number | boolean);
  }

  /** Writes the members of a struct. */
  struct(type: string, fields: Fields): Node {
    return braces(this.members(type, fields));
  }

  /** Writes each member of a struct that says something. */
  members(type: string, fields: Fields): Node[] {
    const layout = layoutOf(type), specs = new Map(layout.fields.map((field) => [field.name, field]));
    return Object.entries(fields).flatMap(([name, value]): Node[] => {
      const spec = specs.get(name);
      if (!spec || name === "sType" || value === null || !layout.union && isSilent(spec, value)) return [];
      const node = name === "pNext" ? this.chain(value as Fields[]) : this.of(spec, value);
      return [node === name ? name : after(`${name}: `, node)];
    });
  }

  /** Writes the structs of a chain. */
  chain(links: readonly Fields[]): Node {
    return brackets(links.map(({ sType, ...members }) => {
      const type = `sType: ${this.#words.constants.structureType(sType)}`;
      return braces([type, ...this.members(sType, members)]);
    }));
  }

  /** Writes a shader's words. */
  shader(code: Uint8Array): Node {
    return this.#words.shaders.of(code);
  }

  /** Returns the bytes of recorded data. */
  bytes(content: unknown): Uint8Array {
    if (ArrayBuffer.isView(content)) return new Uint8Array(content.buffer, content.byteOffset, content.byteLength);
    const { bytes, data } = content as { bytes?: string; data?: string };
    return bytes === undefined ? this.#words.data(data!) : Uint8Array.fromHex(bytes);
  }

  #list(spec: Pick<Spec, "name" | "type">, values: readonly unknown[]): Node {
    const isPlain = values.every((each) => typeof each !== "object");
    return brackets(values.map((each) => this.of(spec, each)), isPlain && kindOf(spec.type) !== "h");
  }

  #object({ name, type }: Pick<Spec, "name" | "type">, kind: Kind, value: Fields): Node {
    if (kind === "struct") return this.struct(type, value);
    if (kind === "chain") return this.chain([value]);
    if (name === "pCode") return this.#words.shaders.of(this.bytes(value));
    return bytesNode(this.bytes(value));
  }

  #scalar(spec: Pick<Spec, "name" | "type">, kind: Kind, value: string | number | boolean): Node {
    if (kind === "str") return JSON.stringify(value);
    if (kind === "bool") return `${value === true || value === 1}`;
    if (kind === "f32" || kind === "f64") return kind === "f32" ? floatText(Number(value)) : `${value}`;
    // From that value on, numbers are no families but such as VK_QUEUE_FAMILY_IGNORED.
    if (FAMILY.test(spec.name) && Number(value) < VK_QUEUE_FAMILY_FOREIGN_EXT) return "queueFamilyIndex";
    // There is no window: its images are images like any other.
    const isWindow = spec.type === "VkImageLayout" && value === VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
    const number = isWindow ? VK_IMAGE_LAYOUT_GENERAL : value as number | string;
    const named = this.#words.constants.of(spec, number);
    return named ?? wholeText(WIDE.includes(kind) ? BigInt(number) : Number(number));
  }
}

/** Whether a member has the value that it has where nobody gives one: zero, nothing, or an empty list. */
function isSilent(field: Field, value: unknown): boolean {
  const { name, kind, stars, dims, type, required } = field;
  if (Array.isArray(value) && stars > 0) return value.length === 0;
  if (required || stars > 0) return false;
  if (dims.length > 0) return Array.isArray(value) && kind !== "struct" && value.every(isZero);
  if (kind !== "struct") return isZero(value) && !FAMILY.test(name);
  const { union, fields } = layoutOf(type), members = new Map(fields.map((each) => [each.name, each]));
  return !union && Object.entries(value as Fields).every(([name, each]) => {
    const member = members.get(name);
    return !member || each === null || isSilent(member, each);
  });
}

function isZero(value: unknown): boolean {
  return value === false || value === "0" || Object.is(value, 0);
}
