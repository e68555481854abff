import { assert, assertEquals } from "@std/assert";
import { peek64, poke32 } from "../../../ffi/machine.ts";
import { defineLayer, type Layer } from "../../../loader/mod.ts";
import { nativeBufferAdaptor } from "../../../wsi/adaptor/native_buffer_adaptor.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { openFiles } from "../../support/open_files.ts";
import { needs } from "../../support/require.ts";
import { assertNoMoreFiles } from "../files_left.ts";
import { claimsSyncFd } from "./claims_sync_fd.ts";
import { ADAPTED, type Bench, type Canvas, draw, openBench, openCanvas, PICTURE, wrongPixels } from "./drawing.ts";

const EXPORTABLE = 1, SYNC_FD = 16, EXPORT_INFO = 1000077000, DISCRETE = 2, CPU = 4, TOO_MANY_OBJECTS = -10;
/** Offset of VkPhysicalDeviceProperties.deviceType. */
const TYPE = 16n, ALL = 0x10000, FRAMES = 3;
const RED = [255, 0, 0, 255], CYAN = [0, 255, 255, 255];
const [[, LAVAPIPE]] = ADAPTED, HAS_LAVAPIPE = needs("lavapipe", LAVAPIPE);

/** Makes the driver below one of a GPU, whose exports of binary semaphores give what `answer` says: a file, -1 or an error. */
function exportsSyncFd(answer: () => { result: number; fd: number }, type = DISCRETE) {
  const calls: string[] = [], semaphores: bigint[] = [];
  let queue = 0n;
  const layer: Layer = defineLayer({
    name: "VK_LAYER_TEST_export",
    commands: {
      ...claimsSyncFd(EXPORTABLE, 0),
      vkGetPhysicalDeviceProperties(next, gpu, out) {
        next(gpu, out);
        poke32(out + TYPE, type);
      },
      vkGetDeviceQueue(next, device, family, index, out) {
        next(device, family, index, out);
        queue = peek64(out);
      },
      vkCreateSemaphore(next, device, info, allocator, out) {
        const { pNext = [] } = this.read("VkSemaphoreCreateInfo", info) as { pNext?: { sType: number }[] };
        if (!pNext.some(({ sType }) => sType === EXPORT_INFO)) return next(device, info, allocator, out);
        const result = next(device, this.write("VkSemaphoreCreateInfo", {}), allocator, out);
        semaphores.push(peek64(out));
        return result;
      },
      vkQueueSubmit(next, queue, count, infos, fence) {
        const signals = count === 1 ? this.read("VkSubmitInfo", infos).pSignalSemaphores ?? [] : [];
        if (signals.some((each) => semaphores.includes(each as never))) calls.push("signal");
        return next(queue, count, infos, fence);
      },
      vkGetSemaphoreFdKHR(_next, device, info, out) {
        const { semaphore, handleType } = this.read("VkSemaphoreGetFdInfoKHR", info);
        assertEquals([semaphores.includes(semaphore as never), handleType], [true, SYNC_FD]);
        const { result, fd } = answer();
        calls.push(result < 0 ? "refused" : "exported");
        if (result < 0) return result;
        poke32(out, fd);
        const waits = this.write("VkSubmitInfo", { pWaitSemaphores: [semaphore], pWaitDstStageMask: [ALL] });
        return this.below(device).vkQueueSubmit(queue, 1, waits, 0n); // an export takes the payload
      },
    },
  });
  return { layer, calls, semaphores };
}

/** Draws a frame, which begins with a fence. Returns the fence of its end. */
function frame(bench: Bench, canvas: Canvas, acquire: NativeFence, before: () => void = () => {}): NativeFence {
  const { adaptor, device, queue } = bench;
  const [acquired, drawn] = [device.vkCreateSemaphore({}), device.vkCreateSemaphore({})];
  adaptor.acquire(device.handle, canvas.image, acquire, acquired, 0n);
  let end: NativeFence;
  {
    const drawing = draw(bench, canvas, PICTURE, { wait: acquired, signal: drawn });
    end = NativeFence.adopt(queue.vkQueueSignalReleaseImageANDROID([drawn], canvas.image));
    before();
    drawing[Symbol.dispose]();
  }
  for (const each of [acquired, drawn]) device.vkDestroySemaphore(each);
  return end;
}

Deno.test(
  "a frame ends with the file that the driver exports, of one semaphore for all frames",
  HAS_LAVAPIPE,
  async () => {
    const files: NativeFence[] = [], signals: (() => void)[] = [], adaptor = nativeBufferAdaptor();
    const driver = exportsSyncFd(() => {
      const { fence, signal } = NativeFence.create();
      files.push(fence);
      signals.push(signal);
      return { result: 0, fd: fence.take() };
    });
    using bench = openBench(adaptor, { driver: LAVAPIPE!, layers: [adaptor, driver.layer] });
    using canvas = openCanvas(bench.device, 37, 61, 37);
    assertEquals(adaptor.describe(bench.device.handle)!.syncFdExport, true);
    const before = openFiles();
    for (let index = 0; index < FRAMES; index++) {
      using end = frame(bench, canvas, NativeFence.signaled());
      assertEquals(end.poll(), false); // though everything is drawn: the file decides
      signals[index]();
      assert(end.poll());
      assertEquals(wrongPixels(canvas.buffer, PICTURE, RED, CYAN), 0);
    }
    assertEquals(driver.semaphores.length, 1);
    await assertNoMoreFiles(before);
    assertEquals(driver.calls, Array(FRAMES).fill(["signal", "exported"]).flat());
  },
);

Deno.test("a frame whose export is -1 is complete", HAS_LAVAPIPE, () => {
  const adaptor = nativeBufferAdaptor(), driver = exportsSyncFd(() => ({ result: 0, fd: -1 }));
  using bench = openBench(adaptor, { driver: LAVAPIPE!, layers: [adaptor, driver.layer] });
  using canvas = openCanvas(bench.device, 37, 61, 37);
  using end = frame(bench, canvas, NativeFence.signaled());
  assertEquals([end.kind, end.poll()], ["signaled", true]);
});

Deno.test("a driver that refuses an export is asked no more, and frames end as before", HAS_LAVAPIPE, () => {
  const said: string[] = [], adaptor = nativeBufferAdaptor({ log: (text) => void said.push(text) });
  const driver = exportsSyncFd(() => ({ result: TOO_MANY_OBJECTS, fd: 0 }));
  using bench = openBench(adaptor, { driver: LAVAPIPE!, layers: [adaptor, driver.layer] });
  using canvas = openCanvas(bench.device, 37, 61, 37);
  for (let index = 0; index < FRAMES; index++) {
    using end = frame(bench, canvas, NativeFence.signaled());
    end.wait();
    assertEquals(wrongPixels(canvas.buffer, PICTURE, RED, CYAN), 0);
  }
  assertEquals(driver.calls, ["signal", "refused"]);
  assertEquals(said.filter((text) => text.includes("exports no sync_file")).length, 1);
});

Deno.test("nothing is exported while a frame begins with a fence that the fence worker waits for", HAS_LAVAPIPE, () => {
  const adaptor = nativeBufferAdaptor(), driver = exportsSyncFd(() => ({ result: 0, fd: -1 }));
  using bench = openBench(adaptor, { driver: LAVAPIPE!, layers: [adaptor, driver.layer] });
  using canvas = openCanvas(bench.device, 37, 61, 37);
  const { fence, signal } = NativeFence.create();
  using first = frame(bench, canvas, fence, () => {
    assertEquals(driver.calls, []);
    signal();
  });
  first.wait();
  using second = frame(bench, canvas, NativeFence.signaled());
  assertEquals([second.poll(), driver.calls], [true, ["signal", "exported"]]);
});

Deno.test("a driver of the processor, whose exports would wait for the drawing, exports nothing", HAS_LAVAPIPE, () => {
  const adaptor = nativeBufferAdaptor(), driver = exportsSyncFd(() => ({ result: 0, fd: -1 }), CPU);
  using bench = openBench(adaptor, { driver: LAVAPIPE!, layers: [adaptor, driver.layer] });
  using canvas = openCanvas(bench.device, 37, 61, 37);
  using end = frame(bench, canvas, NativeFence.signaled());
  end.wait();
  assertEquals([adaptor.describe(bench.device.handle)!.syncFdExport, driver.calls, driver.semaphores], [false, [], []]);
});
