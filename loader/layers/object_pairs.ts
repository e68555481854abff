import { longIn } from "../../ffi/long_at.ts";
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
  /** How many handles there are, null ones included. */
  count(args: Arguments): number;
  /** One of them; of a command that makes them, after it returned. */
  handle(args: Arguments, index: number): bigint;
  /** The pool the objects come from and go with; 0n for none. */
  pool(args: Arguments): bigint;
}

/** All handles that a command makes or destroys, null ones included. */
export function handlesOf({ count, handle }: Handling, args: Arguments): bigint[] {
  return Array.from({ length: count(args) }, (_, index) => handle(args, index));
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
  const { type, stars } = parameters[index], list = counter(parameters, parameters[index]);
  if (stars === 0) return { type, byValue: true, count: () => 1, handle: (args) => args[index], pool: () => 0n };
  const count = (args: Arguments) => args[index] === 0n ? 0 : list(args);
  return { type, count, handle: (args, at) => longIn(args[index], at), pool: () => 0n };
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
    count: (args) => args[index] === 0n ? 0 : count(args),
    handle: (args, at) => longIn(args[index], at),
    pool: (args) => pooled ? peek64(args[info] + POOL) : 0n,
  };
}

function madeInStruct({ type }: Parameter, index: number): Handling | undefined {
  const { fields } = layoutOf(type), list = fields.find((field) => field.kind === "h" && field.stars === 1);
  const count = fields.find((field) => field.name === list?.len);
  if (!list || !count) return undefined;
  const arrayOf = (args: Arguments) => peek64(args[index] + BigInt(list.offset));
  return {
    type: list.type,
    count: (args) => arrayOf(args) === 0n ? 0 : peek32(args[index] + BigInt(count.offset)),
    handle: (args, at) => longIn(arrayOf(args), at),
    pool: () => 0n,
  };
}

/** How many handles there are: one, what a parameter says, or what a member of the struct at one says. */
function counter(parameters: readonly Parameter[], { len }: Parameter): (args: Arguments) => number {
  if (len === "") return () => 1;
  const index = parameters.findIndex((each) => each.name === len.split("->")[0]), member = len.split("->")[1];
  if (member === undefined) return (args) => args[index];
  const { offset } = layoutOf(parameters[index].type).fields.find((field) => field.name === member)!;
  return (args) => peek32(args[index] + BigInt(offset));
}
