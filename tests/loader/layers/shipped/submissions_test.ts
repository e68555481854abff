import { assertEquals } from "@std/assert";
import { Submissions } from "../../../../loader/layers/shipped/record/submissions.ts";

const submit = (...pSubmits: object[]) => ({ command: "vkQueueSubmit", args: { queue: "VkQueue#1", pSubmits } });

Deno.test("Submissions knows work whose end may depend on later calls, which waits for values of timelines", () => {
  const submissions = new Submissions();
  submissions.add(submit({ pWaitSemaphores: ["VkSemaphore#1"], pCommandBuffers: [] }));
  assertEquals([submissions.busy, submissions.dependsOnLater], [true, false]);
  const link = { sType: "VkTimelineSemaphoreSubmitInfo", pWaitSemaphoreValues: ["7"] };
  submissions.add(submit({ pNext: [link] }));
  assertEquals(submissions.dependsOnLater, true);
  submissions.waited("vkQueueWaitIdle", { queue: "VkQueue#1" });
  assertEquals([submissions.busy, submissions.dependsOnLater], [false, false]);
  submissions.add(submit({ pWaitSemaphoreInfos: [{ semaphore: "VkSemaphore#1", value: "0" }] }));
  assertEquals(submissions.dependsOnLater, false);
  submissions.add(submit({ pWaitSemaphoreInfos: [{ semaphore: "VkSemaphore#1", value: "3" }] }));
  assertEquals(submissions.dependsOnLater, true);
});
