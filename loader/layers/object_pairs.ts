import { peek32, peek64 } from "../../ffi/machine.ts";
import { layoutOf } from "../codec/layout.ts";
import { type Parameter, planOf } from "../command/plan.ts";
import { findCommand } from "../command/table.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../gen/command_table_gen.js";

// deno-lint-ignore no-explicit-any -- the arguments depend on the command
type Arguments = readonly any[];
/** The names by which the registry's commands make and destroy; what is got or acquired otherwise belongs to another object. */
const MAKES = /^vk(Create|Allocate|Register|AcquirePerformanceConfiguration)/;
const DESTROYS = /^vk(Destroy|Free|ReleasePerformanceConfiguration)/;
/** Where VkCommandBufferAllocateInfo and VkDescriptorSetAllocateInfo have their pool. */
const POOL = 16n;

/** What a command makes or destroys. */
export interface Handling {
  /** The handle type. */
  readonly type: string;
  /** Whether the handles are arguments themselves, rather than in memory that arguments lead to. */
  readonly byValue?: boolean;
  /** The handles, null ones included; of a command that makes them, after it returned. */
  handles(args: Arguments): bigint[];
  /** The pool the objects come from and go with; 0n for none. */
  pool(args: Arguments): bigint;
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
  const { type, stars } = parameters[index], count = counter(parameters, parameters[index]);
  return {
    type,
    byValue: stars === 0,
    handles: (args) => stars === 0 ? [args[index]] : longsAt(args[index], count(args)),
    pool: () => 0n,
  };
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
  const count = counter(parameters, output), info = parameters.findIndex((each) => each.role === "struct");
  const pooled = output.len.includes("->");
  return {
    type: output.type,
    handles: (args) => longsAt(args[index], count(args)),
    pool: (args) => pooled ? peek64(args[info] + POOL) : 0n,
  };
}

function madeInStruct({ type }: Parameter, index: number): Handling | undefined {
  const { fields } = layoutOf(type), list = fields.find((field) => field.kind === "h" && field.stars === 1);
  const count = fields.find((field) => field.name === list?.len);
  if (!list || !count) return undefined;
  const handles = ([...args]: Arguments) =>
    longsAt(peek64(args[index] + BigInt(list.offset)), peek32(args[index] + BigInt(count.offset)));
  return { type: list.type, handles, pool: () => 0n };
}

/** How many handles there are: one, what a parameter says, or what a member of the struct at one says. */
function counter(parameters: readonly Parameter[], { len }: Parameter): (args: Arguments) => number {
  if (len === "") return () => 1;
  const index = parameters.findIndex((each) => each.name === len.split("->")[0]), member = len.split("->")[1];
  if (member === undefined) return (args) => args[index];
  const { offset } = layoutOf(parameters[index].type).fields.find((field) => field.name === member)!;
  return (args) => peek32(args[index] + BigInt(offset));
}

/** Handles in a row; none at NULL. */
export function longsAt(address: bigint, count: number): bigint[] {
  return address === 0n ? [] : Array.from({ length: count }, (_, index) => peek64(address + BigInt(8 * index)));
}
