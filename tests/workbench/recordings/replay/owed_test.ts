import { assertEquals } from "@std/assert";
import type { RecordedCall } from "../../../../workbench/layers.ts";
import { Owed, withoutWaits } from "../../../../workbench/recordings/replay/owed.ts";

const submit = (queue: string, pWaitSemaphores: string[], pSignalSemaphores: string[]): RecordedCall => ({
  command: "vkQueueSubmit",
  args: { queue, pSubmits: [{ pWaitSemaphores, pSignalSemaphores }] },
});

Deno.test("Owed signals the semaphore of an acquired image right before the submission that waits for it", () => {
  const owed = new Owed();
  owed.acquired("VkSemaphore#1");
  owed.acquired("VkSemaphore#2");
  assertEquals([...owed.take(submit("VkQueue#1", [], []))], []);
  const before = { waits: [], signals: ["VkSemaphore#2"] };
  assertEquals([...owed.take(submit("VkQueue#1", ["VkSemaphore#2"], []))], [["VkQueue#1", before]]);
  owed.forget("VkSemaphore#1");
  assertEquals([...owed.take(submit("VkQueue#1", ["VkSemaphore#1"], []))], []);
});

Deno.test("Owed waits before the next submission of the queue that presents, or before another queue signals again", () => {
  const owed = new Owed();
  owed.presented("VkQueue#1", ["VkSemaphore#1", "VkSemaphore#2"]);
  const before = (...waits: string[]) => ({ waits, signals: [] });
  assertEquals([...owed.take(submit("VkQueue#2", [], []))], []);
  assertEquals([...owed.take(submit("VkQueue#2", [], ["VkSemaphore#1"]))], [["VkQueue#1", before("VkSemaphore#1")]]);
  assertEquals([...owed.take(submit("VkQueue#1", [], []))], [["VkQueue#1", before("VkSemaphore#2")]]);
  owed.acquired("VkSemaphore#3");
  owed.presented("VkQueue#1", ["VkSemaphore#3"]);
  assertEquals([...owed.take(submit("VkQueue#1", ["VkSemaphore#3"], []))], [], "shown as it was acquired");
});

Deno.test("withoutWaits() leaves out waits with their stages, unless a chain counts them", () => {
  const older = { pWaitSemaphores: [1n, 2n, 3n], pWaitDstStageMask: [10, 20, 30], pCommandBuffers: [7n] };
  const left = { pWaitSemaphores: [1n, 3n], pWaitDstStageMask: [10, 30], pCommandBuffers: [7n] };
  assertEquals(withoutWaits([older, {}], new Set([2n])), [left, {}]);
  const newer = { pWaitSemaphoreInfos: [{ semaphore: 1n }, { semaphore: 2n }] };
  assertEquals(withoutWaits([newer], new Set([2n])), [{ pWaitSemaphoreInfos: [{ semaphore: 1n }] }]);
  assertEquals(withoutWaits([{ ...older, pNext: [] }], new Set([2n])), undefined);
});
