import "../../../support/warm_loader.ts";
import { assert, assertEquals } from "@std/assert";
import { deviceLimits } from "../../../../loader/layers.ts";
import { loadVulkan } from "../../../../loader/mod.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { DMA_BUF_EXTENSIONS } from "../../../../wsi/adaptor/constants.ts";
import { nativeBufferAdaptor } from "../../../../wsi/adaptor/native_buffer_adaptor.ts";
import { layOut } from "../../../../wsi/buffer/layout.ts";
import { halFormatsOfVk } from "../../../../wsi/buffer/hal_format.ts";
import { mappings, openFiles } from "../../../support/open_files.ts";
import { openBench, openCanvas, PICTURE, showFrame, wrongPixels } from "../../../wsi/adaptor/drawing.ts";
import { ON_CARDS } from "./on_vkms.ts";

const DRIVER = ON_CARDS.ignore ? undefined : lavapipePath();
/** Debian's stable lavapipe imports no dma-bufs: then these tests are skipped, whatever else must be there. */
const IN_DMA_BUFS = { ignore: DRIVER === undefined || !importsDmaBufs(DRIVER) };
const WIDTH = 61, HEIGHT = 37, IMAGES = 100, WARM = 5;

/** The bytes of red and of cyan, by VkFormat. */
const FORMATS: Readonly<Record<number, readonly [red: number[], cyan: number[]]>> = {
  37: [[255, 0, 0, 255], [0, 255, 255, 255]], // R8G8B8A8_UNORM
  44: [[0, 0, 255, 255], [255, 255, 0, 255]], // B8G8R8A8_UNORM
  4: [[0x00, 0xf8], [0xff, 0x07]], // R5G6B5_UNORM_PACK16
  97: [[0, 0x3c, 0, 0, 0, 0, 0, 0x3c], [0, 0, 0, 0x3c, 0, 0x3c, 0, 0x3c]], // R16G16B16A16_SFLOAT
};

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
    assert(formats.length === 4 && formats.every(({ tier, copies }) => tier === "dma-buf" && copies === 0));
    assertEquals([dmaBufImport, said], [true, []]);
  },
);

Deno.test("100 images of dma-bufs leave no file and no mapping behind", IN_DMA_BUFS, () => {
  using bench = openBench(nativeBufferAdaptor({ tier: "dma-buf" }), { driver: DRIVER! });
  const draw = () => {
    using canvas = openCanvas(bench.device, 37, WIDTH, HEIGHT);
    showFrame(bench, canvas);
    assertEquals(wrongPixels(canvas.buffer, PICTURE, ...FORMATS[37] as [number[], number[]]), 0);
  };
  for (let image = 0; image < WARM; image++) draw();
  const before = [openFiles(), mappings("dmabuf")];
  for (let image = 0; image < IMAGES; image++) draw();
  assertEquals([openFiles(), mappings("dmabuf")], before);
});

Deno.test("a driver that imports dma-bufs and no memory of the host copies only to other buffers", IN_DMA_BUFS, () => {
  const said: string[] = [], adaptor = nativeBufferAdaptor({ log: (sentence) => said.push(sentence) });
  const noHost = deviceLimits({ hideExtensions: ["VK_EXT_external_memory_host"] }).layer;
  using bench = openBench(adaptor, { driver: DRIVER!, layers: [adaptor, noHost] });
  const own = layOut(halFormatsOfVk(37)[0], WIDTH, HEIGHT), { rowPitch, size } = own;
  for (const [memory, copies] of [[undefined, 0], ["dma-buf", 0], ["memfd", 1]] as const) {
    using canvas = openCanvas(bench.device, 37, WIDTH, HEIGHT, memory && { rowPitch, size, memory });
    showFrame(bench, canvas);
    assertEquals(wrongPixels(canvas.buffer, PICTURE, ...FORMATS[37] as [number[], number[]]), 0);
    assertEquals([canvas.buffer.memory.kind, canvas.buffer.copies], [memory ?? "dma-buf", copies]);
  }
  assertEquals(adaptor.describe(bench.device.handle)!.formats[0].tier, "dma-buf");
  assertEquals(said.map((each) => /is no dma-buf|Pixels are copied/.exec(each)?.[0]), [
    "is no dma-buf",
    "Pixels are copied",
  ]);
});
