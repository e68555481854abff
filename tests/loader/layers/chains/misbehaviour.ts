/**
 * Layers that do what no layer should: they throw, call the API with themselves
 * in it, return and pass on handles that are none, and keep pointers too long.
 *
 * @module
 */
import fc from "fast-check";
import { poke64 } from "../../../../ffi/machine.ts";
import { planOf } from "../../../../loader/command/plan.ts";
import { findCommand } from "../../../../loader/command/registry/table.ts";
import type { RawCommands } from "../../../../loader/gen/raw_commands_gen.ts";
import { type AnyHook, defineLayer, type Layer } from "../../../../loader/mod.ts";
import type { VkDevice } from "../../../../loader/types.ts";

/** The commands that the program in these chains calls. */
export const CALLED = [
  "vkCreateInstance",
  "vkEnumeratePhysicalDevices",
  "vkCreateDevice",
  "vkGetDeviceQueue",
  "vkCreateBuffer",
  "vkGetBufferMemoryRequirements",
  "vkAllocateMemory",
  "vkBindBufferMemory",
  "vkMapMemory",
  "vkCreateCommandPool",
  "vkAllocateCommandBuffers",
  "vkBeginCommandBuffer",
  "vkCmdFillBuffer",
  "vkEndCommandBuffer",
  "vkCreateFence",
  "vkQueueSubmit",
  "vkWaitForFences",
  "vkDestroyFence",
  "vkDestroyCommandPool",
  "vkDestroyBuffer",
  "vkFreeMemory",
  "vkDestroyDevice",
  "vkDestroyInstance",
] as const;

/** The faults of a hook. */
export const FAULTS = [
  "throw",
  "throw after",
  "loop",
  "result",
  "handle",
  "nothing",
  "argument",
  "stale",
  "late",
] as const;

/** One hook of one layer. */
export interface Misdeed {
  /** The command whose hook does it. */
  readonly command: typeof CALLED[number];
  /** The fault. */
  readonly fault: typeof FAULTS[number];
  /** The number of the call of the command, from 0. */
  readonly at: number;
  /** The number of the argument, or of the wrong value. */
  readonly pick: number;
}

/** Hooks of one layer; several of one command count as the last. */
export const misdeeds: fc.Arbitrary<Misdeed[]> = fc.array(
  fc.record({
    command: fc.constantFrom(...CALLED),
    fault: fc.constantFrom(...FAULTS),
    at: fc.nat({ max: 2 }),
    pick: fc.nat({ max: 63 }),
  }),
  { minLength: 1, maxLength: 6 },
);

/** The objects of a program that a layer may call, though it should not. */
export interface Reachable {
  /** The program's device, once there is one. */
  device?: VkDevice;
}

const GARBAGE = [0n, 1n, 8n, 0xdead_beefn, 0x7fff_ffff_fff8n, ~0n & 0xffff_ffff_ffff_fff8n];
/** Errors are a layer's right, and Khronos validation does not survive all of them; these are nobody's. */
const WRONG_RESULTS = [undefined, "0", null, {}, true, 0n, Promise.resolve(0)];

/** The layer that does these things. */
export function misbehaving(name: string, deeds: readonly Misdeed[], reachable: Reachable): Layer {
  const kept: (() => unknown)[] = [];
  const hooks = deeds.map((deed) => [deed.command, hookOf(deed, kept, reachable)]);
  return defineLayer({ name, commands: Object.fromEntries(hooks) });
}

// deno-lint-ignore no-explicit-any -- the arguments depend on the command
type Arguments = readonly any[];

function hookOf(deed: Misdeed, kept: (() => unknown)[], reachable: Reachable): AnyHook {
  const { command, at } = deed, before: Arguments[] = [];
  let calls = 0;
  return (next, ...args) => {
    const result = calls++ === at ? misbehave(deed, next, args, before, kept, reachable) : next(...args);
    before.push(args);
    if (command === "vkCreateFence") kept.splice(0).forEach((late) => late());
    return result;
  };
}

function misbehave(
  { command, fault, pick }: Misdeed,
  next: (...args: Arguments) => unknown,
  args: Arguments,
  before: readonly Arguments[],
  kept: (() => unknown)[],
  { device }: Reachable,
): unknown {
  const { parameters } = planOf(findCommand(command)!);
  switch (fault) {
    case "throw":
      throw new Error("thrown on purpose");
    case "throw after":
      next(...args);
      throw new Error("thrown on purpose");
    case "loop":
      return device
        ? (device.raw[command as keyof RawCommands] as (...args: Arguments) => unknown)(...args)
        : next(...args);
    case "result":
      next(...args);
      return WRONG_RESULTS[pick % WRONG_RESULTS.length];
    case "handle": {
      const result = next(...args),
        out = parameters.findLastIndex(({ kind, role }) => kind === "h" && role === "output");
      if (out >= 0 && args[out] !== 0n) poke64(args[out], GARBAGE[pick % GARBAGE.length]);
      return result;
    }
    case "nothing": {
      const out = parameters.findIndex(({ kind, role }) => kind === "h" && role === "output");
      return out >= 0 && args[out] !== 0n ? 0 : next(...args);
    }
    case "argument":
      return next(...args.with(pickOf(parameters, pick), GARBAGE[pick % GARBAGE.length]));
    case "stale": {
      const index = pickOf(parameters, pick), older = before.at(-1);
      return next(...(older ? args.with(index, older[index]) : args));
    }
    default:
      kept.push(() => next(...args));
      return next(...args);
  }
}

/** A handle or pointer among the parameters. */
function pickOf(parameters: ReturnType<typeof planOf>["parameters"], pick: number): number {
  const indices = parameters.flatMap(({ kind, stars }, index) => kind === "h" || stars > 0 ? [index] : []);
  return indices[pick % indices.length];
}
