import { assertEquals, assertStringIncludes } from "@std/assert";
import { arena } from "../../../../../ffi/arena.ts";
import { cstring } from "../../../../../ffi/cstring.ts";
import { invokeAddress } from "../../../../../ffi/machine.ts";
import type { DriverSpec } from "../../../../../loader/drivers.ts";
import type { VkDevice, VkInstance } from "../../../../../loader/gen/types_core_gen.ts";
import { cards, withDrivers } from "../drivers.ts";

const QUEUE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };

/** A driver with a command nobody knows, which returns this number and its argument. */
function knowing(name: string, command: string, value: number, physicalDevice: boolean): DriverSpec {
  const run = (_handle: bigint, argument: number) => value + argument;
  return { ...cards(name, name), unknownCommands: { [command]: { signature: "s:qw", physicalDevice, run } } };
}

/** vkGetInstanceProcAddr or vkGetDeviceProcAddr of an object. */
function ask(object: VkInstance | VkDevice, name: string): bigint {
  const memory = arena(), mark = memory.mark(), text = memory.place(cstring(name));
  const address = "attach" in object
    ? object.raw.vkGetInstanceProcAddr(object.handle, text)
    : object.raw.vkGetDeviceProcAddr(object.handle, text);
  memory.release(mark);
  return address;
}

Deno.test("acceptance 76: a physical-device command only a driver knows is reached with that driver's device", () => {
  withDrivers([knowing("one", "vkGetPhysicalDeviceSecretTEST", 100, true), cards("two", "two")], ({ vulkan, said }) => {
    using instance = vulkan.vkCreateInstance({});
    const address = ask(instance, "vkGetPhysicalDeviceSecretTEST");
    const results = new Map(
      instance.vkEnumeratePhysicalDevices().map((gpu) => [
        gpu.vkGetPhysicalDeviceProperties().deviceName,
        invokeAddress(address, "s:qw", [gpu.handle, 5]),
      ]),
    );
    assertEquals(results.get("one"), 105);
    assertEquals(ask(instance, "vkGetPhysicalDeviceNobodyTEST"), 0n);
    assertStringIncludes(said.join("\n"), "vkGetPhysicalDeviceSecretTEST: the driver of this physical device");
  });
});

Deno.test("acceptance 76: many drivers know the command, and many commands are unknown", () => {
  const commands = Array.from({ length: 40 }, (_, index) => `vkGetPhysicalDeviceSecret${index}TEST`);
  const drivers = [1000, 2000].map((base): DriverSpec => ({
    ...cards(`${base}`, `${base}`),
    unknownCommands: Object.fromEntries(commands.map((name, index) => [
      name,
      { signature: "s:qw", physicalDevice: true, run: (_gpu: bigint, more: number) => base + index + more },
    ])),
  }));
  withDrivers(drivers, ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance({});
    const addresses = commands.map((name) => ask(instance, name));
    assertEquals(new Set(addresses).size, 40);
    for (const gpu of instance.vkEnumeratePhysicalDevices()) {
      const base = Number(gpu.vkGetPhysicalDeviceProperties().deviceName);
      assertEquals(
        addresses.map((address) => invokeAddress(address, "s:qw", [gpu.handle, 7])),
        commands.map((_, index) => base + index + 7),
      );
    }
    using second = vulkan.vkCreateInstance({});
    assertEquals(ask(second, commands[3]), addresses[3]);
    const [gpu] = second.vkEnumeratePhysicalDevices();
    assertEquals(
      invokeAddress(addresses[3], "s:qw", [gpu.handle, 0]),
      Number(gpu.vkGetPhysicalDeviceProperties().deviceName) + 3,
    );
  });
});

Deno.test("acceptance 77: a device command only a driver knows is found through instance and device", () => {
  for (const others of [[], [cards("two", "two")]]) {
    withDrivers([knowing("one", "vkSecretTEST", 100, false), ...others], ({ vulkan }) => {
      using instance = vulkan.vkCreateInstance({});
      const gpu = instance.vkEnumeratePhysicalDevices().at(-1)!;
      using device = gpu.vkCreateDevice(QUEUE);
      const queue = device.vkGetDeviceQueue(0, 0);
      for (const address of [ask(instance, "vkSecretTEST"), ask(device, "vkSecretTEST")]) {
        assertEquals(invokeAddress(address, "s:qw", [device.handle, 5]), 105);
        assertEquals(invokeAddress(address, "s:qw", [queue.handle, 6]), 106);
      }
      assertEquals([ask(instance, "vkNobodyTEST"), ask(device, "vkNobodyTEST")], [0n, 0n]);
    });
  }
});

Deno.test("acceptance 77: when several drivers know it, the device's own driver is reached", () => {
  withDrivers([1000, 2000].map((base) => knowing(`${base}`, "vkSecretTEST", base, false)), ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance({});
    const early = ask(instance, "vkSecretTEST");
    for (const gpu of instance.vkEnumeratePhysicalDevices()) {
      const base = Number(gpu.vkGetPhysicalDeviceProperties().deviceName);
      using device = gpu.vkCreateDevice(QUEUE);
      assertEquals(invokeAddress(ask(device, "vkSecretTEST"), "s:qw", [device.handle, 1]), base + 1);
      assertEquals(invokeAddress(early, "s:qw", [device.handle, 2]), base + 2);
    }
  });
});

Deno.test("acceptance 77: devices that are there already are reached, too", () => {
  withDrivers([1000, 2000].map((base) => knowing(`${base}`, "vkLateTEST", base, false)), ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance({});
    const [one, two] = instance.vkEnumeratePhysicalDevices().map((gpu) => gpu.vkCreateDevice(QUEUE));
    const late = ask(instance, "vkLateTEST");
    assertEquals([one, two].map((device) => invokeAddress(late, "s:qw", [device.handle, 3])), [2003, 1003]);
    one.close();
    two.close();
  });
});

const TIME_DOMAINS = "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT";

Deno.test("acceptance 78: a command the driver of a device does not have fails and is logged", () => {
  const name = "VK_EXT_calibrated_timestamps";
  const has: DriverSpec = { name: "has", physicalDevices: [{ properties: { deviceName: "has" }, extensions: [name] }] };
  const lacks: DriverSpec = { ...cards("lacks", "lacks"), missing: [TIME_DOMAINS] };
  withDrivers([has, lacks], ({ vulkan, said }) => {
    using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 0x403000 } });
    const results = instance.vkEnumeratePhysicalDevices().map((gpu) => {
      const { deviceName } = gpu.vkGetPhysicalDeviceProperties();
      const memory = arena(), mark = memory.mark(), count = memory.alloc(8);
      memory.view.setUint32(count, 0, true);
      const result = gpu.raw[TIME_DOMAINS](gpu.handle, memory.address(count), 0n);
      memory.release(mark);
      return [deviceName, result];
    });
    assertEquals(Object.fromEntries(results), { has: 0, lacks: -7 });
    assertStringIncludes(said.join("\n"), `${TIME_DOMAINS}: the driver of this physical device`);
  });
});
