import { assertEquals } from "@std/assert";
import { poke32 } from "../../../../ffi/machine.ts";
import { defineLayer, loadVulkan } from "../../../../loader/mod.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { planText } from "../../../../hwc/planes/frame_plan.ts";
import { nativeBufferAdaptor } from "../../../../wsi/adaptor/native_buffer_adaptor.ts";
import { NativeFence } from "../../../../wsi/fence/native_fence.ts";
import { openFiles } from "../../../support/open_files.ts";
import { opaqueLayer } from "../../core/frame.ts";
import {
  type Bench,
  type Canvas,
  draw,
  FORMATS,
  openBench,
  openCanvas,
  PICTURE,
  wrongPixels,
} from "../../../wsi/adaptor/drawing.ts";
import { ON_CARDS, SIZE, Vkms } from "./on_vkms.ts";
import { SwSync } from "./sw_sync.ts";

const SYNC_FD = 16, IMPORTABLE = 2, NOT_READY = 1, SUCCESS = 0, SECOND = 1_000_000_000n;
const DRIVER = ON_CARDS.ignore ? undefined : lavapipePath();
/** Debian's stable lavapipe imports no sync_files: then these tests are skipped, whatever else must be there. */
const WITH_SYNC_FD = { ignore: DRIVER === undefined || !importsSyncFiles(DRIVER) };
/** Offset of VkPhysicalDeviceProperties.deviceType, and VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU. */
const DEVICE_TYPE = 16n, DISCRETE_GPU = 2;
const WIDTH = 61, HEIGHT = 37, FRAMES = 3;
const RGBA = FORMATS[37] as [red: number[], cyan: number[]];

function importsSyncFiles(driver: string): boolean {
  const vulkan = loadVulkan({ driver });
  try {
    const [gpu] = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 0x403000 } }).vkEnumeratePhysicalDevices();
    const names = gpu.vkEnumerateDeviceExtensionProperties().map(({ extensionName }) => extensionName);
    if (!names.includes("VK_KHR_external_semaphore_fd")) return false;
    const found = gpu.vkGetPhysicalDeviceExternalSemaphoreProperties({ handleType: SYNC_FD });
    return (found.externalSemaphoreFeatures & IMPORTABLE) !== 0;
  } finally {
    vulkan.close();
  }
}

/** Counts the files that a driver takes. */
function counting() {
  const taken = { semaphores: 0, fences: 0 };
  const count = (what: keyof typeof taken, result: number) => {
    if (result >= 0) taken[what]++;
    return result;
  };
  const layer = defineLayer({
    name: "VK_LAYER_TEST_counting",
    commands: {
      vkImportSemaphoreFdKHR: (next, ...args) => count("semaphores", next(...args)),
      vkImportFenceFdKHR: (next, ...args) => count("fences", next(...args)),
    },
  });
  return { taken, layer };
}

/** Begins a frame with a fence that is pending, submits the drawing, and checks that nothing is drawn until `signal`. */
function drawBehind(bench: Bench, canvas: Canvas, acquire: NativeFence, signal: () => void): void {
  const { device, queue } = bench, [acquired, drawn] = [device.vkCreateSemaphore({}), device.vkCreateSemaphore({})];
  const fence = device.vkCreateFence({});
  canvas.buffer.lock().fill(0);
  canvas.buffer.unlock();
  device.vkAcquireImageANDROID(canvas.image, acquire.take(), acquired, fence);
  {
    using _drawing = draw(bench, canvas, PICTURE, { wait: acquired, signal: drawn });
    using shown = NativeFence.adopt(queue.vkQueueSignalReleaseImageANDROID([drawn], canvas.image));
    assertEquals([shown.poll(), device.vkGetFenceStatus(fence)], [false, NOT_READY]);
    assertEquals(canvas.buffer.lock().some((byte) => byte !== 0), false);
    canvas.buffer.unlock();
    signal();
    shown.wait();
    assertEquals(device.vkWaitForFences([fence], true, 10n * SECOND), SUCCESS);
  }
  assertEquals(wrongPixels(canvas.buffer, PICTURE, ...RGBA), 0);
  for (const each of [acquired, drawn]) device.vkDestroySemaphore(each);
  device.vkDestroyFence(fence);
}

Deno.test("a driver waits for the sync_files that it imports", WITH_SYNC_FD, () => {
  const adaptor = nativeBufferAdaptor(), { taken, layer } = counting();
  using bench = openBench(adaptor, { driver: DRIVER!, layers: [adaptor, layer] });
  using timeline = new SwSync();
  using canvas = openCanvas(bench.device, 37, WIDTH, HEIGHT);
  const { syncFd, semaphores } = adaptor.describe(bench.device.handle)!;
  assertEquals([syncFd, semaphores], [true, "virtual"]);
  drawBehind(bench, canvas, timeline.fence(), () => timeline.advance());
  const before = openFiles();
  for (let frame = 0; frame < FRAMES; frame++) {
    drawBehind(bench, canvas, timeline.fence(), () => timeline.advance());
  }
  assertEquals([taken.semaphores, taken.fences, openFiles()], [1 + FRAMES, 1 + FRAMES, before]);
});

Deno.test("a driver that imports sync_files draws after the card has shown a frame", WITH_SYNC_FD, async () => {
  await using vkms = new Vkms();
  using timeline = new SwSync();
  const { composer, display } = vkms, adaptor = nativeBufferAdaptor(), { taken, layer: counter } = counting();
  using bench = openBench(adaptor, { driver: DRIVER!, layers: [adaptor, counter] });
  using canvas = openCanvas(bench.device, 37, WIDTH, HEIGHT);
  const layer = opaqueLayer(composer, display, vkms.buffer(SIZE.width, SIZE.height, () => 0xffff0000));
  {
    using first = vkms.present();
    await first.ready();
  }
  composer.setLayerBuffer(display, layer, vkms.buffer(SIZE.width, SIZE.height, () => 0xff0000ff), timeline.fence());
  using shown = vkms.present(); // follows the layer's fence
  assertEquals([shown.kind, shown.poll()], ["sync_file", false]);
  drawBehind(bench, canvas, shown.dup(), () => timeline.advance());
  assertEquals([shown.poll(), taken.semaphores, vkms.errors], [true, 1, []]);
});

/** Makes lavapipe a GPU's driver, whose exports do not wait for the drawing; here nothing is pending that they could wait for. */
const AS_GPU = defineLayer({
  name: "VK_LAYER_TEST_gpu",
  commands: {
    vkGetPhysicalDeviceProperties(next, gpu, out) {
      next(gpu, out);
      poke32(out + DEVICE_TYPE, DISCRETE_GPU);
    },
  },
});

Deno.test("the kernel gets the sync_file that a driver exports at the end of a frame", WITH_SYNC_FD, async () => {
  await using vkms = new Vkms();
  const { composer, display, errors } = vkms, adaptor = nativeBufferAdaptor({ tier: "dma-buf" }), { rect } = PICTURE;
  using bench = openBench(adaptor, { driver: DRIVER!, layers: [adaptor, AS_GPU] });
  using canvas = openCanvas(bench.device, 37, WIDTH, HEIGHT);
  assertEquals(adaptor.describe(bench.device.handle)!.syncFdExport, true);
  opaqueLayer(composer, display, vkms.buffer(SIZE.width, SIZE.height, () => 0xff202020));
  const layer = opaqueLayer(composer, display, canvas.buffer, {
    frame: { left: 0, top: 0, right: WIDTH, bottom: HEIGHT },
    z: 1,
  });
  const { device, queue } = bench, before: number[] = [];
  for (let frame = 0; frame < FRAMES; frame++) {
    const drawn = device.vkCreateSemaphore({});
    {
      using _drawing = draw(bench, canvas, PICTURE, { signal: drawn });
      const end = NativeFence.adopt(queue.vkQueueSignalReleaseImageANDROID([drawn], canvas.image));
      assertEquals(end.kind, "sync_file");
      composer.setLayerBuffer(display, layer, canvas.buffer, end);
    }
    device.vkDestroySemaphore(drawn);
    const pixels = await vkms.shown(), plan = composer.plan(display)!;
    assertEquals(plan.stack.length, 2, planText(plan));
    assertEquals([pixels[rect.y * SIZE.width + rect.x] & 0xffffff, pixels[0] & 0xffffff], [0x0000ff, 0xffff00]);
    before.push(openFiles());
  }
  assertEquals([errors, before.at(-1)], [[], before[1]]);
});
