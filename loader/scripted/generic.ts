import { peek32, peek64, poke64 } from "../../ffi/machine.ts";
import { layoutOf, sizeOfKind } from "../codec/layout/layout.ts";
import type { NativeCall } from "../command/compile.ts";
import { commandSignature, countOf, type Parameter, planOf } from "../command/plan.ts";
import type { Command } from "../command/registry/table.ts";
import { HEADER, longsAt, zeroAt } from "./answer.ts";
import type { Objects } from "./objects.ts";
import { VK_ERROR_OUT_OF_HOST_MEMORY, VkCommandBufferAllocateInfo } from "../gen/native_gen.ts";

/** Offset of the pool, in VkDescriptorSetAllocateInfo as well. */
const POOL = VkCommandBufferAllocateInfo.commandPool;
// deno-lint-ignore no-explicit-any -- the arguments depend on the command
type Arguments = any[];

/**
 * Implements a command that needs no special code: vkCreate… and vkAllocate…
 * create objects, vkDestroy… and vkFree… destroy them, outputs of all others
 * are zero and their lists are empty. Everything succeeds.
 */
export function genericCommand(command: Command, objects: Objects): NativeCall {
  const { parameters } = planOf(command);
  if (/^vk(Create|Allocate|Register)/.test(command.name)) {
    const made = parameters.findIndex((each) => each.role === "output" && each.kind === "h");
    if (made >= 0) return maker(parameters, made, objects);
  }
  if (/^vk(Destroy|Free|Unregister)/.test(command.name)) return destroyer(parameters, objects);
  const result = commandSignature(command, "raw")[0] === "q" ? 0n : 0;
  const outputs = [...parameters.keys()].filter((index) => ["output", "fill"].includes(parameters[index].role));
  return (...args: Arguments) => {
    for (const index of outputs) clear(parameters[index], args[index]);
    return result;
  };
}

/** Whether a command does nothing except succeed. */
export function isIdle(command: Command): boolean {
  const made = /^vk(Create|Allocate|Register|Destroy|Free|Unregister)/.test(command.name);
  return !made && planOf(command).parameters.every(({ role }) => role !== "output" && role !== "fill");
}

function maker(parameters: readonly Parameter[], made: number, objects: Objects): NativeCall {
  const { type } = parameters[made], pooled = parameters[made].len.includes("->"), count = counter(parameters, made);
  const info = parameters.findIndex((each) => each.role === "struct");
  const allocator = parameters.findIndex((each) => each.type === "VkAllocationCallbacks");
  return (...args: Arguments) => {
    const making = { owner: pooled ? peek64(args[info] + POOL) : 0n, allocator: allocator < 0 ? 0n : args[allocator] };
    for (let index = 0; index < count(args); index++) {
      const handle = objects.make(type, making);
      poke64(args[made] + BigInt(8 * index), handle);
      if (handle === 0n) return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    return 0;
  };
}

/** Returns how many objects a call creates: one, the value of a parameter, or of a member of its info. */
function counter(parameters: readonly Parameter[], made: number): (args: Arguments) => number {
  const [name, member] = parameters[made].len.split("->");
  if (name === "") return () => 1;
  const index = parameters.findIndex((each) => each.name === name);
  if (member === undefined) return (args) => args[index];
  const { offset } = layoutOf(parameters[index].type).fields.find((field) => field.name === member)!;
  return (args) => peek32(args[index] + BigInt(offset));
}

/** Destroys the handle that is the last argument, or those of an array. */
function destroyer(parameters: readonly Parameter[], objects: Objects): NativeCall {
  const last = parameters.findLastIndex((each) => each.kind === "h");
  const allocator = parameters.findIndex((each) => each.type === "VkAllocationCallbacks");
  const count = parameters.findIndex((each) => each.name === countOf(parameters[last]));
  return (...args: Arguments) => {
    const callbacks = allocator < 0 ? 0n : args[allocator];
    if (count < 0) objects.destroy(args[last], callbacks);
    else for (const handle of longsAt(args[count], args[last])) objects.destroy(handle, callbacks);
    return 0;
  };
}

/** Zeroes the output at an address. In a struct with a `pNext` chain, zeroes the part behind that. */
function clear(output: Parameter, to: bigint): void {
  if (to === 0n || output.len !== "") return;
  if (output.kind !== "struct") return zeroAt(to, sizeOfKind(output.kind));
  const { size, sType } = layoutOf(output.type), header = sType < 0 ? 0 : HEADER;
  zeroAt(to + BigInt(header), size - header);
}
