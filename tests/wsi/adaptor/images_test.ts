import { assert, assertEquals, assertThrows } from "@std/assert";
import { NativeBlock, openBlocks } from "../../../ffi/block.ts";
import { copyMemory } from "../../../ffi/machine.ts";
import { objectLeaks } from "../../../workbench/layers.ts";
import { type AdaptorTier, nativeBufferAdaptor } from "../../../wsi/adaptor/native_buffer_adaptor.ts";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import { USAGE as USAGE_BITS } from "../../../wsi/buffer/usage.ts";
import { validationManifest } from "../../../tools/setup/parts.ts";
import { mappings } from "../../support/open_files.ts";
import { needs } from "../../support/require.ts";
import {
  ADAPTED,
  aliasOf,
  grallocUsage,
  imageInfo,
  makeAlias,
  nativeOf,
  openBench,
  openCanvas,
  PICTURE,
  showFrame,
  VulkanError,
  wrongPixels,
} from "./drawing.ts";

const RED = [255, 0, 0, 255], CYAN = [0, 255, 255, 255];
const INVALID_EXTERNAL_HANDLE = -1000072003, FORMAT_NOT_SUPPORTED = -11;
const PRESENTATION = 1000010002;

for (const [driver, path] of ADAPTED) {
  for (const tier of ["optimal", "staging"] satisfies AdaptorTier[]) {
    Deno.test(`an image bound later to a buffer of ${driver} shares its pixels: ${tier}`, {
      ignore: needs(driver, path).ignore || needs("Khronos validation layer", validationManifest()).ignore,
    }, () => {
      const adaptor = nativeBufferAdaptor({ tier });
      using bench = openBench(adaptor, {
        driver: path!,
        layers: [adaptor, "VK_LAYER_KHRONOS_validation"],
        validated: true,
      });
      {
        using canvas = openCanvas(bench.device, 37, 333, 77);
        const { buffer } = canvas, alias = aliasOf(bench, canvas);
        showFrame(bench, { ...canvas, image: alias });
        assertEquals(wrongPixels(buffer, PICTURE, RED, CYAN), 0);
        buffer.lock().fill(0);
        bench.device.vkDestroyImage(alias);
        showFrame(bench, canvas); // the memory outlives one of its images
        assertEquals(wrongPixels(buffer, PICTURE, RED, CYAN), 0);
      }
      assertEquals(bench.messages, []);
    });
  }

  Deno.test(`images that are no buffers are left to ${driver}`, needs(driver, path), () => {
    using bench = openBench(nativeBufferAdaptor(), { driver: path! });
    const { device } = bench, plain = { ...imageInfo(PLAIN, 37), pNext: [] };
    const image = device.vkCreateImage(plain), { size } = device.vkGetImageMemoryRequirements(image);
    const memory = device.vkAllocateMemory({ allocationSize: size, memoryTypeIndex: 0 });
    device.vkBindImageMemory2([{ image, memory, memoryOffset: 0n }]);
    using canvas = openCanvas(device, 37, 16, 16);
    const other = device.vkCreateImage(plain), alias = makeAlias(bench, canvas);
    device.vkBindImageMemory2([
      { image: other, memory, memoryOffset: 0n },
      { image: alias, memory: null as never, memoryOffset: 0n, pNext: [nativeOf(canvas)] },
    ]);
    for (const each of [image, other, alias]) device.vkDestroyImage(each);
    device.vkFreeMemory(memory);
    assertEquals(bench.messages, []);
  });

  Deno.test(
    `${driver}: what is no buffer, or another than the image, is refused with a reason`,
    needs(driver, path),
    () => {
      const said: string[] = [];
      const { layer, report } = objectLeaks(),
        adaptor = nativeBufferAdaptor({ log: (sentence) => said.push(sentence) });
      {
        using bench = openBench(adaptor, { driver: path!, layers: [adaptor, layer] });
        const { device } = bench, blocks = openBlocks();
        {
          using canvas = openCanvas(device, 37, 61, 37);
          using foreign = new NativeBlock(64);
          const { buffer } = canvas,
            info = imageInfo(buffer, 37),
            refused = (changed: object, result: number, why: string) => {
              const error = assertThrows(() => device.vkCreateImage({ ...info, ...changed }), VulkanError);
              assertEquals(error.code, result);
              assert(said.at(-1)?.includes(why), said.at(-1));
            };
          refused(
            { pNext: [{ ...info.pNext[0], handle: foreign.address }] },
            INVALID_EXTERNAL_HANDLE,
            "not the handle of an open buffer",
          );
          refused({ pNext: [{ ...info.pNext[0], handle: 8n }] }, INVALID_EXTERNAL_HANDLE, "not the address");
          refused({ extent: { width: 60, height: 37, depth: 1 } }, INVALID_EXTERNAL_HANDLE, "61x37");
          refused({ format: 4 }, INVALID_EXTERNAL_HANDLE, "RGB_565");
          refused({ format: 64 }, INVALID_EXTERNAL_HANDLE, "is HAL_PIXEL_FORMAT_RGBA_1010102");
          refused({ format: 126 }, INVALID_EXTERNAL_HANDLE, "none of gralloc's");
          refused({ mipLevels: 2 }, INVALID_EXTERNAL_HANDLE, "one level");
          refused({ usage: 0x20 }, FORMAT_NOT_SUPPORTED, "usage 0x20");
          const closed = allocateBuffer({ width: 61, height: 37, format: 1, usage: 0n }), { handle } = closed;
          closed.close();
          refused({ pNext: [{ ...info.pNext[0], handle }] }, INVALID_EXTERNAL_HANDLE, "VkNativeBufferANDROID.handle");
          const plain = device.vkCreateImage({ ...info, pNext: [] });
          const bad = { image: plain, memory: null as never, memoryOffset: 0n, pNext: [nativeOf(canvas)] };
          assertThrows(() => device.vkBindImageMemory2([bad]), VulkanError);
          device.vkDestroyImage(plain);
          for (const [format, usage] of [[37, 0], [37, 0x40], [37, 0x20], [126, 0x10], [0, 0x10]]) {
            const error = assertThrows(() => grallocUsage(device, format, usage), VulkanError);
            assertEquals(error.code, FORMAT_NOT_SUPPORTED);
          }
        }
        assertEquals([openBlocks() - blocks < 3, mappings("gralloc")], [true, 0]); // the adaptor's own, made once
      }
      assertEquals(report().leaked.map(({ type, command }) => `${type} ${command}`), []);
    },
  );

  Deno.test(
    `${driver}: gralloc's usage is the same by all four queries, and names the driver's layout`,
    needs(driver, path),
    () => {
      using bench = openBench(nativeBufferAdaptor(), { driver: path! });
      const { device } = bench, usage = grallocUsage(device, 37), COLOR = 0x10;
      assertEquals(usage & ~USAGE_BITS.LAYOUT_RULE_MASK, 0x300n);
      assert((usage & USAGE_BITS.LAYOUT_RULE_MASK) !== 0n);
      const imageUsage = 0x13, asked = { format: 37, imageUsage } as const;
      assertEquals(device.vkGetSwapchainGrallocUsage3ANDROID(asked), usage);
      const shared = { ...asked, swapchainImageUsage: 1 };
      assertEquals(device.vkGetSwapchainGrallocUsage4ANDROID(shared), usage | 1n << 32n);
      const short = device.vkGetSwapchainGrallocUsageANDROID(37, imageUsage);
      assertEquals(short, 0x300); // the vendor's bits are the vendor's
      const only = device.vkGetSwapchainGrallocUsage2ANDROID(37, COLOR, 0);
      assertEquals([only.grallocConsumerUsage, only.grallocProducerUsage & 0xfffn], [0n, 0x200n]);
      using wide = allocateBuffer({ width: 61, height: 5, format: 1, usage });
      assertEquals(wide.rowPitch, driver === "lavapipe" ? 256 : 248);
    },
  );

  Deno.test(
    `${driver} is listed with VK_ANDROID_native_buffer, and says that images may be shared`,
    needs(driver, path),
    () => {
      using bench = openBench(nativeBufferAdaptor(), { driver: path! });
      const { gpu } = bench, listed = gpu.vkEnumerateDeviceExtensionProperties();
      assertEquals(
        listed.filter(({ extensionName }) => extensionName === "VK_ANDROID_native_buffer").map(({ specVersion }) =>
          specVersion
        ),
        [11],
      );
      const { pNext } = gpu.vkGetPhysicalDeviceProperties2([1000196000, PRESENTATION, 1000071004]);
      const [properties, presentation] = pNext as unknown as [{ driverID: number }, { sharedImage: boolean }];
      assertEquals([properties.driverID, presentation.sharedImage], [driver === "lavapipe" ? 13 : 10, true]);
    },
  );
}

for (const [driver, path] of ADAPTED) {
  Deno.test(`an image of a copied handle has the pixels of the buffer: ${driver}`, needs(driver, path), () => {
    using bench = openBench(nativeBufferAdaptor(), { driver: path! });
    const buffers = mappings("gralloc");
    {
      using canvas = openCanvas(bench.device, 37, 61, 37);
      using copied = new NativeBlock(128);
      copyMemory(copied.address, canvas.buffer.handle, 128);
      const info = imageInfo(canvas.buffer, 37), pNext = [{ ...info.pNext[0], handle: copied.address }];
      const image = bench.device.vkCreateImage({ ...info, pNext });
      showFrame(bench, { ...canvas, image });
      assertEquals(wrongPixels(canvas.buffer, PICTURE, RED, CYAN), 0);
      bench.device.vkDestroyImage(image);
    }
    assertEquals(mappings("gralloc"), buffers);
  });
}

const PLAIN = { handle: 0n, stride: 16, width: 16, height: 16, format: 1, usage: 0n } as never;
