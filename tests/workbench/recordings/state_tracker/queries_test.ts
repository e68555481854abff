import { assertEquals, assertThrows } from "@std/assert";
import { VK_QUERY_CONTROL_PRECISE_BIT } from "../../../../loader/vk.ts";
import type { Fields, RecordedCall } from "../../../../workbench/recordings/record/line.ts";
import { Queries } from "../../../../workbench/recordings/state_tracker/queries.ts";
import { StateTracker } from "../../../../workbench/recordings/state_tracker/state_tracker.ts";
import { withoutStaleQueries } from "../../../../workbench/recordings/trim/trim.ts";

const queryPool = "VkQueryPool#1", commandBuffer = "VkCommandBuffer#1", device = "VkDevice#1";

const call = (command: string, args: Fields, out?: Fields): RecordedCall => ({ command, args, ...out && { out } });
const read = (firstQuery: number, queryCount: number) =>
  call("vkGetQueryPoolResults", { device, queryPool, firstQuery, queryCount });
const submitted = (...commands: RecordedCall[]) => [
  call("vkBeginCommandBuffer", { commandBuffer }),
  ...commands.map(({ command, args }) => call(command, { commandBuffer, ...args })),
  call("vkEndCommandBuffer", { commandBuffer }),
  call("vkQueueSubmit", { queue: "VkQueue#1", pSubmits: [{ pCommandBuffers: [commandBuffer] }] }),
];

Deno.test("Queries know which queries were reset, begun or answered, and which counts are precise", () => {
  const queries = new Queries();
  queries.note(call("vkCmdResetQueryPool", { queryPool, firstQuery: 2, queryCount: 3 }));
  assertEquals([read(2, 3), read(1, 2), read(4, 2)].map((each) => queries.knowsAll(each)), [true, false, false]);
  for (const flags of [VK_QUERY_CONTROL_PRECISE_BIT, 0]) {
    queries.note(call("vkCmdBeginQueryIndexedEXT", { queryPool, query: 2, flags, index: 0 }));
    queries.note(call("vkCmdEndQueryIndexedEXT", { queryPool, query: 2, index: 0 }));
    assertEquals(queries.isPrecise(queryPool, 2), flags !== 0);
  }
  queries.note(read(8, 1));
  assertEquals(queries.knowsAll(read(8, 1)), false, "a read gives no answer");
  queries.forget(queryPool);
  assertEquals(queries.knowsAll(read(2, 1)), false);
});

Deno.test("Queries count one for each view of a pass, and one for each structure whose properties are written", () => {
  const queries = new Queries(), { resources } = new StateTracker();
  const begin = call("vkCmdBeginRendering", { pRenderingInfo: { viewMask: 0b1011 } });
  queries.note(call("vkCmdWriteTimestamp2", { queryPool, query: 4 }), resources, {
    begin,
    isDynamic: true,
    subpass: 0,
  });
  assertEquals([read(4, 3), read(4, 4)].map((each) => queries.knowsAll(each)), [true, false]);
  queries.note(
    call("vkCmdWriteAccelerationStructuresPropertiesKHR", { queryPool, firstQuery: 10, accelerationStructureCount: 2 }),
  );
  assertEquals([read(10, 2), read(10, 3)].map((each) => queries.knowsAll(each)), [true, false]);
});

Deno.test("StateTracker.queries has the queries of submissions alone, and forgets those of a pool that ends", () => {
  const tracker = new StateTracker();
  const lines = [
    call("vkCreateQueryPool", { device, pCreateInfo: {} }, { pQueryPool: queryPool }),
    ...submitted(call("vkCmdWriteTimestamp", { queryPool, query: 0 })),
  ];
  for (const [index, line] of lines.entries()) tracker.note(index, line);
  assertEquals(tracker.queries.knowsAll(read(0, 1)), false);
  tracker.submit(lines.at(-1)!);
  assertEquals(tracker.queries.knowsAll(read(0, 1)), true);
  tracker.note(lines.length, call("vkDestroyQueryPool", { device, queryPool }));
  assertEquals(tracker.queries.knowsAll(read(0, 1)), false);
});

Deno.test("withoutStaleQueries() leaves out reads of queries that the part does not answer, one by one", () => {
  const tracker = new StateTracker();
  tracker.note(0, call("vkCreateQueryPool", { device, pCreateInfo: {} }, { pQueryPool: queryPool }));
  const reset = call("vkCmdResetQueryPool", { queryPool, firstQuery: 0, queryCount: 1 });
  const part = [
    ...submitted(reset, call("vkCmdWriteTimestamp", { queryPool, query: 0 })),
    read(0, 1),
    read(0, 2), // the second is from before
  ];
  const { lines, pools } = withoutStaleQueries(tracker, part);
  assertEquals(lines, part.slice(0, -1));
  assertEquals([...pools], [queryPool]);
  const copies = submitted(call("vkCmdCopyQueryPoolResults", { queryPool, firstQuery: 1, queryCount: 1 }));
  assertThrows(() => withoutStaleQueries(tracker, copies), TypeError, "copies results of VkQueryPool#1 from before");
});
