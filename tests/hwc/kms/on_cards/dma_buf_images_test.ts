import { assert, assertEquals } from "@std/assert";
import { NativeBlock } from "../../../../ffi/block.ts";
import { copyMemory } from "../../../../ffi/machine.ts";
import { deviceLimits } from "../../../../workbench/layers.ts";
import { explainText } from "../../../../loader/driver/report/finding.ts";
import { defineLayer, loadVulkan } from "../../../../loader/mod.ts";
import { lavapipePath, validationManifest } from "../../../../tools/setup/parts.ts";
import { DMA_BUF_EXTENSIONS } from "../../../../wsi/adaptor/constants.ts";
import { nativeBufferAdaptor } from "../../../../wsi/adaptor/native_buffer_adaptor.ts";
import { layOut } from "../../../../wsi/buffer/layout.ts";
import { halFormatsOfVk } from "../../../../wsi/buffer/hal_format.ts";
import { droppingConsumer } from "../../../../wsi/consumer/dropping.ts";
import { mappings, openFiles } from "../../../support/open_files.ts";
import { needs } from "../../../support/require.ts";
import { opaqueLayer } from "../../core/frame.ts";
import {
  aliasOf,
  FORMATS,
  imageInfo,
  openBench,
  openCanvas,
  PICTURE,
  showFrame,
  wrongPixels,
} from "../../../wsi/adaptor/drawing.ts";
import { Presenter, Stage } from "../../../wsi/swapchain/presenter.ts";
import { ON_CARDS, SIZE, Vkms } from "./on_vkms.ts";

const DRIVER = ON_CARDS.ignore ? undefined : lavapipePath();
/** Debian's stable lavapipe imports no dma-bufs: then these tests are skipped, whatever else must be there. */
const IN_DMA_BUFS = { ignore: DRIVER === undefined || !importsDmaBufs(DRIVER) };
/**
 * The words of validation about each copy: lavapipe 25 leaves VkDrmFormatModifierPropertiesList2EXT empty, from which
 * validation has what a format can do. The list that came before has TRANSFER_DST.
 */
const NO_FEATURES = "VkFormatFeatureFlags (0x0) does not support required feature VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT";
const WIDTH = 61, HEIGHT = 37, IMAGES = 100, WARM = 5;

const RGBA = FORMATS[37] as [red: number[], cyan: number[]];
const NO_HOST = deviceLimits({ hideExtensions: ["VK_EXT_external_memory_host"] }).layer;

function importsDmaBufs(driver: string): boolean {
  const vulkan = loadVulkan({ driver });
  try {
    const [gpu] = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 0x403000 } }).vkEnumeratePhysicalDevices();
    const names = gpu.vkEnumerateDeviceExtensionProperties().map(({ extensionName }) => extensionName);
    return DMA_BUF_EXTENSIONS.every((name) => names.includes(name));
  } finally {
    vulkan.close();
  }
}

Deno.test(
  "a driver draws into dma-bufs that it imports, in every format that it offers, without copies",
  IN_DMA_BUFS,
  () => {
    const said: string[] = [],
      adaptor = nativeBufferAdaptor({ tier: "dma-buf", log: (sentence) => said.push(sentence) });
    using bench = openBench(adaptor, { driver: DRIVER! });
    for (const [format, [red, cyan]] of Object.entries(FORMATS)) {
      using canvas = openCanvas(bench.device, Number(format), WIDTH, HEIGHT);
      for (let frame = 0; frame < 3; frame++) showFrame(bench, canvas);
      assertEquals(wrongPixels(canvas.buffer, PICTURE, red, cyan), 0, `format ${format}`);
      assertEquals([canvas.buffer.memory.kind, canvas.buffer.copies], ["dma-buf", 0]);
    }
    const { formats, dmaBufImport } = adaptor.describe(bench.device.handle)!;
    assert(
      formats.length === Object.keys(FORMATS).length &&
        formats.every(({ tier, copies }) => tier === "dma-buf" && copies === 0),
    );
    assertEquals([dmaBufImport, said], [true, []]);
  },
);

Deno.test("100 images of dma-bufs leave no file and no mapping behind", IN_DMA_BUFS, () => {
  using bench = openBench(nativeBufferAdaptor({ tier: "dma-buf" }), { driver: DRIVER! });
  const draw = () => {
    using canvas = openCanvas(bench.device, 37, WIDTH, HEIGHT);
    showFrame(bench, canvas);
    assertEquals(wrongPixels(canvas.buffer, PICTURE, ...RGBA), 0);
  };
  for (let image = 0; image < WARM; image++) draw();
  const before = [openFiles(), mappings("dmabuf")];
  for (let image = 0; image < IMAGES; image++) draw();
  assertEquals([openFiles(), mappings("dmabuf")], before);
});

Deno.test("a driver that imports dma-bufs and no memory of the host copies only to other buffers", IN_DMA_BUFS, () => {
  const said: string[] = [], adaptor = nativeBufferAdaptor({ log: (sentence) => said.push(sentence) });
  using bench = openBench(adaptor, { driver: DRIVER!, layers: [adaptor, NO_HOST] });
  const own = layOut(halFormatsOfVk(37)[0], WIDTH, HEIGHT), { rowPitch, size } = own;
  for (const [memory, copies] of [[undefined, 0], ["dma-buf", 0], ["memfd", 1]] as const) {
    using canvas = openCanvas(bench.device, 37, WIDTH, HEIGHT, memory && { rowPitch, size, memory });
    showFrame(bench, canvas);
    assertEquals(wrongPixels(canvas.buffer, PICTURE, ...RGBA), 0);
    assertEquals([canvas.buffer.memory.kind, canvas.buffer.copies], [memory ?? "dma-buf", copies]);
  }
  assertEquals(adaptor.describe(bench.device.handle)!.formats[0].tier, "dma-buf");
  assertEquals(said.map((each) => /is no dma-buf|Pixels are copied/.exec(each)?.[0]), [
    "is no dma-buf",
    "Pixels are copied",
  ]);
});

Deno.test("a driver that draws nothing into dma-bufs is found out, and copies", IN_DMA_BUFS, () => {
  const said: string[] = [], adaptor = nativeBufferAdaptor({ log: (sentence) => said.push(sentence) });
  const idle = defineLayer({ name: "VK_LAYER_TEST_idle", commands: { vkCmdCopyBufferToImage() {} } });
  using bench = openBench(adaptor, { driver: DRIVER!, layers: [adaptor, NO_HOST, idle] });
  using canvas = openCanvas(bench.device, 37, WIDTH, HEIGHT);
  showFrame(bench, canvas);
  assertEquals([wrongPixels(canvas.buffer, PICTURE, ...RGBA), canvas.buffer.copies], [0, 1]);
  assertEquals(said.map((each) => each.includes('not drawn right on the tier "dma-buf"')), [true]);
});

Deno.test("images of one dma-buf share its pixels, and validation finds nothing wrong", {
  ignore: IN_DMA_BUFS.ignore || needs("Khronos validation layer", validationManifest()).ignore,
}, () => {
  const adaptor = nativeBufferAdaptor({ tier: "dma-buf" }), layers = [adaptor, "VK_LAYER_KHRONOS_validation"];
  using bench = openBench(adaptor, { driver: DRIVER!, layers, validated: true });
  {
    using canvas = openCanvas(bench.device, 37, WIDTH, HEIGHT);
    using copied = new NativeBlock(128); // a handle as from another process
    copyMemory(copied.address, canvas.buffer.handle, 128);
    const info = imageInfo(canvas.buffer, 37), pNext = [{ ...info.pNext[0], handle: copied.address }];
    for (const image of [aliasOf(bench, canvas), bench.device.vkCreateImage({ ...info, pNext })]) {
      canvas.buffer.lock().fill(0);
      canvas.buffer.unlock();
      showFrame(bench, { ...canvas, image });
      assertEquals(wrongPixels(canvas.buffer, PICTURE, ...RGBA), 0);
      bench.device.vkDestroyImage(image);
    }
  }
  assertEquals(bench.messages.filter((message) => !message.includes(NO_FEATURES)), []);
});

Deno.test("a window's images are in dma-bufs that the driver imports", IN_DMA_BUFS, () => {
  const window = { width: WIDTH, height: HEIGHT, consumer: droppingConsumer() };
  using stage = new Stage({ driver: DRIVER!, window, tier: "dma-buf" });
  using presenter = new Presenter(stage);
  for (let frame = 0; frame < 10; frame++) assertEquals(presenter.frame([0, 0, 1, 1]).presented, 0);
  const { copies, nativeBuffers } = stage.window.statistics;
  assertEquals([copies, nativeBuffers], [0, { of: "provided", tier: "dma-buf" }]);
});

Deno.test("a plane shows what a driver drew into a dma-buf that it imported", IN_DMA_BUFS, async () => {
  await using vkms = new Vkms();
  const { composer, display, errors } = vkms, { rect } = PICTURE, left = 100, top = 50;
  using bench = openBench(nativeBufferAdaptor({ tier: "dma-buf" }), { driver: DRIVER! });
  using canvas = openCanvas(bench.device, 37, 64, 48);
  showFrame(bench, canvas);
  opaqueLayer(composer, display, vkms.buffer(SIZE.width, SIZE.height, () => 0xff202020));
  opaqueLayer(composer, display, canvas.buffer, { frame: { left, top, right: left + 64, bottom: top + 48 }, z: 1 });
  const pixels = await vkms.shown(), plan = composer.plan(display)!;
  assertEquals(plan.stack.length, 2, explainText(plan.explain()));
  const at = (x: number, y: number) => pixels[(top + y) * SIZE.width + left + x] & 0xffffff;
  assertEquals([at(0, 0), at(63, 47), at(rect.x, rect.y), at(-1, -1)], [0xffff00, 0xffff00, 0x0000ff, 0x202020]);
  assertEquals(errors, []);
});
