import { assertEquals, assertThrows } from "@std/assert";
import type { Fields, RecordedCall } from "../../../../workbench/recordings/record/line.ts";
import { Reach } from "../../../../workbench/recordings/record/reach.ts";
import { cutStream } from "../../../../workbench/recordings/compare/driver_process/cut.ts";
import { Flow } from "../../../../workbench/recordings/state_tracker/flow.ts";
import { StateTracker } from "../../../../workbench/recordings/state_tracker/state_tracker.ts";

const [A, B, C] = [1, 2, 3].map((number) => `VkCommandBuffer#${number}`);

const call = (command: string, args: Fields, out?: Fields): RecordedCall => ({ command, args, ...out && { out } });
const execute = (commandBuffer: string, ...pCommandBuffers: string[]) =>
  call("vkCmdExecuteCommands", { commandBuffer, pCommandBuffers });
const fill = (commandBuffer: string, data: number) => call("vkCmdFillBuffer", { commandBuffer, data });
const recorded = (commandBuffer: string, ...commands: RecordedCall[]) => [
  call("vkBeginCommandBuffer", { commandBuffer }),
  ...commands,
  call("vkEndCommandBuffer", { commandBuffer }),
];
const submission = call("vkQueueSubmit", { queue: "VkQueue#1", pSubmits: [{ pCommandBuffers: [A] }] });

/** A tracker that has noted the calls of command buffers. */
function tracked(lines: readonly RecordedCall[]): StateTracker {
  const tracker = new StateTracker();
  for (const [index, line] of lines.entries()) tracker.note(index, line);
  return tracker;
}

Deno.test("StateTracker.executed() ends at a command buffer that executes itself, or others that execute the first", () => {
  const direct = tracked(recorded(A, execute(A, A)));
  const around = tracked([...recorded(A, execute(A, B)), ...recorded(B, execute(B, C)), ...recorded(C, execute(C, A))]);
  for (const tracker of [direct, around]) {
    for (const follow of [() => [...tracker.executed(submission)], () => tracker.buffersOf(submission)]) {
      assertThrows(follow, TypeError, `${A} executes itself`);
    }
    assertThrows(() => tracker.submit(submission), TypeError, `${A} executes itself`);
    assertEquals([...tracker.recorded(A)].map(({ call }) => call.command), [
      "vkBeginCommandBuffer",
      "vkCmdExecuteCommands",
      "vkEndCommandBuffer",
    ]);
  }
});

Deno.test("StateTracker.executed() enters command buffers that are executed twice, at any depth", () => {
  const lines = [
    ...recorded(C, fill(C, 3)),
    ...recorded(B, fill(B, 2), execute(B, C, C)),
    ...recorded(A, execute(A, B), fill(A, 1)),
  ];
  const tracker = tracked(lines), fills = [...tracker.executed(submission)].filter(({ call }) => call.args.data);
  assertEquals(fills.map(({ call, within }) => [call.args.data, within]), [
    [2, [A, B]],
    [3, [A, B, C]],
    [3, [A, B, C]],
    [1, [A]],
  ]);
  assertEquals(tracker.buffersOf(submission), [A, B, C, C]);
});

Deno.test("cutStream() ends each of three command buffers at an action of the innermost, from the inside out", () => {
  const allocate = call("vkAllocateCommandBuffers", { pAllocateInfo: {} }, { pCommandBuffers: [A, B, C] });
  const inner = recorded(C, fill(C, 3), fill(C, 4)), middle = recorded(B, execute(B, C), fill(B, 2));
  const lines = [allocate, ...inner, ...middle, ...recorded(A, execute(A, B), fill(A, 1)), submission];
  const { last } = cutStream({ entries: () => lines.entries() }, { submission: 0, actions: 1 });
  assertEquals(last, [
    ...recorded(C, fill(C, 3)),
    ...recorded(B, execute(B, C)),
    ...recorded(A, execute(A, B)),
    submission,
  ]);
});

Deno.test("Flow takes the events of a command buffer that executes itself once, and finds its uses", () => {
  const flow = new Flow(), event = "VkEvent#1";
  for (const each of [execute(A, A), call("vkCmdWaitEvents", { commandBuffer: A, pEvents: [event] })]) {
    flow.note(each.command, each);
  }
  flow.submit(submission, 1);
  assertEquals(flow.held.map(({ name }) => name), [event]);
  assertEquals(flow.uses([A]).isHeld, true);
});

Deno.test("Reach follows a command buffer that executes itself once", () => {
  const reach = new Reach();
  reach.begin(A);
  reach.command("vkCmdFillBuffer", { commandBuffer: A, dstBuffer: "VkBuffer#1", dstOffset: 0, size: 4 });
  reach.command("vkCmdExecuteCommands", { commandBuffer: A, pCommandBuffers: [A] });
  assertEquals(reach.of([A]).uses.map(({ object }) => object), ["VkBuffer#1"]);
});
