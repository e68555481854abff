import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { openBlocks } from "../../../ffi/block.ts";
import { peek64 } from "../../../ffi/machine.ts";
import { defineLayer, DriverError, VulkanError, type VulkanOptions } from "../../../loader/mod.ts";
import type { VkInstance, VkPhysicalDevice } from "../../../loader/types.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { interfaceDriver } from "../driver/machine.ts";
import { NEEDS_TINY, tinyCount } from "../tiny.ts";
import { type LayerMachine, layerName, withMachine } from "./choice/layer_machine.ts";

const DEVICE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };
const lavapipe = lavapipePath()!;
const REAL = { ignore: NEEDS_TINY.ignore || needs("Mesa lavapipe", lavapipe).ignore };

/** Makes an instance with these layers, top to bottom, each `name+flags`, and hands it over. */
function withChain(
  layers: readonly string[],
  use: (instance: VkInstance, machine: LayerMachine) => void,
  options: VulkanOptions = {},
): void {
  withMachine((machine) => {
    for (const [short, flags] of layers.map((each) => each.split(/(?=\+)/))) machine.explicit(short, { flags });
    using vulkan = machine.load({}, options);
    const ppEnabledLayerNames = layers.map((each) => layerName(each.split("+")[0]));
    using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 0x403000 }, ppEnabledLayerNames });
    use(instance, machine);
  });
}

/** Makes a device, a buffer and a queue, and destroys them; every handle begins with its object's key. */
function useDevice(gpu: VkPhysicalDevice): void {
  using device = gpu.vkCreateDevice(DEVICE);
  const queue = device.vkGetDeviceQueue(0, 0);
  assertEquals(peek64(queue.handle), peek64(device.handle));
  device.vkDestroyBuffer(device.vkCreateBuffer({ size: 16n, usage: 2 }));
}

/** Before blocks are counted: some are kept for the life of the process. */
function makeWhatIsMadeOnce(): void {
  withChain(["a"], (instance) => useDevice(instance.vkEnumeratePhysicalDevices()[0]));
}

/** The number of times that the layers saw something. */
function times(machine: LayerMachine, what: string): number {
  return machine.log().filter((line) => line.endsWith(what)).length;
}

Deno.test("a layer finds the loader's four structs before the application's chain", NEEDS_TINY, () => {
  withChain(["a", "b"], (_instance, machine) => {
    assertEquals(machine.log().filter((line) => line.includes("structs")), ["a structs 3 2 1 0", "b structs 3 2 1 0"]);
  });
});

Deno.test(
  "a layer is told of the next lookup for physical-device commands, past layers that have none",
  NEEDS_TINY,
  () => {
    const told = (layers: string[], driver?: string) => {
      let lines: string[] = [];
      withChain(layers, (_instance, machine) => lines = machine.log().filter((line) => line.includes("lookup")), {
        ...(driver ? { driver } : {}),
      });
      return lines.map((line) => line.replace(" physical-device lookup below", "")).join(", ");
    };
    assertEquals(told(["a", "b+plain", "c", "d+plain"]), "a, b, c no, d no");
    assertEquals(told(["a+plain", "b+plain"]), "a no, b no");
    assertEquals(told(["a+plain", "b+plain"], interfaceDriver("v7", "-DINTERFACE=7")), "a, b");
  },
);

Deno.test(
  "acceptance 59: a layer that wraps instance, devices and physical devices keeps its wrappers",
  NEEDS_TINY,
  () => {
    makeWhatIsMadeOnce();
    for (const layers of [["a+wrap"], ["a+wrap", "b"], ["a", "b+wrap"], ["a+wrap", "b+wrap"]]) {
      const blocks = openBlocks();
      withChain(layers, (instance, machine) => {
        const [gpu] = instance.vkEnumeratePhysicalDevices();
        assertEquals(instance.vkEnumeratePhysicalDevices(), [gpu]);
        assertEquals(peek64(gpu.handle), peek64(instance.handle));
        assertEquals(gpu.vkGetPhysicalDeviceProperties().deviceName, "Tiny driver");
        useDevice(gpu);
        assertEquals(times(machine, "create buffer"), layers.length);
        assertEquals([tinyCount("live_instances"), tinyCount("live_devices")], [1, 0]);
      });
      assertEquals(openBlocks(), blocks);
    }
  },
);

Deno.test("acceptance 64: a layer adds, hides and wraps physical devices", NEEDS_TINY, () => {
  const found = (...layers: string[]) => {
    let names: string[] = [];
    withChain(layers, (instance) => {
      const gpus = instance.vkEnumeratePhysicalDevices();
      names = gpus.map((gpu) => gpu.vkGetPhysicalDeviceProperties().deviceName);
      assertEquals(new Set(gpus).size, gpus.length);
      for (const gpu of gpus) useDevice(gpu);
    });
    return names.length;
  };
  assertEquals([found("a"), found("a+add"), found("a+hide"), found("a+hide", "b+add"), found("a", "b+add+wrap")], [
    1,
    2,
    0,
    0,
    2,
  ]);
});

Deno.test("acceptance 64: groups of physical devices hold what layers make of the devices", REAL, () => {
  const grouped = (...layers: string[]) => {
    let same: boolean[] = [];
    withChain(layers, (instance) => {
      const handles = instance.vkEnumeratePhysicalDevices().map(({ handle }) => handle);
      const groups = instance.vkEnumeratePhysicalDeviceGroups();
      same = groups.map(({ physicalDevices }) => handles.includes(physicalDevices[0]));
    }, { driver: lavapipe });
    return same;
  };
  assertEquals([grouped("a"), grouped("a+wrap", "b"), grouped("a", "b+wrap"), grouped("a+hide")], [[true], [true], [
    true,
  ], []]);
});

Deno.test("acceptance 65: a layer makes a device of its own while the application's is made", NEEDS_TINY, () => {
  makeWhatIsMadeOnce();
  for (const layers of [["a+second"], ["a+second", "b"], ["a", "b+second", "c"], ["a", "b+instance", "c+second"]]) {
    const blocks = openBlocks();
    withChain(layers, (instance, machine) => {
      const [gpu] = instance.vkEnumeratePhysicalDevices();
      using device = gpu.vkCreateDevice(DEVICE);
      assertEquals([times(machine, " second device"), tinyCount("live_devices")], [1, 2]);
      device.close();
      assertEquals(tinyCount("live_devices"), 0);
      const below = layers.length - 1 - layers.findIndex((each) => each.includes("second"));
      assertEquals(times(machine, "create device"), layers.filter((each) => !each.includes("instance")).length + below);
    });
    assertEquals(openBlocks(), blocks);
  }
});

Deno.test(
  "acceptance 65: a layer makes the application's device by the loader's callback, of its own physical device, too",
  NEEDS_TINY,
  () => {
    makeWhatIsMadeOnce();
    for (const layers of [["a+instead"], ["a", "b+instead", "c"], ["a+instead+add+wrap", "b"]]) {
      const blocks = openBlocks();
      withChain(layers, (instance, machine) => {
        for (const gpu of instance.vkEnumeratePhysicalDevices()) useDevice(gpu);
        assertEquals(times(machine, "destroy device"), times(machine, "create device"));
        assertEquals(tinyCount("live_devices"), 0);
      });
      assertEquals(openBlocks(), blocks);
    }
  },
);

Deno.test(
  "acceptance 66, 70: what is below a layer never answers its own functions, and knows the instance",
  REAL,
  () => {
    for (const layers of [["a+ask"], ["a+ask", "b"], ["a", "b+ask", "c"]]) {
      withChain(layers, (instance, machine) => {
        assertEquals([times(machine, " own"), times(machine, " not own")], [1, 1]); // the one is the other
        const { deviceName } = instance.vkEnumeratePhysicalDevices()[0].vkGetPhysicalDeviceProperties();
        assertEquals(times(machine, deviceName), 2);
      }, { driver: lavapipe });
    }
  },
);

Deno.test(
  "acceptance 67: a layer that changes *pInstance or *pDevice before it calls down is refused",
  NEEDS_TINY,
  () => {
    makeWhatIsMadeOnce();
    const blocks = openBlocks();
    const error = assertThrows(() => withChain(["a", "b+change21"], () => {}), DriverError, "LLP_LAYER_21");
    assertStringIncludes(error.message, layerName("b"));
    withChain(["a+change22", "b"], (instance) => {
      const [gpu] = instance.vkEnumeratePhysicalDevices();
      assertThrows(() => gpu.vkCreateDevice(DEVICE), DriverError, "LLP_LAYER_22");
      assertEquals([tinyCount("live_instances"), tinyCount("live_devices")], [1, 0]);
    });
    assertEquals(openBlocks(), blocks);
  },
);

Deno.test("acceptance 68: a layer may ask for vkCreateDevice without an instance", NEEDS_TINY, () => {
  withChain(["a+null", "b+null"], (instance, machine) => {
    useDevice(instance.vkEnumeratePhysicalDevices()[0]);
    assertEquals(times(machine, "create device"), 2);
  });
});

Deno.test(
  "acceptance 30, 69: extensions that layers bring are listed and enabled, and do not reach the driver",
  REAL,
  () => {
    withMachine((machine) => {
      const layer = {
        instance_extensions: [{ name: "VK_TEST_instance", spec_version: "1" }],
        device_extensions: [{ name: "VK_TEST_device", spec_version: "2", entrypoints: ["vkTest"] }],
      };
      machine.explicit("a", { layer });
      using vulkan = machine.load({}, { driver: lavapipe });
      const wish = { ppEnabledExtensionNames: ["VK_TEST_instance", "VK_KHR_surface"] };
      assertEquals(machine.result(vulkan, wish), -7);
      using instance = vulkan.vkCreateInstance({ ...wish, ppEnabledLayerNames: [layerName("a")] });
      const [gpu] = instance.vkEnumeratePhysicalDevices();
      const listed = gpu.vkEnumerateDeviceExtensionProperties(layerName("a"));
      assertEquals(listed.map((each) => [each.extensionName, each.specVersion]), [["VK_TEST_device", 2]]);
      assertEquals(gpu.vkEnumerateDeviceExtensionProperties("VK_LAYER_nobody"), []);
      gpu.vkCreateDevice({ ...DEVICE, ppEnabledExtensionNames: ["VK_TEST_device", "VK_KHR_swapchain"] }).close();
      const refused = { ...DEVICE, ppEnabledExtensionNames: ["VK_TEST_nobody"] };
      const error = assertThrows(() => gpu.vkCreateDevice(refused), VulkanError, "VK_TEST_nobody");
      assertEquals(error.code, -7);
    });
  },
);

Deno.test("acceptance 69: a TypeScript layer brings extensions, too", REAL, () => {
  const layer = defineLayer({
    name: "VK_LAYER_TEST_script",
    instanceExtensions: [{ extensionName: "VK_TEST_instance", specVersion: 3 }],
    deviceExtensions: [{ extensionName: "VK_TEST_device", specVersion: 4 }],
  });
  for (const driver of [lavapipe, interfaceDriver("v7", "-DINTERFACE=7")!]) {
    withMachine((machine) => {
      using vulkan = machine.load({}, { driver, layers: [layer] });
      assertEquals(vulkan.vkEnumerateInstanceExtensionProperties(layer.name).map((each) => each.specVersion), [3]);
      using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: ["VK_TEST_instance"] });
      if (driver !== lavapipe) return assertEquals(tinyCount("created_extensions", driver), 0);
      const [gpu] = instance.vkEnumeratePhysicalDevices();
      assertEquals(gpu.vkEnumerateDeviceExtensionProperties(layer.name).map((each) => each.specVersion), [4]);
      assertEquals(gpu.vkEnumerateDeviceExtensionProperties("VK_LAYER_nobody"), []);
      gpu.vkCreateDevice({ ...DEVICE, ppEnabledExtensionNames: ["VK_TEST_device"] }).close();
    });
  }
});

Deno.test("the device extensions of a layer are listed whether an instance has the layer or not", REAL, () => {
  withMachine((machine) => {
    const declared = { layer: { device_extensions: [{ name: "VK_TEST_declared", spec_version: "7" }] } };
    machine.explicit("a", declared);
    machine.explicit("b", declared);
    for (const layers of [[], ["a"]]) {
      for (const driver of [lavapipe!, [lavapipe!]]) {
        using vulkan = machine.load({}, { driver });
        using instance = vulkan.vkCreateInstance({ ppEnabledLayerNames: layers.map(layerName) });
        const [gpu] = instance.vkEnumeratePhysicalDevices();
        const listed = gpu.vkEnumerateDeviceExtensionProperties(layerName("b"));
        assertEquals(listed, [{ extensionName: "VK_TEST_declared", specVersion: 7 }]);
      }
    }
  });
});

Deno.test("acceptance 33: device extensions are the driver's and those of implicit layers, each once", REAL, () => {
  withMachine((machine) => {
    const list = (...names: string[]) => ({
      layer: { device_extensions: names.map((name) => ({ name, spec_version: "900" })) },
    });
    machine.implicit("i", list("VK_TEST_i", "VK_KHR_swapchain"));
    machine.implicit("j", list("VK_TEST_i", "VK_TEST_j"));
    machine.explicit("a", list("VK_TEST_a"));
    const listed = (options: VulkanOptions, env = {}) => {
      using vulkan = machine.load(env, { driver: lavapipe, ...options });
      using instance = vulkan.vkCreateInstance({});
      const all = instance.vkEnumeratePhysicalDevices()[0].vkEnumerateDeviceExtensionProperties(null);
      return all.map((each) => `${each.extensionName} ${each.specVersion}`);
    };
    const own = listed({ implicitLayers: false });
    assert(own.length > 50);
    assertEquals(listed({}), [...own, "VK_TEST_i 900", "VK_TEST_j 900"]);
    assertEquals(listed({}, { VK_INSTANCE_LAYERS: layerName("a"), OFF_j: "" }), [...own, "VK_TEST_i 900"]);
  });
});

Deno.test(
  "acceptance 36: layers of every interface version stand above drivers of every interface version",
  NEEDS_TINY,
  () => {
    for (const version of [0, 1, 2, 3, 4, 5, 6, 7]) {
      const driver = interfaceDriver(`v${version}`, `-DINTERFACE=${version}`)!;
      for (const flags of ["", "+v1", "+old"]) {
        withChain([`a${flags}`], (instance) => useDevice(instance.vkEnumeratePhysicalDevices()[0]), { driver });
      }
    }
  },
);
