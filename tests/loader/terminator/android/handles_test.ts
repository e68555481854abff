import { assertEquals, assertInstanceOf, assertThrows } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import { takeFaults } from "../../../../ffi/error.ts";
import { peek64, poke64 } from "../../../../ffi/machine.ts";
import { DriverError } from "../../../../loader/mod.ts";
import { compileFixture } from "../../../support/compile.ts";
import { NativeVulkan } from "../../install/native.ts";
import { AndroidDriverFixture, NEEDS_DRIVER } from "./fixture.ts";

const plain = new AndroidDriverFixture(""), MAGIC = 0x1cdc0den;
const odd = (what: string) => new AndroidDriverFixture(`odd_${what}`, { NO_MAGIC: `"${what}"` });

Deno.test("an object whose first word is neither magic nor ours is refused, and destroyed", NEEDS_DRIVER, () => {
  for (const what of ["instance", "device"]) {
    const fixture = odd(what);
    fixture.holding(() => {
      assertThrows(() => fixture.withDevice(() => {}), DriverError, "not the loader magic");
      assertEquals([fixture.count("instances"), fixture.count("devices")], [0, 0]);
    });
  }
});

Deno.test("native code gets VK_ERROR_INCOMPATIBLE_DRIVER for it, with and without a layer", NEEDS_DRIVER, () => {
  for (const layers of [[], [compileFixture("plain_layer")!]]) {
    for (const what of ["instance", "device"]) {
      const fixture = odd(what);
      using vulkan = fixture.load({ layers });
      using _installed = vulkan.install();
      using native = new NativeVulkan();
      const create = () => {
        const instance = native.createInstance();
        if (what === "device") native.createDevice(native.firstGpu(instance));
      };
      assertThrows(create, RangeError, "-9");
      assertEquals([fixture.count("devices"), fixture.count("instances")], [0, what === "device" ? 1 : 0]);
      assertInstanceOf(takeFaults()[0], DriverError);
    }
  }
});

Deno.test(
  "a queue asked for again counts as stamped, and command buffers are stamped at each allocation",
  NEEDS_DRIVER,
  () => {
    plain.withDevice((device) => {
      const key = peek64(device.handle), queue = device.vkGetDeviceQueue(0, 0);
      assertEquals([device.vkGetDeviceQueue(0, 0) === queue, peek64(queue.handle)], [true, key]);
      assertEquals(peek64(device.vkGetDeviceQueue2({ queueFamilyIndex: 0, queueIndex: 0 }).handle), key);
      const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
      for (let round = 0; round < 2; round++) {
        const buffers = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: 2 });
        assertEquals(buffers.map(({ handle }) => peek64(handle)), [key, key]);
        device.vkFreeCommandBuffers(commandPool, buffers);
        for (const { handle } of buffers) assertEquals(peek64(handle), key);
      }
    });
  },
);

Deno.test("a driver's queue that is NULL is passed on; AOSP writes to it", NEEDS_DRIVER, () => {
  new AndroidDriverFixture("null_queue", { NULL_QUEUE: 1 }).withDevice((device) => {
    const memory = arena(), mark = memory.mark(), out = memory.address(memory.alloc(8));
    for (const get of ["vkGetDeviceQueue", "vkGetDeviceQueue2"] as const) {
      poke64(out, MAGIC);
      if (get === "vkGetDeviceQueue") device.raw[get](device.handle, 0, 0, out);
      else device.raw[get](device.handle, out, out);
      assertEquals(peek64(out), 0n);
    }
    memory.release(mark);
  });
});
