import type { ShaderVariable } from "../reflection.ts";
import type { EventShader } from "../types.ts";

/** Bytes that no rule of packing changes: arrays of elements of this size, or of more of it, have no gaps. */
const EVEN = 16, WORD = 4;
const SCALARS = /^(?:float|double|half|int|uint|short|ushort|long|ulong|bool|sbyte|byte)$/;

/** A block of a shader as the layout of a buffer. */
export interface BlockLayout {
  readonly layout: string;
  /** Whether the buffer has one row: a block that is no array without end. */
  readonly isOnce: boolean;
}

/** Returns a block of a shader as a layout; `undefined` for a block without members. */
export function blockLayout(members: readonly ShaderVariable[]): BlockLayout | undefined {
  const placed = members.filter(({ offset }) => offset !== undefined), [first] = placed;
  if (!first) return undefined;
  const [, element] = placed.length === 1 ? /^(\w+)\[\]$/.exec(first.type) ?? [] : [],
    size = element && sizeOf(element);
  if (element && size) {
    const stride = element.endsWith("vec3") ? size / 3 * 4 : size;
    return { layout: `${element} ${plain(first.name, 0)} @${first.offset}; stride ${stride};`, isOnce: false };
  }
  return {
    layout: placed.map((each, index) => memberText(each, index, placed[index + 1]?.offset)).join(" "),
    isOnce: true,
  };
}

function plain(name: string, index: number): string {
  return name.replace(/\W/g, "_") || `member${index}`;
}

/** Returns the layout of the block that the shaders of an event declare for a descriptor. */
export function descriptorLayout(
  shaders: readonly EventShader[],
  set: number,
  binding: number,
): BlockLayout | undefined {
  const all = shaders.flatMap(({ reflection }) => reflection?.descriptors ?? []);
  const found = all.find((each) => each.set === set && each.binding === binding && each.members.length > 0);
  return found && blockLayout(found.members);
}

/** A member whose elements lie without gaps by its type; otherwise the words up to the next member, because gaps are not known. */
function memberText({ name, type, offset = 0 }: ShaderVariable, index: number, next: number | undefined): string {
  const full = plain(name, index), [, element, count] = /^(\w+)(?:\[(\d+)\])?$/.exec(type) ?? [];
  const size = element === undefined ? undefined : sizeOf(element);
  if (size !== undefined && (count === undefined || size % EVEN === 0)) return `${type} ${full} @${offset};`;
  const words = next === undefined || next <= offset ? 1 : Math.floor((next - offset) / WORD);
  return `uintx${Math.max(1, words)} ${full}_words @${offset};`;
}

/** Bytes of a type without gaps inside; `undefined` for others. */
function sizeOf(type: string): number | undefined {
  if (SCALARS.test(type)) return type === "double" ? 2 * WORD : WORD;
  const [, kind, length] = /^([diub]?vec)([2-4])$/.exec(type) ?? [];
  if (kind) return Number(length) * (kind === "dvec" ? 2 * WORD : WORD);
  const [, columns] = /^mat([2-4])x4$/.exec(type) ??
    [type === "mat4" ? "" : undefined, type === "mat4" ? "4" : undefined];
  return columns === undefined ? undefined : EVEN * Number(columns);
}
