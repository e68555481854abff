import { LongList } from "../../../ffi/long_at.ts";
import { peek32, peek64 } from "../../../ffi/machine.ts";
import { layoutOf } from "../../codec/layout/layout.ts";
import { type Parameter, planOf } from "../../command/plan.ts";
import { findCommand } from "../../command/registry/table.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../../gen/command_table_gen.js";

// deno-lint-ignore no-explicit-any -- the arguments depend on the command
type Arguments = readonly any[];
/** The names by which the registry's commands make and destroy; what is got or acquired otherwise belongs to another object. */
const MAKES = /^vk(Create|Allocate|Register|AcquirePerformanceConfiguration)/;
const DESTROYS = /^vk(Destroy|Free|ReleasePerformanceConfiguration)/;
/** Where VkCommandBufferAllocateInfo and VkDescriptorSetAllocateInfo have their pool. */
const POOL = 16n;

/**
 * What a command makes or destroys. Functions get single arguments rather than
 * all: no list of them is made for each call then.
 */
export interface Handling {
  /** The handle type. */
  readonly type: string;
  /** Whether the handles are arguments themselves, rather than in memory that arguments lead to. */
  readonly byValue?: boolean;
  /** Whether there is one handle, in memory that an argument leads to: the common case, for which nothing need be called. */
  readonly isOne?: boolean;
  /** Which argument is the handle, or leads to the handles. */
  readonly place: number;
  /** Which argument says how many there are, or leads to what says it; the same one where none does. */
  readonly measure: number;
  /** How many handles there are, null ones included, by these two arguments. */
  count(place: bigint, measure: bigint | number): number;
  /** Puts one of them into a list; of a command that makes them, after it returned. */
  read(to: LongList, at: number, index: number, place: bigint, measure: bigint | number): void;
  /** The pool the objects come from and go with, by what says how many there are; `undefined` where they come from none. */
  pool?(measure: bigint): bigint;
}

/** All handles that a command makes or destroys, null ones included. */
export function handlesOf({ place, measure, count, read }: Handling, args: Arguments): bigint[] {
  const list = new LongList();
  return Array.from({ length: count(args[place], args[measure]) }, (_, index) => {
    read(list, 0, index, args[place], args[measure]);
    return list.get(0);
  });
}

/** The pool that what a command makes comes from; 0n for none. */
export function poolOf({ measure, pool }: Handling, args: Arguments): bigint {
  return pool?.(args[measure]) ?? 0n;
}

let destroyable: ReadonlySet<string> | undefined;

/** What a command makes that another one destroys; `undefined` for nothing. */
export function makingOf(command: string): Handling | undefined {
  if (!MAKES.test(command)) return undefined;
  const { parameters } = planOf(findCommand(command)!);
  for (const [index, each] of parameters.entries()) {
    const found = each.role === "output" ? madeIn(parameters, each, index) : undefined;
    if (found && isDestroyable(found.type)) return found;
  }
}

/** What a command destroys; `undefined` for nothing. */
export function destroyingOf(command: string): Handling | undefined {
  if (!DESTROYS.test(command)) return undefined;
  const { parameters } = planOf(findCommand(command)!);
  const index = parameters.findLastIndex((each) => each.kind === "h");
  if (index < 0) return undefined;
  const { type, stars } = parameters[index];
  return { type, ...stars === 0 ? given(index) : listed(parameters, index) };
}

/** Whether other objects belong to those of a type, and end with them. */
export function isScope(type: string): boolean {
  return type === "VkInstance" || type === "VkDevice";
}

function isDestroyable(type: string): boolean {
  destroyable ??= new Set(`${INSTANCE_NAMES} ${DEVICE_NAMES}`.split(" ").map((name) => destroyingOf(name)?.type ?? ""));
  return destroyable.has(type);
}

/** An output that is a handle, a list of them, or a struct that leads to a list of them. */
function madeIn(parameters: readonly Parameter[], output: Parameter, index: number): Handling | undefined {
  if (output.kind === "struct") return madeInStruct(output, index);
  if (output.kind !== "h") return undefined;
  const list = listed(parameters, index);
  return { type: output.type, ...list, pool: output.len.includes("->") ? (info) => peek64(info + POOL) : undefined };
}

function madeInStruct({ type }: Parameter, index: number): Handling | undefined {
  const { fields } = layoutOf(type), list = fields.find((field) => field.kind === "h" && field.stars === 1);
  const count = fields.find((field) => field.name === list?.len);
  if (!list || !count) return undefined;
  const arrayIn = (struct: bigint) => peek64(struct + BigInt(list.offset));
  return {
    type: list.type,
    place: index,
    measure: index,
    count: (struct) => arrayIn(struct) === 0n ? 0 : peek32(struct + BigInt(count.offset)),
    read: (to, at, index, struct) => readFrom(to, at, index, arrayIn(struct)),
  };
}

/** One handle, an argument itself. */
function given(place: number): Omit<Handling, "type"> {
  return { place, measure: place, byValue: true, count: () => 1, read: (to, at, _index, handle) => to.set(at, handle) };
}

/** Handles at an address that is an argument: one, as many as a parameter says, or as a member of the struct at one says. */
function listed(parameters: readonly Parameter[], place: number): Omit<Handling, "type"> {
  const [name, member] = parameters[place].len.split("->"), read = readFrom;
  if (name === "") return { place, measure: place, isOne: true, count: (array) => array === 0n ? 0 : 1, read };
  const measure = parameters.findIndex((each) => each.name === name);
  if (member === undefined) {
    return {
      place,
      measure,
      count: (array, count) => array === 0n ? 0 : count as number,
      read,
    };
  }
  const { offset } = layoutOf(parameters[measure].type).fields.find((field) => field.name === member)!;
  return { place, measure, count: (array, info) => array === 0n ? 0 : peek32(info as bigint + BigInt(offset)), read };
}

/** Reads a handle of an array. */
export function readFrom(to: LongList, at: number, index: number, array: bigint): void {
  to.read(at, index === 0 ? array : array + BigInt(8 * index));
}
