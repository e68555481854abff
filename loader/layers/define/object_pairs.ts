import { LongList } from "../../../ffi/long.ts";
import { peek32, peek64 } from "../../../ffi/machine.ts";
import { layoutOf } from "../../codec/layout/layout.ts";
import { type Parameter, planOf } from "../../command/plan.ts";
import { findCommand } from "../../command/registry/table.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../../gen/command_table_gen.js";

// deno-lint-ignore no-explicit-any -- the arguments depend on the command
type Arguments = readonly any[];
/**
 * Name prefixes of the registry's commands that create objects. Objects that
 * other commands return belong to somebody else.
 */
const MAKES = /^vk(Create|Allocate|Register|AcquirePerformanceConfiguration)/;
const DESTROYS = /^vk(Destroy|Free|ReleasePerformanceConfiguration)/;
/** Offset of the pool in VkCommandBufferAllocateInfo and VkDescriptorSetAllocateInfo. */
const POOL = 16n;

/**
 * The objects that a command creates or destroys. Functions get single
 * arguments, so that no array of all arguments is made for each call.
 */
export interface Handling {
  /** The handle type. */
  readonly type: string;
  /** Whether the handles are arguments themselves, not in memory at an argument. */
  readonly byValue?: boolean;
  /** Whether there is one handle, in memory at an argument: the common case, for which no function need be called. */
  readonly isOne?: boolean;
  /** Index of the argument that is the handle, or points to the handles. */
  readonly place: number;
  /**
   * Index of the argument that is the number of handles, or points to it. The
   * same as `place` if there is no number.
   */
  readonly measure: number;
  /** Returns how many handles there are, including null ones, from these two arguments. */
  count(place: bigint, measure: bigint | number): number;
  /** Reads one handle into a list. If the command creates the handles, call this method after the command. */
  read(to: LongList, at: number, index: number, place: bigint, measure: bigint | number): void;
  /** Returns the pool of the objects, from the `measure` argument; `undefined` if they come from no pool. */
  pool?(measure: bigint): bigint;
}

/** Returns all handles that a command creates or destroys, including null ones. */
export function handlesOf({ place, measure, count, read }: Handling, args: Arguments): bigint[] {
  const list = new LongList();
  return Array.from({ length: count(args[place], args[measure]) }, (_, index) => {
    read(list, 0, index, args[place], args[measure]);
    return list.get(0);
  });
}

/** Returns the pool from which a command allocates; 0n for none. */
export function poolOf({ measure, pool }: Handling, args: Arguments): bigint {
  return pool?.(args[measure]) ?? 0n;
}

let destroyable: ReadonlySet<string> | undefined;

/** Returns the objects that a command creates and another one destroys; `undefined` if there are none. */
export function makingOf(command: string): Handling | undefined {
  if (!MAKES.test(command)) return undefined;
  const { parameters } = planOf(findCommand(command)!);
  for (const [index, each] of parameters.entries()) {
    const found = each.role === "output" ? madeIn(parameters, each, index) : undefined;
    if (found && isDestroyable(found.type)) return found;
  }
}

/** Returns the objects that a command destroys; `undefined` if there are none. */
export function destroyingOf(command: string): Handling | undefined {
  if (!DESTROYS.test(command)) return undefined;
  const { parameters } = planOf(findCommand(command)!);
  const index = parameters.findLastIndex((each) => each.kind === "h");
  if (index < 0) return undefined;
  const { type, stars } = parameters[index];
  return { type, ...stars === 0 ? given(index) : listed(parameters, index) };
}

/** Whether objects of a type own other objects, which end with them. */
export function isScope(type: string): boolean {
  return type === "VkInstance" || type === "VkDevice";
}

function isDestroyable(type: string): boolean {
  destroyable ??= new Set(`${INSTANCE_NAMES} ${DEVICE_NAMES}`.split(" ").map((name) => destroyingOf(name)?.type ?? ""));
  return destroyable.has(type);
}

/** The output is a handle, a list of handles, or a struct that points to a list of handles. */
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

/** One handle that is an argument itself. */
function given(place: number): Omit<Handling, "type"> {
  return { place, measure: place, byValue: true, count: () => 1, read: (to, at, _index, handle) => to.set(at, handle) };
}

/**
 * Handles at an address that is an argument: one, or as many as a parameter
 * says, or as a member of the struct at a parameter says.
 */
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

/** Reads a handle from an array. */
export function readFrom(to: LongList, at: number, index: number, array: bigint): void {
  to.read(at, index === 0 ? array : array + BigInt(8 * index));
}
