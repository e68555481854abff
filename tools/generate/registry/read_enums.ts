import type { Constant, EnumType, EnumValue } from "./model.ts";
import type { SourceBlock } from "./read_blocks.ts";
import { attribute, type Element, elements, isForVulkan, textOf } from "./xml.ts";

/** First number of the values that extensions add, and how many each extension owns. */
const EXTENSION_BASE = 1_000_000_000, EXTENSION_RANGE = 1000;

/** Reads every enum with the values that versions and extensions add, aliases resolved. */
export function readEnums(roots: readonly Element[], blocks: readonly SourceBlock[]): Map<string, EnumType> {
  const enums = new Map<string, EnumType>();
  for (const element of roots.flatMap((root) => elements(root, "enums"))) {
    if (element.attributes.type === "constants" || element.attributes.name === "API Constants") continue;
    const type = emptyEnum(element);
    enums.set(type.name, type);
    for (const value of elements(element, "enum")) addValue(type, value, 0, false);
  }
  for (const { block, requires } of blocks) {
    for (const value of requires.flatMap((each) => elements(each, "enum"))) {
      const type = enums.get(value.attributes.extends);
      if (type) addValue(type, value, block.number, block.experimental === true);
    }
  }
  for (const type of enums.values()) resolveAliases(type);
  return enums;
}

function emptyEnum(element: Element): EnumType {
  const { name, bitwidth, type } = element.attributes;
  return { kind: "enum", name, bits: bitwidth === "64" ? 64 : 32, isBitmask: type === "bitmask", values: [] };
}

function addValue(type: EnumType, element: Element, extension: number, isProvisional: boolean): void {
  if (!isForVulkan(element) || type.values.some((each) => each.name === element.attributes.name)) return;
  const value = valueOf(element, type.bits, extension);
  if (value === undefined) return;
  const experimental = isProvisional || element.attributes.protect === "VK_ENABLE_BETA_EXTENSIONS";
  const { name, alias, deprecated } = element.attributes;
  type.values.push({ name, value, alias, experimental, isDeprecated: deprecated !== undefined });
}

function valueOf(element: Element, bits: 32 | 64, extension: number): number | bigint | undefined {
  const { alias, bitpos, offset, extnumber, dir, value } = element.attributes;
  const typed = (number: number | bigint) => bits === 64 ? BigInt(number) : number;
  if (alias) return typed(0);
  if (bitpos) return bits === 64 ? 1n << BigInt(bitpos) : 2 ** Number(bitpos);
  if (offset) {
    const owner = Number(extnumber ?? extension) - 1;
    return typed((EXTENSION_BASE + owner * EXTENSION_RANGE + Number(offset)) * (dir === "-" ? -1 : 1));
  }
  return value === undefined ? undefined : typed(parseNumber(value));
}

/** Reads a C number: decimal, hexadecimal, `1000.0F`, `(~0U)`, `(~1U)`, `(~0ULL)`. */
export function parseNumber(text: string): number | bigint {
  const hexadecimal = text.match(/^0x[0-9a-f]+/i); // before suffixes: 0x7FFFFFFF ends in F, a suffix for floats
  if (hexadecimal) return wide(BigInt(hexadecimal[0]));
  const parts = text.replace(/[()]/g, "").match(/^(~?)(-?[\d.]+?)(U|UL|ULL|F)?$/i);
  if (!parts) throw new Error(`Cannot read the constant "${text}": found no C number; teach parseNumber its form`);
  const [, invert, digits, suffix] = parts;
  if (invert === "") return /\./.test(digits) ? Number(digits) : wide(BigInt(digits));
  return suffix?.toUpperCase() === "ULL" ? BigInt.asUintN(64, ~BigInt(digits)) : ~Number(digits) >>> 0;
}

function wide(value: bigint): number | bigint {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

function resolveAliases(type: EnumType): void {
  const byName = new Map(type.values.map((value) => [value.name, value]));
  const target = (value: EnumValue, depth = 0): EnumValue | undefined => {
    if (!value.alias || depth > 8) return value;
    const next = byName.get(value.alias);
    return next && target(next, depth + 1);
  };
  type.values = type.values.filter((value) => target(value) !== undefined);
  for (const value of type.values) value.value = target(value)!.value;
}

/** Reads the API constants, the numbers that extensions define outside enums, and the versions among the `#define`s. */
export function readConstants(roots: readonly Element[], blocks: readonly SourceBlock[]): Map<string, Constant> {
  const constants = new Map<string, Constant>();
  const aliases: Element[] = [];
  const add = (element: Element, { group, experimental }: Pick<Constant, "group" | "experimental">) => {
    const { name, value, alias } = element.attributes;
    if (element.attributes.extends || constants.has(name) || !isForVulkan(element)) return;
    if (alias) aliases.push(element);
    else if (value && !attribute(element, "value")!.startsWith('"')) {
      constants.set(name, { name, value: parseNumber(value), group, experimental });
    }
  };
  for (const group of roots.flatMap((root) => elements(root, "enums"))) {
    const isConstants = group.attributes.type === "constants" || group.attributes.name === "API Constants";
    if (isConstants) { for (const element of elements(group, "enum")) add(element, { group: "core" }); }
  }
  for (const { block, requires } of blocks) {
    for (const element of requires.flatMap((each) => elements(each, "enum"))) {
      if (!element.attributes.name.endsWith("_SPEC_VERSION")) add(element, block);
    }
  }
  for (const { attributes } of aliases) {
    const target = constants.get(attributes.alias);
    if (target) constants.set(attributes.name, { ...target, name: attributes.name });
  }
  addVersions(roots, constants);
  return constants;
}

/** `VK_API_VERSION_1_3` and the header's own version are macros in the registry. */
function addVersions(roots: readonly Element[], constants: Map<string, Constant>): void {
  for (const type of roots.flatMap((root) => elements(root, "types")).flatMap((each) => elements(each, "type"))) {
    if (type.attributes.category !== "define" || !isForVulkan(type)) continue;
    const text = textOf(type).replace(/\/\/[^\n]*/g, "").replace(/\s+/g, " ");
    const plain = text.match(/#define (VK_HEADER_VERSION) (\d+)/);
    if (plain) constants.set(plain[1], { name: plain[1], value: Number(plain[2]), group: "core" });
    const made = text.match(/#define (VK_(?:API|HEADER)_VERSION\w+) VK_MAKE_API_VERSION ?\((\d), (\d), (\d), (\w+)\)/);
    if (!made) continue;
    const patch = /^\d+$/.test(made[5]) ? Number(made[5]) : Number(constants.get(made[5])?.value ?? 0);
    const value = ((Number(made[2]) << 29) | (Number(made[3]) << 22) | (Number(made[4]) << 12) | patch) >>> 0;
    constants.set(made[1], { name: made[1], value, group: "core" });
  }
}

/** The registry's version, for example `1.4.359`. */
export function versionOf(constants: ReadonlyMap<string, Constant>): string {
  const complete = Number(constants.get("VK_HEADER_VERSION_COMPLETE")?.value ?? 0);
  return `${complete >>> 22 & 0x7f}.${complete >>> 12 & 0x3ff}.${complete & 0xfff}`;
}
