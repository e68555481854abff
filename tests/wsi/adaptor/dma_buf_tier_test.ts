import { assert, assertEquals, assertThrows } from "@std/assert";
import { inFrame } from "../../../ffi/arena.ts";
import { closeDescriptor, createMemoryFile, fileSize, resizeFile } from "../../../ffi/file/file_descriptor.ts";
import { peek32, peek64, poke32, poke64 } from "../../../ffi/machine.ts";
import { codec, structAt } from "../../../loader/codec/codec.ts";
import {
  mergeExtensions,
  readExtensionList,
  writeExtensionList,
} from "../../../loader/driver/interface/extension_list.ts";
import { deviceLimits } from "../../../workbench/layers.ts";
import { defineLayer, type Layer } from "../../../loader/mod.ts";
import type { RawCommands } from "../../../loader/types.ts";
import { type AdaptorTier, nativeBufferAdaptor } from "../../../wsi/adaptor/native_buffer_adaptor.ts";
import { DMA_BUF_EXTENSIONS } from "../../../wsi/adaptor/constants.ts";
import { importDmaBuf } from "../../../wsi/adaptor/driver_memory.ts";
import type { DriverDevice } from "../../../wsi/adaptor/driver_device.ts";
import { sharedForm } from "../../../wsi/adaptor/driver_layout.ts";
import type { GpuFacts } from "../../../wsi/adaptor/gpu_facts.ts";
import { possibleTiers } from "../../../wsi/adaptor/tiers.ts";
import { openFiles } from "../../support/open_files.ts";
import { needs } from "../../support/require.ts";
import {
  ADAPTED,
  grallocUsage,
  openBench,
  openCanvas,
  PICTURE,
  showFrame,
  USAGE,
  VulkanError,
  wrongPixels,
} from "./drawing.ts";

const DMA_BUF = 0x200, MODIFIER_TILING = 1000158000, MEMORY_PLANE_0 = 0x80, LINEAR = 1;
const EXTERNAL_INFO = 1000071000, EXTERNAL_IMAGE = 1000072001, MODIFIER_INFO = 1000158002;
const MODIFIER_LIST = 1000158003, MODIFIER_EXPLICIT = 1000158004, DEDICATED = 1000127001;
const FORMAT_NOT_SUPPORTED = -11, OUT_OF_DEVICE_MEMORY = -2, INVALID_EXTERNAL_HANDLE = -1000072003;
const NVIDIA = 4, MUTABLE_FORMAT = 8;
const NEEDED = 4000, IMAGE = 0x77n, MEMORY = 0x99n;

/** A driver's answers about an import. */
interface Answers {
  readonly dedicated?: "requires" | "prefers";
  /** The VkResult of vkAllocateMemory. */
  readonly result?: number;
  readonly fileTypes?: number;
}

/** A device whose driver writes down what memory it is asked for. */
function recordingDevice({ dedicated, result = 0, fileTypes = 0b1100 }: Answers) {
  const asked: Record<string, unknown>[] = [];
  const commands = {
    vkGetImageMemoryRequirements2(_device, info, out) {
      assertEquals(structAt("VkImageMemoryRequirementsInfo2", info).image, IMAGE);
      poke64(out + 16n, BigInt(NEEDED));
      poke32(out + 32n, 0b0110); // memoryTypeBits
      const chained = peek64(out + 8n);
      poke32(chained + 16n, dedicated === "prefers" ? 1 : 0);
      poke32(chained + 20n, dedicated === "requires" ? 1 : 0);
    },
    vkGetMemoryFdPropertiesKHR(_device, type, _fd, out) {
      assertEquals(type, DMA_BUF);
      poke32(out + 16n, fileTypes);
      return 0;
    },
    vkAllocateMemory(_device, info, _allocator, out) {
      asked.push(structAt("VkMemoryAllocateInfo", info));
      if (result >= 0) poke64(out, MEMORY);
      return result;
    },
  } as Partial<RawCommands>;
  return { asked, device: { commands, handle: 1n } as unknown as DriverDevice };
}

/** Calls with a file of so many bytes, and checks that it is still open afterwards. */
function withFile(size: number, use: (fd: number) => void): void {
  const fd = createMemoryFile("stands for a dma-buf");
  resizeFile(fd, BigInt(size));
  use(fd);
  assertEquals(fileSize(fd), BigInt(size));
  closeDescriptor(fd);
}

Deno.test("importDmaBuf() gives the driver a file of its own, and a memory type that both sides have", () => {
  const { asked, device } = recordingDevice({});
  withFile(4096, (fd) => {
    const before = openFiles();
    assertEquals(importDmaBuf(device, { fd, size: 4096 }, IMAGE), MEMORY);
    const [{ allocationSize, memoryTypeIndex, pNext }] = asked, [imported] = pNext as Record<string, unknown>[];
    assertEquals([asked.length, allocationSize, memoryTypeIndex], [1, BigInt(NEEDED), 2]);
    assertEquals([(pNext as unknown[]).length, imported.handleType], [1, DMA_BUF]);
    assert(imported.fd !== fd);
    assertEquals([openFiles(), fileSize(imported.fd as number)], [before + 1, 4096n]);
    closeDescriptor(imported.fd as number); // what the driver does when the memory is freed
  });
});

Deno.test("importDmaBuf() closes the file that a driver refuses", () => {
  const { asked, device } = recordingDevice({ result: OUT_OF_DEVICE_MEMORY });
  withFile(4096, (fd) => {
    const before = openFiles();
    assertEquals(importDmaBuf(device, { fd, size: 4096 }, IMAGE), OUT_OF_DEVICE_MEMORY);
    assertEquals([asked.length, openFiles()], [1, before]);
  });
});

Deno.test("importDmaBuf() asks for nothing when the file is too small, or of no memory type of the image", () => {
  withFile(4096, (fd) => {
    const before = openFiles();
    for (const [answers, size] of [[{}, NEEDED - 1], [{ fileTypes: 0b1001 }, 4096]] as const) {
      const { asked, device } = recordingDevice(answers);
      assertEquals(importDmaBuf(device, { fd, size }, IMAGE), INVALID_EXTERNAL_HANDLE);
      assertEquals([asked, openFiles()], [[], before]);
    }
  });
});

for (const dedicated of ["requires", "prefers"] as const) {
  Deno.test(`importDmaBuf() names the image for a driver that ${dedicated} memory of one image`, () => {
    const { asked, device } = recordingDevice({ dedicated, result: OUT_OF_DEVICE_MEMORY });
    withFile(4096, (fd) => void importDmaBuf(device, { fd, size: 4096 }, IMAGE));
    const chain = asked[0].pNext as { sType: number; image: bigint }[];
    assertEquals([chain.length, chain[1].sType, chain[1].image], [2, DEDICATED, IMAGE]);
  });
}

Deno.test("an image in a dma-buf has the buffer's rows, without tiles", () => {
  const { tiling, pNext } = sharedForm("dma-buf", 512);
  const { pNext: chain } = inFrame((memory) => {
    const { size, encode } = codec("VkImageCreateInfo"), at = memory.alloc(size);
    encode({ tiling, pNext }, at);
    return structAt("VkImageCreateInfo", memory.address(at));
  });
  const [external, explicit] = chain as Record<string, unknown>[];
  assertEquals([tiling, external.sType, external.handleTypes], [MODIFIER_TILING, EXTERNAL_IMAGE, DMA_BUF]);
  const rows = { offset: 0n, size: 0n, rowPitch: 512n, arrayPitch: 0n, depthPitch: 0n };
  assertEquals([explicit.sType, explicit.drmFormatModifier, explicit.pPlaneLayouts], [MODIFIER_EXPLICIT, 0n, [rows]]);
});

/** The questions to a driver about dma-bufs. */
class Asked {
  readonly extensions: string[] = [];
  readonly questions: Record<string, unknown>[] = [];
  readonly images: Record<string, unknown>[] = [];
  readonly planes: number[] = [];
}

const CLAIMED = DMA_BUF_EXTENSIONS.map((extensionName) => ({ extensionName, specVersion: 1 }));

/** Makes the driver below one that says it imports dma-bufs, and refuses each. */
function claimsDmaBufs(asked: Asked): Layer {
  return defineLayer({
    name: "VK_LAYER_TEST_dma_bufs",
    commands: {
      vkEnumerateDeviceExtensionProperties(next, gpu, layer, count, out) {
        const list = readExtensionList((count, out) => next(gpu, layer, count, out));
        return typeof list === "number" ? list : writeExtensionList(mergeExtensions(list, CLAIMED), count, out);
      },
      vkCreateDevice(next, gpu, info, allocator, out) {
        const given = this.read("VkDeviceCreateInfo", info), names = given.ppEnabledExtensionNames ?? [];
        asked.extensions.push(...names);
        const known = names.filter((name) => !DMA_BUF_EXTENSIONS.includes(name));
        const changed = { ...given, enabledExtensionCount: known.length, ppEnabledExtensionNames: known };
        return next(gpu, this.write("VkDeviceCreateInfo", changed), allocator, out);
      },
      vkGetPhysicalDeviceImageFormatProperties2(next, gpu, info, out) {
        const given = this.read("VkPhysicalDeviceImageFormatInfo2", info);
        if (given.tiling !== MODIFIER_TILING) return next(gpu, info, out);
        asked.questions.push(given as never);
        const plain = this.write("VkPhysicalDeviceImageFormatInfo2", { ...given, tiling: LINEAR, pNext: [] });
        const result = next(gpu, plain, out);
        poke32(peek64(out + 8n) + 16n, 4); // IMPORTABLE
        return result;
      },
      vkCreateImage(next, device, info, allocator, out) {
        const given = this.read("VkImageCreateInfo", info);
        if (given.tiling !== MODIFIER_TILING) return next(device, info, allocator, out);
        asked.images.push(given as never);
        const plain = this.write("VkImageCreateInfo", { ...given, tiling: LINEAR, pNext: [] });
        return next(device, plain, allocator, out);
      },
      vkGetImageSubresourceLayout(next, device, image, plane, out) {
        asked.planes.push(peek32(plane));
        next(device, image, this.write("VkImageSubresource", { aspectMask: 1, mipLevel: 0, arrayLayer: 0 }), out);
      },
      vkGetMemoryFdPropertiesKHR: () => INVALID_EXTERNAL_HANDLE,
    },
  });
}

const [[, LAVAPIPE]] = ADAPTED, HAS_LAVAPIPE = needs("lavapipe", LAVAPIPE);
const NO_HOST = deviceLimits({ hideExtensions: ["VK_EXT_external_memory_host"] }).layer;

Deno.test("a driver that also imports memory of the host draws as before", HAS_LAVAPIPE, () => {
  const asked = new Asked(), adaptor = nativeBufferAdaptor();
  using bench = openBench(adaptor, { driver: LAVAPIPE!, layers: [adaptor, claimsDmaBufs(asked)] });
  using canvas = openCanvas(bench.device, 37, 61, 37);
  showFrame(bench, canvas);
  const { formats: [{ tier, copies }], dmaBufImport } = adaptor.describe(bench.device.handle)!;
  assertEquals({ tier, copies, dmaBufImport }, { tier: "optimal", copies: 0, dmaBufImport: true });
  assertEquals(DMA_BUF_EXTENSIONS.filter((name) => !asked.extensions.includes(name)), []);
  assertEquals(asked.images, []);
});

Deno.test("a driver that says it imports dma-bufs and refuses them copies, and the log says so", HAS_LAVAPIPE, () => {
  const asked = new Asked(), said: string[] = [], adaptor = nativeBufferAdaptor({ log: (text) => said.push(text) });
  using bench = openBench(adaptor, { driver: LAVAPIPE!, layers: [adaptor, NO_HOST, claimsDmaBufs(asked)] });
  using canvas = openCanvas(bench.device, 37, 61, 37);
  showFrame(bench, canvas);
  assertEquals(wrongPixels(canvas.buffer, PICTURE, [255, 0, 0, 255], [0, 255, 255, 255]), 0);
  assertEquals(adaptor.describe(bench.device.handle)!.formats.map(({ tier }) => tier), ["staging"]);
  assertEquals(said.map((text) => text.includes('not drawn right on the tier "dma-buf"')), [true]);
  const chain = asked.questions[0].pNext as Record<string, unknown>[];
  assertEquals(chain.map(({ sType }) => sType), [EXTERNAL_INFO, MODIFIER_INFO]);
  assertEquals([chain[0].handleType, chain[1].drmFormatModifier], [DMA_BUF, 0n]);
  const [external, list] = asked.images[0].pNext as Record<string, unknown>[];
  assertEquals([external.sType, external.handleTypes], [EXTERNAL_IMAGE, DMA_BUF]);
  assertEquals([list.sType, list.pDrmFormatModifiers, asked.planes[0]], [MODIFIER_LIST, [0n], MEMORY_PLANE_0]);
});

Deno.test('the tier "dma-buf" is refused by drivers without the extensions', HAS_LAVAPIPE, () => {
  const adaptor = nativeBufferAdaptor({ tier: "dma-buf" }),
    hidden = deviceLimits({ hideExtensions: [...DMA_BUF_EXTENSIONS] });
  using bench = openBench(adaptor, { driver: LAVAPIPE!, layers: [adaptor, hidden.layer] });
  const error = assertThrows(() => grallocUsage(bench.device, 37), VulkanError);
  assertEquals([error.code, adaptor.describe(bench.device.handle)!.dmaBufImport], [FORMAT_NOT_SUPPORTED, false]);
});

/** A GPU whose driver says yes to each question. */
function tiersOf(facts: Partial<GpuFacts>, kind = { format: 37, usage: USAGE, flags: 0 }): AdaptorTier[] {
  const below = {
    vkGetPhysicalDeviceImageFormatProperties: () => 0,
    vkGetPhysicalDeviceImageFormatProperties2: (_gpu, _info, out) => (poke32(peek64(out + 8n) + 16n, 4), 0),
  } as Partial<RawCommands> as RawCommands;
  const gpu = { handle: 1n, version: 0x402000, suffix: "", name: "a GPU", type: 2, driverId: 0, ...facts };
  const extensions = new Map(DMA_BUF_EXTENSIONS.map((name) => [name, 1]));
  return possibleTiers(below, { hostAlignment: 4096, extensions, ...gpu } as GpuFacts, kind).map(({ tier }) => tier);
}

Deno.test("dma-bufs come behind the memory of the host and before copies", () => {
  assertEquals(tiersOf({}), ["linear", "dma-buf", "staging"]);
  assertEquals(tiersOf({ hostAlignment: 0 }), ["dma-buf", "staging"]);
  assertEquals(tiersOf({ extensions: new Map() }), ["linear", "staging"]);
  assertEquals(tiersOf({ version: 0x400000 }), ["linear", "staging"]);
  assertEquals(tiersOf({ driverId: NVIDIA }), ["staging"]); // its GPUs hang beside a depth buffer
  assertEquals(tiersOf({}, { format: 37, usage: USAGE, flags: MUTABLE_FORMAT }), ["linear", "staging"]);
});
