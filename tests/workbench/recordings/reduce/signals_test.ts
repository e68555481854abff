import { assertEquals } from "@std/assert";
import { hasAllSignals } from "../../../../workbench/recordings/reduce/sound.ts";
import type { RecordedLine } from "../../../../workbench/layers.ts";
import { VK_FENCE_CREATE_SIGNALED_BIT, VK_SEMAPHORE_TYPE_TIMELINE } from "../../../../loader/vk.ts";

const call = (command: string, args: object, out?: object) => ({ command, args, out }) as unknown as RecordedLine;
const submit = (batch: object, fence?: string) => call("vkQueueSubmit", { pSubmits: [batch], fence });
const WAIT = submit({ pWaitSemaphores: ["VkSemaphore#1"] }), SIGNAL = submit({ pSignalSemaphores: ["VkSemaphore#1"] });

Deno.test("hasAllSignals() refuses waits for a semaphore that nothing signals, or that another wait has used up", () => {
  assertEquals(hasAllSignals([WAIT]), false);
  assertEquals(hasAllSignals([SIGNAL, WAIT]), true);
  assertEquals(hasAllSignals([SIGNAL, WAIT, WAIT]), false);
  const [waitInfo, signalInfo] = ["pWaitSemaphoreInfos", "pSignalSemaphoreInfos"].map((name) =>
    call("vkQueueSubmit2", { pSubmits: [{ [name]: [{ semaphore: "VkSemaphore#1" }] }] })
  );
  assertEquals([hasAllSignals([waitInfo]), hasAllSignals([signalInfo, waitInfo])], [false, true]);
});

Deno.test("hasAllSignals() knows who else signals semaphores, and that those with numbers may be signaled later", () => {
  const acquire = call("vkAcquireNextImageKHR", { semaphore: "VkSemaphore#1" });
  const present = call("vkQueuePresentKHR", { pPresentInfo: { pWaitSemaphores: ["VkSemaphore#1"] } });
  assertEquals([hasAllSignals([present]), hasAllSignals([acquire, present])], [false, true]);
  const imported = call("vkImportSemaphoreFdKHR", { pImportSemaphoreFdInfo: { semaphore: "VkSemaphore#1" } });
  assertEquals(hasAllSignals([imported, WAIT]), true);
  const pNext = [{ semaphoreType: VK_SEMAPHORE_TYPE_TIMELINE }];
  const timeline = call("vkCreateSemaphore", { pCreateInfo: { pNext } }, { pSemaphore: "VkSemaphore#1" });
  assertEquals(hasAllSignals([timeline, WAIT]), true);
});

Deno.test("hasAllSignals() refuses waits for a fence that no submission got, or that was reset", () => {
  const wait = call("vkWaitForFences", { pFences: ["VkFence#1"] }), given = submit({}, "VkFence#1");
  const reset = call("vkResetFences", { pFences: ["VkFence#1"] });
  assertEquals([hasAllSignals([wait]), hasAllSignals([given, wait])], [false, true]);
  assertEquals(hasAllSignals([given, reset, wait]), false);
  const flags = VK_FENCE_CREATE_SIGNALED_BIT;
  assertEquals(hasAllSignals([call("vkCreateFence", { pCreateInfo: { flags } }, { pFence: "VkFence#1" }), wait]), true);
});
