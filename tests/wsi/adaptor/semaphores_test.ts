import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { VkSemaphore } from "../../../loader/types.ts";
import { nativeBufferAdaptor } from "../../../wsi/adaptor/native_buffer_adaptor.ts";
import { validationManifest } from "../../../tools/setup/parts.ts";
import { lateTimelines } from "../../support/late_timelines.ts";
import { needs } from "../../support/require.ts";
import { ADAPTED, type Bench, openBench } from "./drawing.ts";

const SECOND = 1_000_000_000n, ALL = 0x10000;
const OPAQUE_FD = 1, TEMPORARY = 1, TIMELINE = 1;

/** Runs a test with virtual semaphores on every driver, with validation below, which must be silent. */
function onDrivers(
  name: string,
  test: (bench: Bench, driver: string) => void,
  extensions: readonly string[] = [],
  drivers: readonly string[] = ["lavapipe", "SwiftShader"],
) {
  for (const [driver, path] of ADAPTED.filter(([driver]) => drivers.includes(driver))) {
    Deno.test(`${name}: ${driver}`, {
      ignore: needs(driver, path).ignore || needs("Khronos validation layer", validationManifest()).ignore,
    }, () => {
      const adaptor = nativeBufferAdaptor();
      using bench = openBench(adaptor, {
        driver: path!,
        layers: [adaptor, "VK_LAYER_KHRONOS_validation"],
        validated: true,
        extensions: ["VK_ANDROID_native_buffer", ...extensions],
      });
      assertEquals(adaptor.describe(bench.device.handle)!.semaphores, "virtual");
      test(bench, driver);
      assertEquals(bench.messages, []);
    });
  }
}

onDrivers(
  "binary semaphores and timelines of the application go together in all kinds of submissions",
  ({ device, queue }) => {
    const [one, two] = [
      device.vkCreateSemaphore({}),
      device.vkCreateSemaphore({ pNext: [{ sType: 1000207002, semaphoreType: 0, initialValue: 0n }] }),
    ];
    const line = device.vkCreateSemaphore({
      pNext: [{ sType: 1000207002, semaphoreType: TIMELINE, initialValue: 3n }],
    });
    const fence = device.vkCreateFence({});
    for (let round = 0n; round < 3n; round++) {
      queue.vkQueueSubmit([{ pSignalSemaphores: [one] }, {
        pWaitSemaphores: [one],
        pWaitDstStageMask: [ALL],
        pSignalSemaphores: [one, two],
      }], null);
      queue.vkQueueSubmit2([{
        pWaitSemaphoreInfos: [at(one), at(two)],
        pSignalSemaphoreInfos: [{ ...at(line), value: 10n * round + 5n }, at(one)],
      }], null);
      queue.vkQueueSubmit([{
        pWaitSemaphores: [line, one],
        pWaitDstStageMask: [ALL, ALL],
        pSignalSemaphores: [line],
        pNext: [{
          sType: 1000207003,
          pWaitSemaphoreValues: [10n * round + 5n, 0n],
          pSignalSemaphoreValues: [10n * round + 7n],
        }],
      }], fence);
      assertEquals(device.vkWaitForFences([fence], true, SECOND), 0);
      device.vkResetFences([fence]);
      // lavapipe 22.3 signals the fence first
      assertEquals(device.vkWaitSemaphores({ pSemaphores: [line], pValues: [10n * round + 7n] }, SECOND), 0);
      assertEquals(device.vkGetSemaphoreCounterValue(line), 10n * round + 7n);
    }
    for (const each of [one, two, line]) device.vkDestroySemaphore(each);
    device.vkDestroyFence(fence);
  },
);

onDrivers("random submissions end as they would with binary semaphores", ({ device, queue }) => {
  const pool = Array.from({ length: 5 }, () => device.vkCreateSemaphore({})), fence = device.vkCreateFence({});
  const picks = fc.array(fc.array(fc.nat({ max: pool.length - 1 }), { maxLength: 4 }), { maxLength: 12 });
  const signaled = new Set<number>();
  fc.assert(
    fc.property(picks, fc.boolean(), (steps, isNew) => {
      // a binary semaphore is signalled and waited for in turn
      const infos = steps.map((step) => {
        const waits = [...new Set(step)].filter((each) => signaled.has(each));
        waits.forEach((each) => signaled.delete(each));
        const signals = [...new Set(step.map((each) => (each + 1) % pool.length))].filter((each) =>
          !signaled.has(each)
        );
        signals.forEach((each) => signaled.add(each));
        return { waits: waits.map((each) => pool[each]), signals: signals.map((each) => pool[each]) };
      });
      if (isNew) {
        queue.vkQueueSubmit2(
          infos.map(({ waits, signals }) => ({
            pWaitSemaphoreInfos: waits.map(at),
            pSignalSemaphoreInfos: signals.map(at),
          })),
          fence,
        );
      } else {
        queue.vkQueueSubmit(
          infos.map(({ waits, signals }) => ({
            pWaitSemaphores: waits,
            pWaitDstStageMask: waits.map(() => ALL),
            pSignalSemaphores: signals,
          })),
          fence,
        );
      }
      assertEquals(device.vkWaitForFences([fence], true, 5n * SECOND), 0);
      device.vkResetFences([fence]);
    }),
    { numRuns: 40 },
  );
  for (const each of pool) device.vkDestroySemaphore(each);
  device.vkDestroyFence(fence);
});

onDrivers(
  "a wait for a virtual semaphore waits for an imported payload",
  ({ device, queue }) => {
    const exported = device.vkCreateSemaphore({ pNext: [{ sType: 1000077000, handleTypes: OPAQUE_FD }] });
    const virtual = device.vkCreateSemaphore({}), fence = device.vkCreateFence({});
    for (const flags of [TEMPORARY, TEMPORARY, 0]) {
      const fd = device.vkGetSemaphoreFdKHR({ semaphore: exported, handleType: OPAQUE_FD });
      device.vkImportSemaphoreFdKHR({ semaphore: virtual, flags, handleType: OPAQUE_FD, fd });
      queue.vkQueueSubmit([{ pSignalSemaphores: [exported] }], null);
      queue.vkQueueSubmit([{ pWaitSemaphores: [virtual], pWaitDstStageMask: [ALL] }], fence);
      assertEquals(device.vkWaitForFences([fence], true, SECOND), 0);
      device.vkResetFences([fence]);
      if (flags === 0) continue;
      queue.vkQueueSubmit([{ pSignalSemaphores: [virtual] }], null); // on its own payload again
      queue.vkQueueSubmit([{ pWaitSemaphores: [virtual], pWaitDstStageMask: [ALL] }], fence);
      assertEquals(device.vkWaitForFences([fence], true, SECOND), 0);
      device.vkResetFences([fence]);
    }
    for (const each of [exported, virtual]) device.vkDestroySemaphore(each);
    device.vkDestroyFence(fence);
  },
  ["VK_KHR_external_semaphore_fd"],
  ["SwiftShader"],
); // lavapipe lacks it

for (const [driver, path] of ADAPTED) {
  Deno.test(`a virtual semaphore is destroyed when its value is reached: ${driver}`, needs(driver, path), () => {
    const adaptor = nativeBufferAdaptor({ semaphores: "virtual" }), { layer, early } = lateTimelines();
    using bench = openBench(adaptor, { driver: path!, layers: [adaptor, layer] });
    const { device, queue } = bench, fence = device.vkCreateFence({});
    for (const waits of [false, true]) {
      const semaphore = device.vkCreateSemaphore({});
      queue.vkQueueSubmit([{ pSignalSemaphores: [semaphore] }], waits ? null : fence);
      if (waits) queue.vkQueueSubmit([{ pWaitSemaphores: [semaphore], pWaitDstStageMask: [ALL] }], fence);
      assertEquals(device.vkWaitForFences([fence], true, SECOND), 0);
      device.vkResetFences([fence]);
      device.vkDestroySemaphore(semaphore);
    }
    device.vkDestroySemaphore(device.vkCreateSemaphore({})); // nothing to wait for
    assertEquals(early.length, 1);
    device.vkDestroyFence(fence);
  });
}

function at(semaphore: VkSemaphore) {
  return { semaphore, value: 0n, stageMask: BigInt(ALL), deviceIndex: 0 };
}
