import { INTEGER_REGISTERS, INVOKE } from "../../../ffi/emit/layout.ts";
import { type Field, kindOf, layoutOf, sizeOfKind } from "../../../loader/codec/layout/layout.ts";
import type { Spec } from "../../../loader/codec/layout/spec.ts";
import type { Command } from "../../../loader/command/registry/table.ts";
import type { CopiedMemory } from "../../../loader/layer.ts";
import { COPIES, NOTE } from "../layout.ts";

/** A step of a program's copies for a note. Offsets are those in the note. */
export interface CopyStep {
  /** The source of the copy: an argument, or a member of the first struct that another step copies. */
  readonly path: string;
  /** The other step. */
  readonly parent: CopyStep | undefined;
  /** The place of the address. */
  readonly address: number;
  /** The place of the number of elements, 32 bits; 0 for one element. */
  readonly count: number;
  /** Bytes of an element, and the most elements. */
  readonly size: number;
  readonly most: number;
  /** The place of the copied bytes. */
  readonly to: number;
  /** The type of an element, as the registry names it. */
  readonly type: string;
  /** The `sType` of the struct that alone may be there. */
  readonly sType?: number;
}

/** The origin of a step's elements, before there is room for them. */
type Source = Omit<CopyStep, "most" | "to" | "parent"> & { readonly parent: string | undefined };

/** The most bytes of a text. */
const TEXT_MOST = 64;

/**
 * Plans what is copied: each path is the name of an argument that is a pointer,
 * or a point and the name of a member follow. A pointer behind "!" is one that must be NULL. A chain
 * behind which "=" and the name of a struct follow has that struct alone, or none. Throws a `TypeError` for a path that
 * leads nowhere, and for more than there is room for.
 */
export function planCopies(command: Command, paths: readonly string[], processor: string): CopyStep[] {
  if (paths.length > COPIES.most) throw wrong(command, paths.join(", "), `give at most ${COPIES.most} paths`);
  const steps = new Map<string, CopyStep>();
  const sources = paths.map((path) => sourceOf(command, path, processor, paths));
  const share = shareOf(command, sources);
  let to: number = NOTE.copied;
  for (const { parent, ...source } of sources) {
    const most = isNone(source.path) ? 0 : source.count === 0 ? 1 : Math.max(1, Math.floor(share / source.size));
    const known = parent === undefined ? undefined : steps.get(parent);
    // the address and the count of a member are in what the other step copies
    const inside = (at: number) => known && at !== 0 ? known.to + at - 1 : at;
    steps.set(source.path, {
      ...source,
      parent: known,
      address: inside(source.address),
      count: inside(source.count),
      most,
      to,
    });
    to += roomOf(most * source.size);
  }
  return [...steps.values()];
}

/** The bytes for each list. A list of which one element takes more has room for that one. */
function shareOf(command: Command, sources: readonly Source[]): number {
  let room = NOTE.size - NOTE.copied, lists = sources.filter(({ count }) => count !== 0), share = room;
  const take = ({ path, size }: Source) => {
    if (!isNone(path)) room -= roomOf(size);
    if (room < 0) throw wrong(command, path, `there is room for ${NOTE.size - NOTE.copied} bytes in total`);
  };
  for (const each of sources) if (each.count === 0) take(each);
  for (let left = -1; left !== lists.length;) {
    left = lists.length;
    share = Math.floor(room / Math.max(1, left) / 8) * 8;
    for (const each of lists) if (each.size > share) take(each);
    lists = lists.filter(({ size }) => size <= share);
  }
  return share;
}

/** Returns the memory that a program copied for a note, in the order of the plan. */
export function copiesIn(note: DataView, steps: readonly CopyStep[]): CopiedMemory[] {
  const found = new Map<CopyStep, number>();
  return steps.map((step, index) => {
    const { path, parent, size, most, to, type } = step;
    const isKnown = !parent || found.get(parent)! >= parent.size;
    const address = isKnown ? note.getBigUint64(step.address, true) : 0n;
    const count = !isKnown || address === 0n ? 0 : step.count === 0 ? 1 : note.getUint32(step.count, true);
    const said = Number(note.getBigInt64(NOTE.copies + 8 * index, true));
    const copied = said < 0 ? 0 : Math.min(said, Math.min(count, most) * size);
    found.set(step, copied);
    const bytes = new Uint8Array(note.buffer, note.byteOffset + to, copied).slice();
    return { path, address, size: count * size, bytes, members: membersIn(bytes, type) };
  });
}

function isNone(path: string): boolean {
  return path.startsWith("!");
}

function roomOf(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

function wrong({ name }: Command, path: string, why: string): TypeError {
  return new TypeError(`Cannot copy ${path} of ${name}: ${why}`);
}

function sourceOf(command: Command, path: string, processor: string, paths: readonly string[]): Source {
  const [plain, chained] = path.replace("!", "").split("="), names = plain.split(".");
  const parent = names.slice(0, -1).join(".") || undefined, before = paths.slice(0, paths.indexOf(path));
  const chains = new Map(before.map((each) => each.split("=") as [string, string]));
  if (parent !== undefined && !chains.has(parent)) throw wrong(command, path, `name ${parent} before it`);
  const siblings = parent === undefined
    ? argumentsOf(command, processor)
    : membersOf(command, names.slice(0, -1), chains);
  const spec = siblings.find(({ name }) => name === names.at(-1));
  if (!spec) throw wrong(command, path, `the registry has no such name; there are ${namesOf(siblings)}`);
  if (spec.stars === 0) throw wrong(command, path, "it is no pointer, and arguments are recorded anyway");
  if (chained !== undefined) {
    return { path: plain, parent, address: spec.at, count: 0, ...chainedStruct(command, path, spec.type, chained) };
  }
  if (isNone(path)) return { path, parent, address: spec.at, count: 0, size: 1, type: "void" };
  const lengths = spec.len.split(","), kind = kindOf(spec.type);
  const single = spec.stars > 1 ? 8 : kind === "struct" ? layoutOf(spec.type).size : sizeOfKind(kind);
  const isText = kind === "str" && spec.stars === 1;
  const counted = siblings.find(({ name }) => name === lengths[0]);
  if (spec.len && !isText && (!counted || counted.stars > 0)) throw wrong(command, path, "its size is in no number");
  if (kind === "chain" || single === 0 && !counted) throw wrong(command, path, "the registry does not say its size");
  const size = isText ? TEXT_MOST : Math.max(1, single), count = isText ? 0 : counted?.at ?? 0;
  return { path, parent, address: spec.at, count, size, type: spec.type };
}

/** The struct that may be in a chain. */
function chainedStruct(command: Command, path: string, type: string, name: string) {
  if (kindOf(type) !== "chain" || kindOf(name) !== "struct") throw wrong(command, path, "it is no chain of a struct");
  const { sType, size } = layoutOf(name);
  return { size, type: name, sType };
}

/** Something that may be a pointer or a number, and where it is; inside a struct, 1 is added, so that 0 means nowhere. */
type Place = Spec & { readonly at: number };

function argumentsOf({ params }: Command, processor: string): Place[] {
  let integers = 0, stacked = 0;
  return params.map((spec) => {
    const isFloat = spec.stars === 0 && ["f32", "f64"].includes(spec.type);
    if (isFloat) return { ...spec, at: 0 };
    if (integers < INTEGER_REGISTERS[processor]) {
      return { ...spec, at: NOTE.invoke + INVOKE.integers + 8 * integers++ };
    }
    return { ...spec, at: NOTE.invoke + INVOKE.stack + 8 * stacked++ };
  });
}

function membersOf(command: Command, names: readonly string[], chains: ReadonlyMap<string, string>): Place[] {
  let specs: readonly Spec[] = command.params, type = "";
  for (const [at, name] of names.entries()) {
    type = chains.get(names.slice(0, at + 1).join(".")) ?? specs.find((spec) => spec.name === name)?.type ?? "";
    if (kindOf(type) !== "struct") throw wrong(command, names.join("."), "it is no struct, and has no members");
    specs = layoutOf(type).fields;
  }
  return layoutOf(type).fields.map((field) => ({ ...field, at: field.offset + 1 }));
}

function namesOf(places: readonly Place[]): string {
  return places.filter(({ stars }) => stars > 0).map(({ name }) => name).join(", ") || "no pointers";
}

/** Reads the members of a struct that are numbers, handles and addresses, as far as they were copied. */
function membersIn(bytes: Uint8Array<ArrayBuffer>, type: string): Record<string, number | bigint> {
  if (kindOf(type) !== "struct") return {};
  const view = new DataView(bytes.buffer);
  const read = layoutOf(type).fields.filter(({ offset, size, dims, bits, kind, stars }) =>
    offset + size <= bytes.length && dims.length === 0 && bits === 0 && (stars > 0 || kind !== "struct")
  );
  return Object.fromEntries(read.map((field) => [field.name, numberIn(view, field)]));
}

function numberIn(view: DataView, { offset, kind, unit, stars }: Field): number | bigint {
  if (stars === 0 && kind === "f32") return view.getFloat32(offset, true);
  if (stars === 0 && kind === "f64") return view.getFloat64(offset, true);
  if (unit === 8) return view.getBigUint64(offset, true);
  if (unit === 4) return kind === "i32" ? view.getInt32(offset, true) : view.getUint32(offset, true);
  return unit === 2 ? view.getUint16(offset, true) : view.getUint8(offset);
}
