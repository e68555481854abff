import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { lavapipePath, swiftshaderPath, validationManifest } from "../../../tools/setup/parts.ts";
import { loadVulkan } from "../../../loader/mod.ts";
import { type Outcome, selfCheck } from "../../../tools/fuzz/self_check/check.ts";
import { KINDS, memoryKinds, NON_COHERENT } from "../../../tools/fuzz/self_check/memory_kinds.ts";
import { runProgram } from "../../../tools/fuzz/self_check/program.ts";
import { selfChecks } from "../../../tools/fuzz/self_check/run.ts";
import { findingLines, summaryLines, summed } from "../../../tools/fuzz/self_check/summary.ts";
import { VK_BUFFER_USAGE_TRANSFER_DST_BIT, VK_WHOLE_SIZE } from "../../../loader/vk.ts";
import { openDevice } from "../../support/device.ts";
import { needs } from "../../support/require.ts";
import { runProgram as runChild } from "../../support/subprocess.ts";
import { withFolder } from "../../support/temporary.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());
const VALIDATION = needs("the validation layer", validationManifest());
const VALIDATED = "tests/tools/fuzz/validated_programs.ts";

for (const [name, driver] of [["lavapipe", lavapipePath()], ["SwiftShader", swiftshaderPath()]]) {
  Deno.test(`programs of the self-check are valid, and ${name} gives them the bytes that a simulation foretells`, {
    ignore: VALIDATION.ignore || needs(name!, driver).ignore,
  }, () => {
    const env = { VK_LAYER_ENABLES: "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT" };
    const { output } = runChild(VALIDATED, [driver!, "0", "8"], { env, seconds: 120 });
    assertMatch(output, /^\d+ reads, 0 wrong\n$/);
  });
}

Deno.test("programs of the self-check have all features", LAVAPIPE, () => {
  const features = new Set<string>();
  for (let seed = 0; seed < 30; seed++) {
    using vulkan = loadVulkan({ driver: lavapipePath()!, layers: [memoryKinds()] });
    for (const name of runProgram(vulkan, seed).features.keys()) features.add(name);
  }
  const all = [
    ...["1 frames in flight", "3 frames in flight", "1 instances", "3 instances", "probing instance"],
    ...["memory kind 1", `memory kind ${NON_COHERENT}`, "memory kind 3", "partial flush", "needless flush"],
    ...["binary semaphore", "submission waits for the host's semaphore", "commands wait for the host's event"],
    ...["vkWaitForFences", "vkGetFenceStatus", "vkWaitSemaphores", "vkGetSemaphoreCounterValue", "vkGetEventStatus"],
    ...["vkGetQueryPoolResults polled", "vkGetQueryPoolResults waited", "vkQueueWaitIdle", "vkDeviceWaitIdle"],
    ...["secondary command buffer", "reset by pool", "reset by anew", "commands again", "buffers replaced"],
  ];
  assertEquals(all.filter((name) => !features.has(name)), []);
});

Deno.test("memoryKinds() hides what is neither flushed nor invalidated", LAVAPIPE, () => {
  using opened = openDevice({ driver: lavapipePath()!, layers: [memoryKinds()] });
  const { device, gpu } = opened, size = 64n;
  assertEquals(gpu.vkGetPhysicalDeviceMemoryProperties().memoryTypes.map((each) => each.propertyFlags), KINDS);
  const buffer = device.vkCreateBuffer({ size, usage: VK_BUFFER_USAGE_TRANSFER_DST_BIT });
  const memory = device.vkAllocateMemory({ allocationSize: 256n, memoryTypeIndex: NON_COHERENT });
  device.vkBindBufferMemory(buffer, memory, 0n);
  const address = device.vkMapMemory(memory, 0n, VK_WHOLE_SIZE);
  const bytes = new Uint8Array(new Deno.UnsafePointerView(Deno.UnsafePointer.create(address)!).getArrayBuffer(256));
  const before = bytes[0]; // anything: nobody has written to the memory
  bytes[0] ^= 1;
  const range = [{ memory, offset: 0n, size: VK_WHOLE_SIZE }];
  device.vkInvalidateMappedMemoryRanges(range);
  assertEquals(bytes[0], before, "what was not flushed is lost");
  bytes[0] = before ^ 2;
  device.vkFlushMappedMemoryRanges(range);
  device.vkInvalidateMappedMemoryRanges(range);
  assertEquals(bytes[0], before ^ 2);
  device.vkDestroyBuffer(buffer);
  device.vkFreeMemory(memory);
});

Deno.test("selfCheck() finds that the writes of a program are lost", LAVAPIPE, () => {
  withFolder((folder) => {
    const lose = (seed: number) =>
      selfCheck(seed, [lavapipePath()!], folder, (lines) => lines.filter((line) => !("write" in line)));
    const outcomes = [3, 4, 5].map(lose).filter(({ gaps }) => gaps.length === 0);
    for (const { findings } of outcomes) assertStringIncludes(findings.join("\n"), "of the program (bytes ");
  });
});

Deno.test("selfChecks() tells which program ended its process, and goes on behind it", async () => {
  const outcomes: Outcome[] = [];
  const programs = { drivers: ["/nowhere/libvulkan_none.so"], first: 8, count: 2, jobs: 1 };
  await selfChecks(programs, (outcome) => outcomes.push(outcome));
  assertEquals(outcomes.map(({ seed }) => seed), [8, 9]);
  for (const { findings } of outcomes) assertStringIncludes(findings[0], "its process ended with 1: ");
});

Deno.test("summaries name the seeds, the findings and how often gaps are named", () => {
  const outcome = { drivers: ["libvulkan_lvp.so"], reads: 2, features: { "vkWaitForFences": 2 } };
  const outcomes: Outcome[] = [
    { ...outcome, seed: 4, gaps: ["Nobody saw VkBuffer#3"], findings: [] },
    { ...outcome, seed: 5, gaps: ["Nobody saw VkBuffer#9"], findings: [] },
    { ...outcome, seed: 6, gaps: [], findings: ["one", "two", "three", "four"] },
  ];
  assertEquals(outcomes.flatMap(findingLines), [
    "seed 6 (libvulkan_lvp.so):",
    "  one",
    "  two",
    "  three",
    "  and 1 more",
  ]);
  const lines = summaryLines(summed(outcomes, 4, 3));
  assertEquals(lines.at(-1), "3 programs, seeds 4 to 6: 6 reads compared, 1 with a difference that no gap names");
  assert(lines.includes("      2  Nobody saw VkBuffer…"), lines.join("\n"));
});
