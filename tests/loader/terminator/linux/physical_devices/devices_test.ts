import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { peek64 } from "../../../../../ffi/machine.ts";
import { VulkanError } from "../../../../../loader/mod.ts";
import type { DriverSpec } from "../../../../../loader/drivers.ts";
import { cards, deviceNames, enumerate, enumerateGroups, groupNames, withDrivers } from "../drivers.ts";

const QUEUE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };
const DISCRETE = 2, INTEGRATED = 1, VIRTUAL = 3, CPU = 4, OTHER = 0;
const VK_STRUCTURE_TYPE_PCI_BUS_INFO = 1000212000, VK_STRUCTURE_TYPE_DRIVER = 1000196000;

/** The result of a call that fails. */
function resultOf(call: () => unknown): number {
  return assertThrows(call, VulkanError).code;
}

Deno.test("joinDrivers() shows the devices of all drivers, the last driver's first, and each answers for itself", () => {
  withDrivers([cards("one", "A", "B"), cards("two", "C")], ({ vulkan, drivers }) => {
    using instance = vulkan.vkCreateInstance({});
    assertEquals(deviceNames(instance), ["C", "A", "B"]);
    for (const gpu of instance.vkEnumeratePhysicalDevices()) {
      using _device = gpu.vkCreateDevice(QUEUE);
      const made = gpu.vkGetPhysicalDeviceProperties().deviceName === "C" ? [0, 1] : [1, 0];
      assertEquals(drivers.map((driver) => driver.live("VkDevice")), made);
    }
  });
});

Deno.test("commands of devices go to the driver that made them, also through vkGetDeviceProcAddr", () => {
  withDrivers([cards("one", "A"), cards("two", "B")], ({ vulkan, drivers }) => {
    using instance = vulkan.vkCreateInstance({});
    const devices = instance.vkEnumeratePhysicalDevices().map((gpu) => gpu.vkCreateDevice(QUEUE));
    for (const device of devices) device.vkCreateBuffer({ size: 16n, usage: 1 });
    assertEquals(drivers.map((driver) => driver.live("VkBuffer")), [1, 1]);
    for (const device of devices.toReversed()) device.close();
    assertEquals(drivers.map((driver) => driver.live("VkDevice")), [0, 0]);
  });
});

Deno.test("acceptance 10: of two drivers one fails to make an instance, and the other's devices are seen", () => {
  const failing: DriverSpec = { ...cards("failing", "A"), commands: { vkCreateInstance: () => -3 } };
  for (const specs of [[failing, cards("good", "B")], [cards("good", "B"), failing]]) {
    withDrivers(specs, ({ vulkan, said }) => {
      using instance = vulkan.vkCreateInstance({});
      assertEquals(deviceNames(instance), ["B"]);
      assertStringIncludes(said.join("\n"), "Received return code -3 from call to vkCreateInstance in ICD failing.");
    });
  }
  withDrivers([failing, failing], ({ vulkan }) => assertEquals(resultOf(() => vulkan.vkCreateInstance({})), -9));
});

Deno.test("a driver that runs out of memory fails the instance, and the others' are destroyed", () => {
  const poor: DriverSpec = { ...cards("poor", "A"), commands: { vkCreateInstance: () => -1 } };
  withDrivers([cards("good", "B"), poor], ({ vulkan, drivers }) => {
    assertEquals(resultOf(() => vulkan.vkCreateInstance({})), -1);
    assertEquals(drivers[0].live("VkInstance"), 0);
  });
});

Deno.test("acceptance 19: counting first and asking for many at once list the same devices", () => {
  withDrivers([cards("one", "A", "B"), cards("two", "C")], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance({});
    const twice = instance.vkEnumeratePhysicalDevices().map(({ handle }) => handle);
    assertEquals(enumerate(instance, 99), [0, 3, ...twice]);
  });
});

Deno.test("acceptance 20: too short an array gives VK_INCOMPLETE, then all", () => {
  withDrivers([cards("one", "A", "B"), cards("two", "C")], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance({});
    const all = enumerate(instance, 3).slice(2);
    assertEquals(enumerate(instance, 2), [5, 2, ...all.slice(0, 2)]);
    assertEquals(enumerate(instance, 0), [5, 0]);
    assertEquals(enumerate(instance, 3), [0, 3, ...all]);
  });
});

Deno.test("acceptance 21: no device at all is VK_ERROR_INITIALIZATION_FAILED", () => {
  withDrivers([{ name: "none", physicalDevices: [] }], ({ vulkan, said }) => {
    using instance = vulkan.vkCreateInstance({});
    assertEquals(resultOf(() => instance.vkEnumeratePhysicalDevices()), -3);
    assertStringIncludes(said.join("\n"), "Failed to detect any valid GPUs in the current config");
  });
});

Deno.test("acceptance 22: devices that come and go leave the other handles as they were", () => {
  withDrivers([cards("one", "A", "B"), cards("two", "C")], ({ vulkan, drivers: [one] }) => {
    using instance = vulkan.vkCreateInstance({});
    const before = new Map(
      deviceNames(instance).map((name, index) => [name, instance.vkEnumeratePhysicalDevices()[index]]),
    );
    const [a] = one.physicalDevices.splice(0, 1);
    assertEquals(deviceNames(instance), ["C", "B"]);
    assertEquals(instance.vkEnumeratePhysicalDevices(), [before.get("C")!, before.get("B")!]);
    one.physicalDevices.push({ properties: { deviceName: "D" } }, a);
    assertEquals(deviceNames(instance), ["C", "B", "D", "A"]);
    assertEquals(instance.vkEnumeratePhysicalDevices()[1], before.get("B"));
  });
});

Deno.test("acceptance 23: a driver whose enumeration fails hides nobody else's devices", () => {
  const failing: DriverSpec = { ...cards("failing", "A"), commands: { vkEnumeratePhysicalDevices: () => -4 } };
  withDrivers([failing, cards("good", "B")], ({ vulkan, said }) => {
    using instance = vulkan.vkCreateInstance({});
    assertEquals(deviceNames(instance), ["B"]);
    const words = "setup_loader_term_phys_devs: Call to 'vkEnumeratePhysicalDevices' in ICD";
    assertStringIncludes(said.join("\n"), `${words} failing failed with error code -4`);
  });
  withDrivers([failing], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance({});
    assertEquals(resultOf(() => instance.vkEnumeratePhysicalDevices()), -3);
  });
});

const GROUPED: DriverSpec = {
  name: "grouped",
  physicalDevices: ["A", "B", "C"].map((deviceName) => ({
    properties: { deviceName },
    ...(deviceName !== "B" && { group: "pair" }),
  })),
};

Deno.test("acceptance 24: groups of several drivers, all or as many as there is room for", () => {
  withDrivers([GROUPED, cards("single", "D")], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 0x401000 } });
    assertEquals(groupNames(instance).toSorted(), [["A", "C"], ["B"], ["D"]]);
    const { result, count } = enumerateGroups(instance, 2);
    assertEquals([result, count], [5, 2]);
  });
});

Deno.test("acceptance 24: a driver that knows no groups has one for each device", () => {
  withDrivers([{ ...cards("old", "A", "B"), apiVersion: null }], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 0x401000 } });
    assertEquals(groupNames(instance), [["A"], ["B"]]);
  });
});

Deno.test("acceptance 24: a driver whose groups cannot be listed has one for each device", () => {
  const commands: DriverSpec["commands"] = { vkEnumeratePhysicalDeviceGroups: () => -3 };
  withDrivers([{ ...GROUPED, commands }, cards("good", "D")], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 0x401000 } });
    assertEquals(groupNames(instance).toSorted(), [["A"], ["B"], ["C"], ["D"]]);
  });
});

Deno.test("acceptance 25: the command of the extension lists the same groups as the core one", () => {
  const name = "VK_KHR_device_group_creation";
  withDrivers([{ ...GROUPED, instanceExtensions: [name] }], ({ vulkan }) => {
    const info = { pApplicationInfo: { apiVersion: 0x401000 }, ppEnabledExtensionNames: [name] };
    using instance = vulkan.vkCreateInstance(info);
    assertEquals(groupNames(instance, false), groupNames(instance, true));
  });
});

Deno.test("acceptance 26: groups follow devices that come and go", () => {
  withDrivers([GROUPED], ({ vulkan, drivers: [driver] }) => {
    using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 0x401000 } });
    assertEquals(groupNames(instance), [["A", "C"], ["B"]]);
    driver.physicalDevices.splice(2, 1);
    assertEquals(groupNames(instance), [["A"], ["B"]]);
    driver.physicalDevices.push({ properties: { deviceName: "E" }, group: "pair" });
    assertEquals(groupNames(instance), [["A", "E"], ["B"]]);
  });
});

/** Devices of two vendors, one pair of them a group. */
const VENDORS: DriverSpec = {
  name: "vendors",
  apiVersion: 0x402000,
  physicalDevices: [
    { properties: { deviceName: "A", vendorID: 0x10de, deviceID: 1 }, group: "pair", chain: [driverID(4)] },
    { properties: { deviceName: "B", vendorID: 0x10de, deviceID: 2 }, group: "pair", chain: [driverID(4)] },
    { properties: { deviceName: "C", vendorID: 0x8086, deviceID: 9 }, chain: [driverID(6)] },
  ],
};

function driverID(id: number) {
  return { sType: VK_STRUCTURE_TYPE_DRIVER, driverID: id } as const;
}

Deno.test("acceptance 27: filters by device, vendor and driver hide devices, and groups with a hidden one", () => {
  const cases: [Record<string, string>, string[], string[][]][] = [
    [{ VK_LOADER_VENDOR_ID_FILTER: "0x10de" }, ["A", "B"], [["A", "B"]]],
    [{ VK_LOADER_DEVICE_ID_FILTER: "2:9" }, ["B", "C"], [["C"]]],
    [{ VK_LOADER_DRIVER_ID_FILTER: "6" }, ["C"], [["C"]]],
    [{ VK_LOADER_DEVICE_ID_FILTER: "1,9", VK_LOADER_VENDOR_ID_FILTER: "0x8086" }, ["C"], [["C"]]],
    [{ VK_LOADER_VENDOR_ID_FILTER: "nonsense" }, ["A", "B", "C"], [["A", "B"], ["C"]]],
  ];
  for (const [env, devices, groups] of cases) {
    withDrivers([VENDORS], ({ vulkan }) => {
      using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 0x402000 } });
      assertEquals([deviceNames(instance), groupNames(instance)], [devices, groups], JSON.stringify(env));
    }, env);
  }
});

/** A device of a type, perhaps at a place on a PCI bus. */
function device(deviceName: string, deviceType: number, pci?: readonly [number, number, number, number]) {
  const [pciDomain, pciBus, pciDevice, pciFunction] = pci ?? [];
  const place = { sType: VK_STRUCTURE_TYPE_PCI_BUS_INFO, pciDomain, pciBus, pciDevice, pciFunction } as const;
  return {
    properties: { deviceName, deviceType },
    ...(pci && { extensions: ["VK_EXT_pci_bus_info"], chain: [place] }),
  };
}

const MIXED: DriverSpec[] = [
  {
    name: "first",
    physicalDevices: [device("cpu", CPU), device("virtual", VIRTUAL), device("far", DISCRETE, [0, 7, 0, 0])],
  },
  {
    name: "second",
    physicalDevices: [
      device("nowhere", DISCRETE),
      device("other", OTHER),
      device("near", DISCRETE, [0, 2, 1, 0]),
      device("integrated", INTEGRATED),
      device("nearer", DISCRETE, [0, 2, 0, 3]),
    ],
  },
];

Deno.test("acceptance 28: devices are sorted by type and place, unless the environment says not to", () => {
  withDrivers(MIXED, ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 0x401000 } });
    const sorted = ["nearer", "near", "far", "nowhere", "integrated", "virtual", "other", "cpu"];
    assertEquals(deviceNames(instance), sorted);
    assertEquals(groupNames(instance).flat(), sorted);
  });
  withDrivers(MIXED, ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance({});
    const unsorted = ["nowhere", "other", "near", "integrated", "nearer", "cpu", "virtual", "far"];
    assertEquals(deviceNames(instance), unsorted);
  }, { VK_LOADER_DISABLE_SELECT: "1" });
  withDrivers(MIXED, ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance({});
    assertEquals(deviceNames(instance)[0], "nearer");
  }, { VK_LOADER_DISABLE_SELECT: "0" });
});

Deno.test("acceptance 28: VK_LOADER_DEVICE_SELECT puts one device before all", () => {
  withDrivers([VENDORS], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance({});
    assertEquals(deviceNames(instance), ["C", "A", "B"]);
  }, { VK_LOADER_DEVICE_SELECT: "8086:9" });
});

Deno.test("acceptance 30: vkCreateDevice refuses an extension that no driver or layer has", () => {
  withDrivers([cards("one", "A")], ({ vulkan, drivers }) => {
    using instance = vulkan.vkCreateInstance({});
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    const info = { ...QUEUE, ppEnabledExtensionNames: ["VK_EXT_nobody_has_this"] };
    assertEquals(resultOf(() => gpu.vkCreateDevice(info)), -7);
    assertEquals(drivers[0].live("VkDevice"), 0);
  });
});

Deno.test("a device group of ours reaches the driver with its own handles, and is given back as it was", () => {
  const VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO = 1000070001, DEVICES = 24n;
  let inside: bigint[] = [], list = 0n;
  const handles = () => [peek64(list), peek64(list + 8n)];
  const commands: DriverSpec["commands"] = {
    vkCreateDevice(next, gpu, info, allocator, out) {
      const group = peek64(info + 8n);
      list = peek64(group + DEVICES);
      inside = [gpu, ...handles()];
      const result = next(gpu, info, allocator, out);
      return result;
    },
  };
  withDrivers([cards("other", "D"), { ...GROUPED, commands }], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 0x401000 } });
    const pair = instance.vkEnumeratePhysicalDevices().filter((gpu) =>
      ["A", "C"].includes(gpu.vkGetPhysicalDeviceProperties().deviceName)
    );
    const seenOutside = pair.map(({ handle }) => handle);
    const group = { sType: VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO, pPhysicalDevices: pair } as const;
    using _device = pair[0].vkCreateDevice({ ...QUEUE, pNext: [group] });
    const [gpu, first, second] = inside;
    assertEquals(first, gpu);
    assertEquals([first, second].some((handle) => seenOutside.includes(handle) || handle === 0n), false);
  });
});
