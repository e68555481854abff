import { assertEquals } from "@std/assert";
import { inFrame } from "../../../ffi/arena.ts";
import { peek32, peek64, poke32 } from "../../../ffi/machine.ts";
import type { AndroidRelease } from "../../../loader/driver/android/options.ts";
import { NativeBufferDriver, Phone } from "../native_buffer_driver.ts";

const RGB565 = 4, FORMAT_NOT_SUPPORTED = -11, OUT_OF_DEVICE_MEMORY = -2;
const FORMAT2 = 1000119002, COMPRESSION = 1000338004;

/** The formats of a surface, each with what its chain says of compression, over a driver that fails with `result` for RGB565. */
function formats(result: number, release: AndroidRelease): { result: number; seen: (readonly number[])[] } {
  using driver = new NativeBufferDriver({
    commands: {
      vkGetPhysicalDeviceImageFormatProperties2(_next, _gpu, info, out) {
        if (peek32(info + 16n) === RGB565) return result;
        const compression = peek64(out + 8n);
        poke32(compression + 16n, 2);
        poke32(compression + 20n, 8);
        return 0;
      },
    },
  });
  using phone = new Phone(driver, { instanceExtensions: ["VK_KHR_get_surface_capabilities2"], vulkan: { release } });
  return inFrame((memory) => {
    const most = 8;
    const info = memory.alloc(24),
      count = memory.alloc(4),
      list = memory.alloc(24 * most),
      chain = memory.alloc(24 * most);
    memory.bytes.fill(0, info, chain + 24 * most);
    memory.view.setUint32(info, 1000119000, true);
    memory.view.setBigUint64(info + 16, phone.surface as unknown as bigint, true);
    memory.view.setUint32(count, most, true);
    for (let index = 0; index < most; index++) {
      memory.view.setUint32(list + 24 * index, FORMAT2, true);
      memory.view.setBigUint64(list + 24 * index + 8, memory.address(chain + 24 * index), true);
      memory.view.setUint32(chain + 24 * index, COMPRESSION, true);
    }
    const [at, countAt, listAt] = [info, count, list].map((each) => memory.address(each));
    const got = phone.instance.raw.vkGetPhysicalDeviceSurfaceFormats2KHR(phone.gpu.handle, at, countAt, listAt);
    const seen = Array.from({ length: memory.view.getUint32(count, true) }, (_, index) => {
      const words = [list + 24 * index + 16, chain + 24 * index + 16, chain + 24 * index + 20];
      return words.map((each) => memory.view.getUint32(each, true));
    });
    return { result: got, seen };
  });
}

Deno.test("vkGetPhysicalDeviceSurfaceFormats2KHR says how the driver compresses images of each format", () => {
  const { result, seen } = formats(FORMAT_NOT_SUPPORTED, 17);
  assertEquals(result, 0);
  assertEquals(seen.slice(0, 3), [[37, 2, 8], [43, 2, 8], [RGB565, 0, 0]]);
});

Deno.test("vkGetPhysicalDeviceSurfaceFormats2KHR fails where compression cannot be told, before release 17 always", () => {
  assertEquals(formats(FORMAT_NOT_SUPPORTED, 14).result, FORMAT_NOT_SUPPORTED);
  assertEquals(formats(OUT_OF_DEVICE_MEMORY, 17).result, OUT_OF_DEVICE_MEMORY);
});
