import { assert, assertEquals, assertThrows } from "@std/assert";
import { openBlocks } from "../../../ffi/block.ts";
import { objectLeaks } from "../../../workbench/layers.ts";
import type { VkFence, VkSemaphore } from "../../../loader/types.ts";
import { nativeBufferAdaptor, type SemaphoreKind } from "../../../wsi/adaptor/native_buffer_adaptor.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { validationManifest } from "../../../tools/setup/parts.ts";
import { mappings, openFiles } from "../../support/open_files.ts";
import { needs } from "../../support/require.ts";
import { assertNoMoreFiles } from "../files_left.ts";
import { steadyWorker } from "./steady_worker.ts";
import {
  ADAPTED,
  type Bench,
  type Canvas,
  draw,
  openBench,
  openCanvas,
  PICTURE,
  showFrame,
  VulkanError,
  wrongPixels,
} from "./drawing.ts";

const RED = [255, 0, 0, 255], CYAN = [0, 255, 255, 255];
const SECOND = 1_000_000_000n, NOT_READY = 1;
const KINDS: readonly SemaphoreKind[] = ["native", "virtual"];

/** Runs a test on every driver with both kinds of semaphores, and validation below. */
function onAll(
  name: string,
  test: (bench: Bench, canvas: Canvas, kind: SemaphoreKind) => void | Promise<void>,
  kinds = KINDS,
) {
  for (const [driver, path] of ADAPTED) {
    for (const kind of kinds) {
      Deno.test(`${name}: ${driver}, ${kind} semaphores`, {
        ignore: needs(driver, path).ignore || needs("Khronos validation layer", validationManifest()).ignore,
      }, async () => {
        using _worker = steadyWorker();
        const adaptor = nativeBufferAdaptor({ semaphores: kind });
        using bench = openBench(adaptor, {
          driver: path!,
          layers: [adaptor, "VK_LAYER_KHRONOS_validation"],
          validated: true,
        });
        {
          using canvas = openCanvas(bench.device, 37, 61, 37);
          assertEquals(adaptor.describe(bench.device.handle)!.semaphores, kind);
          await test(bench, canvas, kind);
        }
        assertEquals(bench.messages, []);
      });
    }
  }
}

/** A semaphore and a VkFence, destroyed at the end of the scope. */
function signals({ device }: Bench): { acquired: VkSemaphore; drawn: VkSemaphore; fence: VkFence } & Disposable {
  const [acquired, drawn] = [device.vkCreateSemaphore({}), device.vkCreateSemaphore({})],
    fence = device.vkCreateFence({});
  return {
    acquired,
    drawn,
    fence,
    [Symbol.dispose]() {
      device.vkDestroySemaphore(acquired);
      device.vkDestroySemaphore(drawn);
      device.vkDestroyFence(fence);
    },
  };
}

onAll("vkAcquireImageANDROID takes every signalled fence, and keeps no file descriptor", async (bench, canvas) => {
  const { device } = bench;
  showFrame(bench, canvas);
  const before = openFiles(), native = NativeFence.create();
  native.signal();
  using objects = signals(bench);
  for (const fd of [-1, native.fence.dup().take(), native.fence.take()]) {
    device.vkAcquireImageANDROID(canvas.image, fd, null, objects.fence);
    assertEquals(device.vkWaitForFences([objects.fence], true, SECOND), 0);
    device.vkResetFences([objects.fence]);
    device.vkAcquireImageANDROID(canvas.image, -1);
    showFrame(bench, canvas);
  }
  await assertNoMoreFiles(before);
  assertEquals(wrongPixels(canvas.buffer, PICTURE, RED, CYAN), 0);
});

onAll("a pending fence blocks nobody, and what waits for it goes on when it is signalled", async (bench, canvas) => {
  const { device, queue } = bench, before = openFiles(), native = NativeFence.create();
  using objects = signals(bench);
  const other = device.vkCreateFence({});
  device.vkAcquireImageANDROID(canvas.image, native.fence.take(), objects.acquired, objects.fence);
  {
    using _drawing = draw(bench, canvas, PICTURE, { wait: objects.acquired, signal: objects.drawn });
    queue.vkQueueSubmit([], other); // blocks for ever on some drivers, if the semaphore is binary and waits for a timeline
    using release = NativeFence.adopt(queue.vkQueueSignalReleaseImageANDROID([objects.drawn], canvas.image));
    assertEquals([release.poll(), release.kind], [false, "eventfd"]);
    assertEquals(device.vkGetFenceStatus(objects.fence), NOT_READY);
    native.signal();
    assert(release.wait(5000));
    assertEquals(device.vkWaitForFences([objects.fence, other], true, SECOND), 0);
    assertEquals(wrongPixels(canvas.buffer, PICTURE, RED, CYAN), 0);
  }
  device.vkDestroyFence(other);
  await assertNoMoreFiles(before);
}, ["virtual"]);

onAll("a pending fence lets a VkFence follow without a semaphore", (bench, canvas) => {
  const { device } = bench;
  using objects = signals(bench);
  for (let round = 0; round < 3; round++) {
    const native = NativeFence.create();
    device.vkAcquireImageANDROID(canvas.image, native.fence.take(), null, objects.fence);
    assertEquals(device.vkGetFenceStatus(objects.fence), NOT_READY);
    native.signal();
    assertEquals(device.vkWaitForFences([objects.fence], true, 5n * SECOND), 0);
    device.vkResetFences([objects.fence]);
  }
}, ["virtual"]);

onAll("a semaphore destroyed while its fence is pending holds up nobody", (bench, canvas) => {
  const { device, queue } = bench, { fence: native, signal } = NativeFence.create(), fence = device.vkCreateFence({});
  const semaphore = device.vkCreateSemaphore({});
  device.vkAcquireImageANDROID(canvas.image, native.take(), semaphore);
  device.vkDestroySemaphore(semaphore);
  const spare = NativeFence.create(), other = device.vkCreateSemaphore({});
  device.vkAcquireImageANDROID(canvas.image, spare.fence.take(), other);
  spare.signal();
  queue.vkQueueSubmit([{ pWaitSemaphores: [other], pWaitDstStageMask: [0x10000] }], fence);
  assertEquals(device.vkWaitForFences([fence], true, 5n * SECOND), 0);
  signal();
  device.vkDestroySemaphore(other);
  device.vkDestroyFence(fence);
}, ["virtual"]);

onAll("an image is released again and again without an acquire between", (bench, canvas) => {
  showFrame(bench, canvas);
  for (let round = 0; round < 5; round++) {
    using fence = NativeFence.adopt(bench.queue.vkQueueSignalReleaseImageANDROID(null, canvas.image));
    assert(fence.wait(5000));
  }
  using again = bench.adaptor.release(bench.queue.handle, 0, 0n, canvas.image as unknown as bigint) as NativeFence;
  assert(again.wait(5000));
});

onAll(
  "acquire() and release() do what the commands do, with fences that are no file descriptors",
  async (bench, canvas, kind) => {
    const { adaptor, device, queue } = bench, before = openFiles();
    using objects = signals(bench);
    const image = canvas.image as unknown as bigint, acquired = objects.acquired as unknown as bigint;
    for (let frame = 0; frame < 3; frame++) {
      assertEquals(adaptor.acquire(device.handle, image, NativeFence.signaled(), acquired, 0n), 0);
      using _drawing = draw(bench, canvas, PICTURE, { wait: objects.acquired });
      using fence = adaptor.release(queue.handle, 0, 0n, image) as NativeFence;
      assert(fence.wait(5000));
      assertEquals(wrongPixels(canvas.buffer, PICTURE, RED, CYAN), 0);
    }
    if (kind === "native") await assertNoMoreFiles(before);
  },
);

onAll("vkAcquireImageANDROID closes the file descriptor when it fails", async (bench) => {
  const { device } = bench, before = openFiles();
  const { fence, signal } = NativeFence.create();
  const error = assertThrows(() => device.vkAcquireImageANDROID(4711n as never, fence.take()), VulkanError);
  assertEquals(error.code, -3);
  signal();
  await assertNoMoreFiles(before);
});

for (const [driver, path] of ADAPTED) {
  Deno.test(
    `a device of ${driver} leaves nothing behind, whatever was alive and pending on it`,
    needs(driver, path),
    async () => {
      using _worker = steadyWorker();
      let before: { files: number; blocks: number; buffers: number } | undefined;
      for (let round = 0; round < 4; round++) {
        const { layer, report } = objectLeaks(),
          adaptor = nativeBufferAdaptor({ tier: round === 0 ? "staging" : "optimal" });
        {
          using bench = openBench(adaptor, { driver: path!, layers: [adaptor, layer] });
          const { device, queue } = bench, canvas = openCanvas(device, 37, 61, 37);
          const objects = signals(bench), { fence, signal } = NativeFence.create();
          showFrame(bench, canvas);
          device.vkAcquireImageANDROID(canvas.image, fence.take(), objects.acquired, objects.fence);
          NativeFence.adopt(queue.vkQueueSignalReleaseImageANDROID([objects.acquired], canvas.image)).close();
          canvas.buffer.close(); // its memory stays until the device has let it go
          adaptor.release(queue.handle, 0, 0n, canvas.image as unknown as bigint);
          if (round === 1) signal();
          device.close();
          signal();
          device.close();
        }
        assertEquals(report().leaked.map(({ type }) => type).filter((type) => type !== "VkImage"), LEFT);
        const now = { files: openFiles(), blocks: openBlocks(), buffers: mappings("gralloc") };
        before ??= now; // the first round may keep what is made once
        assertEquals([now.blocks, now.buffers], [before.blocks, 0]);
        await assertNoMoreFiles(before.files);
      }
    },
  );
}

/** The objects that the test itself does not destroy before its device. */
const LEFT = ["VkSemaphore", "VkSemaphore", "VkFence"];
