import * as fc from "fast-check";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import { generatedMethod, generatedRaw } from "../../../../loader/command/compiled/generate.ts";
import { interpretedMethod, interpretedRaw } from "../../../../loader/command/closures/interpret.ts";
import { callerParameters, type Parameter, type Plan, planOf } from "../../../../loader/command/plan.ts";
import { fail } from "../../../../loader/command/runtime.ts";
import { type Command, findCommand } from "../../../../loader/command/registry/table.ts";
import type { NativeCall, Target } from "../../../../loader/command/target.ts";
import { COMMANDS as TABLE } from "../../../../loader/gen/command_table_gen.js";
import { TEST_PRELOAD } from "../../../../tools/test/preload.ts";
import { runProgram, runTests } from "../../../support/subprocess.ts";
import { needs } from "../../../support/require.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { structs } from "../../codec/arbitrary.ts";

const NAMES = TABLE.trim().split("\n").map((line) => line.split(" ")[0]);
const COMMANDS: readonly Command[] = NAMES.map((name) => findCommand(name)!);
const CALLER = { handle: 77n, wrap: (type: string, handle: bigint) => ({ type, handle }) };
/** Bytes of arena that are compared; far more than any command here uses. */
const COMPARED = 65536;

/** The demands of commands on structs beyond the registry. */
const IMAGE = { extent: { width: 4, height: 4, depth: 1 }, mipLevels: 1 };
const DEMANDED: Record<string, Record<string, unknown>> = {
  VkImageCreateInfo: IMAGE,
  VkDeviceImageMemoryRequirements: { pCreateInfo: IMAGE },
  VkDeviceImageSparseMemoryRequirements: { pCreateInfo: IMAGE },
  VkDeviceCreateInfo: { queueCreateInfoCount: undefined, pQueueCreateInfos: [{ pQueuePriorities: [1] }] },
  VkGraphicsPipelineCreateInfo: { pDynamicState: { pDynamicStates: [1000267000] } },
  VkWriteDescriptorSet: { dstSet: 5n },
};

/** A plausible argument for a parameter; arrays have two elements. */
function argumentFor(parameter: Parameter, seed: number): unknown {
  const { role, kind, type, dims, stars } = parameter;
  if (role === "output") return undefined;
  if (role === "text") return "a name";
  if (role === "data") return new Uint8Array([1, 2, 3]);
  if (role === "struct") return sampleStruct(type, seed);
  const one = (index: number): unknown => kind === "struct" ? sampleStruct(type, seed + index) : scalar(kind, index);
  if (role !== "array") return one(1);
  const inner = (index: number) => stars > 1 ? Array.from({ length: 8 }, (_, each) => one(index + each)) : one(index);
  return Array.from({ length: dims[0] ?? 2 }, (_, index) => inner(index));
}

function sampleStruct(type: string, seed: number): unknown {
  const struct = { ...fc.sample(structs(type), { seed, numRuns: 1 })[0], ...DEMANDED[type] };
  return "commandBufferCount" in struct ? { ...struct, commandBufferCount: 2 } : struct;
}

function scalar(kind: string, index: number): unknown {
  if (["u64", "i64", "h", "p"].includes(kind)) return 0x1_0000_0005n + BigInt(index);
  return kind === "bool" ? index === 1 : kind === "f32" ? index + 0.5 : index + 3;
}

/** A native command that notes what it is called with and writes its scalar outputs. */
function noting(plan: Plan, result: unknown, calls: unknown[]): NativeCall {
  return (...args) => {
    const memory = arena(), top = memory.mark();
    calls.push(args, memory.bytes.slice(Math.max(top - COMPARED, 0), top));
    plan.parameters.forEach(({ role, kind, len }, index) => {
      if (role === "fill") memory.view.setUint32(args[index], 2, true);
      if (role === "output" && kind !== "struct" && args[index] !== 0) {
        memory.view.setUint8(args[index], 9 + len.length);
      }
    });
    return result;
  };
}

/** Calls a method and tells everything that can be seen of it. */
function observe(plan: Plan, result: unknown, args: unknown[], make: (target: Target) => NativeCall): unknown {
  const memory = arena(), mark = memory.mark(), calls: unknown[] = [];
  memory.bytes.fill(0, mark, mark + 4 * COMPARED);
  const method = make({ call: noting(plan, result, calls), offset: 8, fail });
  let outcome: unknown;
  try {
    outcome = method.apply(CALLER as never, args as never);
  } catch (error) {
    outcome = String(error);
  }
  assertEquals(memory.mark(), mark, `${plan.command.name} leaves the arena as it was`);
  return { calls, outcome };
}

function assertSame(command: Command, result: unknown, argument: (parameter: Parameter) => unknown): unknown {
  const plan = planOf(command), args = callerParameters(plan).map(argument);
  const generated = observe(plan, result, args, (target) => generatedMethod(plan, target));
  assertEquals(observe(plan, result, args, (target) => interpretedMethod(plan, target)), generated, command.name);
  return (generated as { outcome: unknown }).outcome;
}

Deno.test("interpretedMethod() does what generated code does, for every command", () => {
  const failed: string[] = [];
  COMMANDS.forEach((command, seed) => {
    const result = /64|Size|Address|PFN/.test(command.result) ? 1n : 0;
    const outcome = assertSame(command, result, (parameter) => argumentFor(parameter, seed));
    if (typeof outcome === "string") failed.push(`${command.name}: ${outcome}`);
  });
  assertEquals(failed, []);
});

Deno.test("interpretedMethod() complains as generated code does, for every command", () => {
  for (const command of COMMANDS) {
    assertSame(command, 0, () => undefined);
    assertSame(command, 0, () => "wrong");
    assertSame(command, -4, () => ({ wrong: 1 }));
  }
});

Deno.test("interpretedMethod() throws the error of a negative result", () => {
  const outcome = assertSame(findCommand("vkDeviceWaitIdle")!, -4, () => undefined);
  assertStringIncludes(outcome as string, "VK_ERROR_DEVICE_LOST");
});

Deno.test("interpretedRaw() passes what generated code passes, for every command", () => {
  for (const command of COMMANDS) {
    const args = command.params.map((_, index) => -1 - index);
    const calls: unknown[][] = [], target = { call: (...passed: unknown[]) => calls.push(passed), offset: 24 };
    generatedRaw(command, target)(...args);
    interpretedRaw(command, target)(...args);
    assertEquals(calls[1], calls[0], command.name);
  }
});

const driver = lavapipePath(), LAVAPIPE = needs("Mesa lavapipe", driver);
const FORBIDDEN = "--v8-flags=--disallow-code-generation-from-strings";

Deno.test("a buffer is filled where code may not be generated from strings", LAVAPIPE, () => {
  const { code, output } = runProgram("tests/support/fill_program.ts", [driver!], { flags: [FORBIDDEN] });
  assertEquals(code, 0, output);
  assertStringIncludes(output, "generated code: false");
  assertStringIncludes(output, "filled with 0xfeedbeef, 1 layer call");
});

Deno.test("the tests of commands pass where code may not be generated from strings", LAVAPIPE, () => {
  const files = ["arguments", "chains", "count_then_fill", "holes", "ranges", "results"].map((name) =>
    `tests/loader/command/${name}_test.ts`
  );
  const { code, output } = runTests([FORBIDDEN, TEST_PRELOAD, ...files]);
  assertEquals(code, 0, output);
});
