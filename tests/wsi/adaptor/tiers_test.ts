import { assert, assertEquals, assertThrows } from "@std/assert";
import { type AdaptorTier, nativeBufferAdaptor } from "../../../wsi/adaptor/native_buffer_adaptor.ts";
import { deviceLimits } from "../../../workbench/layers.ts";
import { defineLayer } from "../../../loader/mod.ts";
import { validationManifest } from "../../../tools/setup/parts.ts";
import { mappings } from "../../support/open_files.ts";
import { needs } from "../../support/require.ts";
import {
  ADAPTED,
  FORMATS,
  grallocUsage,
  openBench,
  openCanvas,
  PICTURE,
  showFrame,
  VulkanError,
  wrongPixels,
} from "./drawing.ts";

const VALIDATION = "VK_LAYER_KHRONOS_validation";
const TIERS: readonly (readonly [driver: string, tiers: readonly AdaptorTier[]])[] = [
  ["lavapipe", ["optimal", "linear", "staging"]],
  ["SwiftShader", ["optimal", "staging"]],
];

for (const [driver, tiers] of TIERS) {
  const path = ADAPTED.find(([name]) => name === driver)![1];
  for (const tier of tiers) {
    Deno.test(`images of the tier "${tier}" of ${driver} have the right bytes in every format`, {
      ignore: needs(driver, path).ignore || needs("Khronos validation layer", validationManifest()).ignore,
    }, () => {
      const adaptor = nativeBufferAdaptor({ tier });
      using bench = openBench(adaptor, { driver: path!, layers: [adaptor, VALIDATION], validated: true });
      for (const [format, [red, cyan]] of Object.entries(FORMATS)) {
        for (const [width, height] of [[61, 37], [333, 77]]) {
          using canvas = openCanvas(bench.device, Number(format), width, height);
          showFrame(bench, canvas);
          assertEquals(wrongPixels(canvas.buffer, PICTURE, red, cyan), 0, `format ${format}, ${width}x${height}`);
          assertEquals(canvas.buffer.copies, tier === "staging" ? 1 : 0);
        }
      }
      const { formats, hostImport } = adaptor.describe(bench.device.handle)!;
      assert(formats.length === 7 && formats.every((each) => each.tier === tier && each.why !== ""));
      assertEquals(formats.map(({ copies }) => copies), formats.map(() => tier === "staging" ? 1 : 0));
      assertEquals([hostImport, bench.messages], [true, []]);
    });
  }

  Deno.test(`the tier of ${driver} is the first that works, "optimal" by default`, needs(driver, path), () => {
    const adaptor = nativeBufferAdaptor();
    using bench = openBench(adaptor, { driver: path! });
    grallocUsage(bench.device, 37);
    const [{ format, usage, tier }] = adaptor.describe(bench.device.handle)!.formats;
    assertEquals({ format, usage, tier }, { format: 37, usage: 0x13, tier: "optimal" });
  });

  Deno.test(`a buffer that is not laid out as ${driver} wants it is copied to`, needs(driver, path), () => {
    const said: string[] = [], adaptor = nativeBufferAdaptor({ log: (sentence) => said.push(sentence) });
    using bench = openBench(adaptor, { driver: path! });
    const rows = 61 * 4 + 4 * 4; // no driver's own choice
    using canvas = openCanvas(bench.device, 37, 61, 37, { rowPitch: rows, size: rows * 37 });
    assertEquals(canvas.buffer.rowPitch, rows);
    showFrame(bench, canvas);
    showFrame(bench, canvas);
    assertEquals(wrongPixels(canvas.buffer, PICTURE, ...FORMATS[37]), 0);
    assertEquals(canvas.buffer.copies, 2);
    assertEquals(said.filter((each) => each.includes("rows of 260 bytes")).length, 1);
    assertEquals(said.filter((each) => each.includes("Pixels are copied to buffer")).length, 1);
  });
}

Deno.test("a tier that a driver does not support is refused", needs("SwiftShader", ADAPTED[1][1]), () => {
  using bench = openBench(nativeBufferAdaptor({ tier: "linear" }), { driver: ADAPTED[1][1]! });
  const error = assertThrows(() => grallocUsage(bench.device, 37), VulkanError);
  assertEquals(error.code, -11);
});

for (const [driver, path] of ADAPTED) {
  Deno.test(
    `without imports of host memory, images of ${driver} are copied by the host, too`,
    needs(driver, path),
    () => {
      const adaptor = nativeBufferAdaptor({ tier: "staging" });
      using bench = openBench(adaptor, {
        driver: path!,
        layers: [adaptor, deviceLimits({ hideExtensions: ["VK_EXT_external_memory_host"] }).layer],
      });
      using canvas = openCanvas(bench.device, 37, 61, 37);
      showFrame(bench, canvas);
      assertEquals(wrongPixels(canvas.buffer, PICTURE, ...FORMATS[37]), 0);
      assertEquals(canvas.buffer.copies, 1);
      const { formats, hostImport } = adaptor.describe(bench.device.handle)!;
      assertEquals([hostImport, formats[0].copies], [false, 2]);
    },
  );
}

/** VkDriverId: VK_DRIVER_ID_MESA_RADV and VK_DRIVER_ID_NVIDIA_PROPRIETARY. */
const RADV = 3, NVIDIA = 4;

for (
  const [title, driverID, tier, copies] of [
    ["a GPU's optimal images are never put into imported memory: its linear ones are drawn", RADV, "linear", 0],
    ["NVIDIA's GPUs, which hang when they draw into linear images beside a depth buffer, copy", NVIDIA, "staging", 1],
  ] as const
) {
  Deno.test(title, {
    ignore: needs("lavapipe", ADAPTED[0][1]).ignore || needs("Khronos validation layer", validationManifest()).ignore,
  }, () => {
    const tilings = new Set<number>(), DISCRETE_GPU = 2, LINEAR = 1;
    const gpu = defineLayer({
      name: "VK_LAYER_TEST_gpu",
      physicalDevice: {
        properties: { deviceType: DISCRETE_GPU },
        chain: [{ sType: 1000196000, driverID }],
      },
      commands: {
        vkCreateImage(next, device, info, allocator, out) {
          const { tiling, pNext } = this.read("VkImageCreateInfo", info);
          if (pNext.some(({ sType }) => sType === 1000072001)) tilings.add(tiling);
          return next(device, info, allocator, out);
        },
      },
    });
    const adaptor = nativeBufferAdaptor();
    using bench = openBench(adaptor, {
      driver: ADAPTED[0][1]!,
      layers: [adaptor, gpu, "VK_LAYER_KHRONOS_validation"],
      validated: true,
    });
    {
      using canvas = openCanvas(bench.device, 37, 333, 77);
      for (let frame = 0; frame < 3; frame++) showFrame(bench, canvas);
      assertEquals(wrongPixels(canvas.buffer, PICTURE, ...FORMATS[37] as [number[], number[]]), 0);
      assertEquals(canvas.buffer.copies, 3 * copies);
    }
    assertEquals([adaptor.describe(bench.device.handle)!.formats[0].tier, [...tilings]], [
      tier,
      copies === 0 ? [LINEAR] : [],
    ]);
    assertEquals(bench.messages, []);
  });
}

for (const [driver, path] of ADAPTED) {
  Deno.test(`where ${driver} would import no file, buffers are anonymous memory`, needs(driver, path), () => {
    const picky = defineLayer({
      name: "VK_LAYER_TEST_no_files",
      commands: {
        vkGetMemoryHostPointerPropertiesEXT(next, device, type, address, out) {
          const isFile = mappings(`${address.toString(16)}-`, "memfd:gralloc") > 0;
          return isFile ? INVALID_EXTERNAL_HANDLE : next(device, type, address, out);
        },
      },
    });
    const adaptor = nativeBufferAdaptor();
    using bench = openBench(adaptor, { driver: path!, layers: [adaptor, picky] });
    using canvas = openCanvas(bench.device, 37, 61, 37);
    showFrame(bench, canvas);
    assertEquals(wrongPixels(canvas.buffer, PICTURE, ...FORMATS[37] as [number[], number[]]), 0);
    assertEquals([canvas.buffer.memory.fd, canvas.buffer.copies], [-1, 0]);
  });
}

const INVALID_EXTERNAL_HANDLE = -1000072003;
