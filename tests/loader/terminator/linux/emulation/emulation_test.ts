import { assertEquals, assertStringIncludes } from "@std/assert";
import type { DriverSpec } from "../../../../../loader/drivers.ts";
import type { VkInstance, VkPhysicalDevice } from "../../../../../loader/gen/types_core_gen.ts";
import { peek32, peek64, poke32 } from "../../../../../ffi/machine.ts";
import { withDrivers } from "../drivers.ts";

const QUERIES = "VK_KHR_get_physical_device_properties2";
const VERSION_1_0 = 0x400000, VERSION_1_1 = 0x401000;
const IMAGE = { format: 37, type: 1, tiling: 0, usage: 1, flags: 0 };
const SPARSE = { format: 37, type: 1, samples: 1, usage: 1, tiling: 0 } as const;

/** A driver's words about itself, and the questions. */
const DEVICE = {
  properties: { deviceName: "A", vendorID: 0x10de, deviceID: 77, limits: { maxImageDimension2D: 4096 } },
  features: { geometryShader: true, wideLines: true },
  memoryProperties: {
    memoryTypeCount: 2,
    memoryTypes: [{ propertyFlags: 1, heapIndex: 0 }, { propertyFlags: 6, heapIndex: 0 }],
    memoryHeapCount: 1,
    memoryHeaps: [{ size: 1n << 30n, flags: 1 }],
  },
  queueFamilies: [{ queueFlags: 7, queueCount: 4 }, { queueFlags: 4, queueCount: 2 }],
};

/** Drivers of several generations. */
const OLD: DriverSpec = { name: "old", apiVersion: null, physicalDevices: [DEVICE] };
const EXTENDED: DriverSpec = { ...OLD, name: "extended", instanceExtensions: [QUERIES] };
const NEW: DriverSpec = { ...OLD, name: "new", apiVersion: VERSION_1_1, instanceExtensions: [QUERIES] };
const CORE_ONLY: DriverSpec = { ...OLD, name: "core", apiVersion: VERSION_1_1 };

/** Drivers beside each other, what the application asks for, and the names it then may call. */
const MIXES: [string, DriverSpec[], number, string[], ("" | "KHR")[]][] = [
  ["a 1.0 driver without the extension", [OLD], VERSION_1_1, [], [""]],
  ["a 1.0 driver with the extension", [EXTENDED], VERSION_1_1, [QUERIES], ["", "KHR"]],
  ["a 1.1 driver", [NEW], VERSION_1_0, [QUERIES], ["KHR"]],
  ["a 1.1 driver beside a 1.0 driver without the extension", [CORE_ONLY, OLD], VERSION_1_1, [], [""]],
  ["drivers with and without the extension", [OLD, EXTENDED, NEW], VERSION_1_1, [QUERIES], ["", "KHR"]],
];

/** Each command with a chain beside what the older one without says. */
const COMMANDS: Record<string, (gpu: VkPhysicalDevice, suffix: "" | "KHR") => [unknown, unknown]> = {
  vkGetPhysicalDeviceFeatures2: (gpu, suffix) => [
    gpu[`vkGetPhysicalDeviceFeatures2${suffix}`]().features,
    gpu.vkGetPhysicalDeviceFeatures(),
  ],
  vkGetPhysicalDeviceProperties2: (gpu, suffix) => [
    gpu[`vkGetPhysicalDeviceProperties2${suffix}`]().properties,
    gpu.vkGetPhysicalDeviceProperties(),
  ],
  vkGetPhysicalDeviceMemoryProperties2: (gpu, suffix) => [
    gpu[`vkGetPhysicalDeviceMemoryProperties2${suffix}`]().memoryProperties,
    gpu.vkGetPhysicalDeviceMemoryProperties(),
  ],
  vkGetPhysicalDeviceFormatProperties2: (gpu, suffix) => [
    gpu[`vkGetPhysicalDeviceFormatProperties2${suffix}`](IMAGE.format).formatProperties,
    gpu.vkGetPhysicalDeviceFormatProperties(IMAGE.format),
  ],
  vkGetPhysicalDeviceImageFormatProperties2: (gpu, suffix) => [
    outcome(() => gpu[`vkGetPhysicalDeviceImageFormatProperties2${suffix}`](IMAGE).imageFormatProperties),
    outcome(() =>
      gpu.vkGetPhysicalDeviceImageFormatProperties(IMAGE.format, IMAGE.type, IMAGE.tiling, IMAGE.usage, IMAGE.flags)
    ),
  ],
  vkGetPhysicalDeviceQueueFamilyProperties2: (gpu, suffix) => [
    gpu[`vkGetPhysicalDeviceQueueFamilyProperties2${suffix}`]().map((each) => each.queueFamilyProperties),
    gpu.vkGetPhysicalDeviceQueueFamilyProperties(),
  ],
  vkGetPhysicalDeviceSparseImageFormatProperties2: (gpu, suffix) => [
    gpu[`vkGetPhysicalDeviceSparseImageFormatProperties2${suffix}`](SPARSE).map((each) => each.properties),
    gpu.vkGetPhysicalDeviceSparseImageFormatProperties(
      SPARSE.format,
      SPARSE.type,
      SPARSE.samples,
      SPARSE.usage,
      SPARSE.tiling,
    ),
  ],
};

function outcome(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return (error as Error).message.replace(/^vk\w+ /, "");
  }
}

for (const [title, drivers, apiVersion, ppEnabledExtensionNames, suffixes] of MIXES) {
  for (const [name, both] of Object.entries(COMMANDS)) {
    Deno.test(`acceptance 79: ${name} with ${title}`, () => {
      withDrivers(drivers, ({ vulkan }) => {
        using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion }, ppEnabledExtensionNames });
        const gpus = instance.vkEnumeratePhysicalDevices();
        assertEquals(gpus.length, drivers.length);
        for (const gpu of gpus) {
          for (const suffix of suffixes) {
            const [chained, plain] = both(gpu, suffix);
            assertEquals(chained, plain, `${name}${suffix}`);
          }
        }
      });
    });
  }
}

/** Makes a 1.1 instance over a 1.0 driver. */
function withOld(use: (gpu: VkPhysicalDevice, said: string[], instance: VkInstance) => void): void {
  withDrivers([OLD], ({ vulkan, said }) => {
    using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: VERSION_1_1 } });
    use(instance.vkEnumeratePhysicalDevices()[0], said, instance);
  });
}

Deno.test("acceptance 79: the values that are compared are not all zero", () => {
  withOld((gpu) => {
    assertEquals(gpu.vkGetPhysicalDeviceFeatures2().features.geometryShader, true);
    assertEquals(gpu.vkGetPhysicalDeviceProperties2().properties.limits.maxImageDimension2D, 4096);
    assertEquals(gpu.vkGetPhysicalDeviceQueueFamilyProperties2().length, 2);
    assertEquals(gpu.vkGetPhysicalDeviceMemoryProperties2().memoryProperties.memoryTypeCount, 2);
  });
});

Deno.test("acceptance 79: VkPhysicalDeviceIDProperties is zero and other chained structs are said to stay", () => {
  const ID = 1000071004, DRIVER = 1000196000;
  const ignored = "vkGetPhysicalDeviceProperties2KHR: Emulation found unrecognized structure type in " +
    "pProperties->pNext - this struct will be ignored";
  withOld((gpu, said) => {
    const { pNext: [id] } = gpu.vkGetPhysicalDeviceProperties2([ID]);
    assertEquals([id.deviceLUIDValid, [...id.deviceUUID].every((byte) => byte === 0)], [false, true]);
    assertEquals(said.filter((each) => each.includes("will be ignored")), []);
    gpu.vkGetPhysicalDeviceProperties2([DRIVER]);
    assertStringIncludes(said.join("\n"), ignored);
  });
});

Deno.test("an application of Vulkan 1.0 that enabled no extension gets the emulation, and is told so", () => {
  const EXTERNAL = "vkGetPhysicalDeviceExternalBufferProperties", FEATURES = "vkGetPhysicalDeviceFeatures2";
  const commands: DriverSpec["commands"] = {
    [EXTERNAL]: (_next, _gpu, _info, out) => void poke32(out + 16n, 7),
    [FEATURES]: () => {
      throw new Error("The driver is asked under a name that the application may not use");
    },
  };
  for (const extensions of [[], ["VK_KHR_external_memory_capabilities"]]) {
    withDrivers([{ ...CORE_ONLY, instanceExtensions: extensions, commands }], ({ vulkan, said }) => {
      using instance = vulkan.vkCreateInstance({
        pApplicationInfo: { apiVersion: VERSION_1_0 },
        ppEnabledExtensionNames: extensions,
      });
      const [gpu] = instance.vkEnumeratePhysicalDevices(), info = { usage: 1, handleType: 1 };
      const { externalMemoryFeatures } = gpu[EXTERNAL](info).externalMemoryProperties;
      assertEquals(externalMemoryFeatures, extensions.length === 0 ? 0 : 7);
      assertEquals(gpu[FEATURES]().features.geometryShader, true);
      const emulated = said.filter((line) => line.includes("Emulating"));
      assertEquals(emulated, [
        ...extensions.length === 0 ? [`${EXTERNAL}: Emulating call in ICD "core"`] : [],
        `${FEATURES}: Emulating call in ICD "core" using vkGetPhysicalDeviceFeatures`,
      ]);
    });
  }
});

Deno.test("a driver that does not know of tools has none", () => {
  const missing = ["vkGetPhysicalDeviceToolProperties"];
  withDrivers([{ ...NEW, missing }, NEW], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 0x403000 } });
    for (const gpu of instance.vkEnumeratePhysicalDevices()) {
      assertEquals(gpu.vkGetPhysicalDeviceToolProperties(), []);
    }
  });
});

Deno.test("acceptance 79: what a 1.0 driver cannot import or export is said to be nothing", () => {
  withOld((gpu) => {
    const buffer = gpu.vkGetPhysicalDeviceExternalBufferProperties({ usage: 1, handleType: 1 });
    assertEquals(Object.values(buffer.externalMemoryProperties), [0, 0, 0]);
    const fence = gpu.vkGetPhysicalDeviceExternalFenceProperties({ handleType: 1 });
    assertEquals(fence.externalFenceFeatures, 0);
    const semaphore = gpu.vkGetPhysicalDeviceExternalSemaphoreProperties({ handleType: 1 });
    assertEquals(semaphore.externalSemaphoreFeatures, 0);
  });
});

Deno.test("acceptance 43: a 1.0 driver gets a 1.0 application, whatever the application asks for", () => {
  const seen: number[] = [], API_VERSION = 44n;
  const commands: DriverSpec["commands"] = {
    vkCreateInstance(next, info, allocator, out) {
      const application = peek64(info + 24n);
      seen.push(application === 0n ? 0 : peek32(application + API_VERSION));
      return next(info, allocator, out);
    },
  };
  withDrivers([{ ...OLD, commands }, { ...NEW, commands }], ({ vulkan }) => {
    for (const apiVersion of [VERSION_1_0, VERSION_1_1, 0x403000]) {
      vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion } }).close();
    }
    vulkan.vkCreateInstance({}).close();
  });
  assertEquals(seen, [VERSION_1_0, VERSION_1_0, VERSION_1_0, VERSION_1_1, VERSION_1_0, 0x403000, 0, 0]);
});
