import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { peek64, poke64 } from "../../../../ffi/machine.ts";
import { defineLayer, type Layer, VulkanError, type VulkanOptions } from "../../../../loader/mod.ts";
import type { VkDevice } from "../../../../loader/types.ts";
import { lavapipePath, swiftshaderPath, validationManifest } from "../../../../tools/setup/parts.ts";
import { openDevice } from "../../../support/device.ts";
import { needs } from "../../../support/require.ts";
import { withMixed } from "../../interposers/chain.ts";
import { NEEDS_TINY, TINY, withTinyDevice } from "../../tiny.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());
const VALIDATION = "VK_LAYER_KHRONOS_validation";
const DEVICE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };

Deno.test("onCreate makes state for every object, and state gives it until the object is destroyed", LAVAPIPE, () => {
  const made: string[] = [], seen: unknown[] = [];
  const layer = defineLayer({
    name: "VK_LAYER_TEST_state",
    onCreate: {
      VkInstance: ({ info }) => ({ version: info?.pApplicationInfo?.apiVersion }),
      VkDevice: () => ({ submits: 0, bytes: 0n }),
      VkBuffer({ info, command }) {
        made.push(`${command} ${info?.size}`);
        return { size: info!.size };
      },
      VkCommandBuffer: ({ info }) => ({ level: info?.level, draws: 0 }),
    },
    commands: {
      vkCreateBuffer(next, device, info, allocator, out) {
        const result = next(device, info, allocator, out);
        this.state.VkDevice(device).bytes += this.read("VkBufferCreateInfo", info).size;
        return result;
      },
      vkCmdFillBuffer(next, commands, buffer, ...rest) {
        seen.push(this.state.VkBuffer(commands, buffer).size, ++this.state.VkCommandBuffer(commands).draws);
        next(commands, buffer, ...rest);
      },
      vkDestroyBuffer(next, device, buffer, allocator) {
        next(device, buffer, allocator);
        seen.push(this.state.VkBuffer(device, buffer).size);
      },
      vkQueueSubmit(next, queue, ...rest) {
        this.state.VkDevice(queue).submits++;
        return next(queue, ...rest);
      },
    },
  });
  using open = openDevice({ driver: lavapipePath()!, layers: [layer] });
  const { device, instance } = open, queue = device.vkGetDeviceQueue(0, 0);
  assertEquals(layer.state.VkInstance(instance.handle).version, 0x403000);
  const pool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
  const [commands] = device.vkAllocateCommandBuffers({ commandPool: pool, level: 0, commandBufferCount: 1 });
  const buffer = device.vkCreateBuffer({ size: 48n, usage: 2 });
  const requirements = device.vkGetBufferMemoryRequirements(buffer);
  const memory = device.vkAllocateMemory({ allocationSize: requirements.size, memoryTypeIndex: 0 });
  device.vkBindBufferMemory(buffer, memory, 0n);
  commands.vkBeginCommandBuffer({});
  commands.vkCmdFillBuffer(buffer, 0n, 48n, 1);
  commands.vkEndCommandBuffer();
  queue.vkQueueSubmit([{ pCommandBuffers: [commands] }], null);
  queue.vkQueueWaitIdle();
  assertEquals(layer.state.VkDevice(commands.handle), { submits: 1, bytes: 48n });
  device.vkDestroyBuffer(buffer);
  assertEquals([made, seen], [["vkCreateBuffer 48"], [48n, 1, 48n]]);
  device.vkDestroyCommandPool(pool);
  device.vkFreeMemory(memory);
});

Deno.test("two objects with one handle have state until both are destroyed", LAVAPIPE, () => {
  let first = 0n, made = 0;
  const same = defineLayer({ // stands for a driver that has one object for equal samplers
    name: "VK_LAYER_TEST_same",
    ownHandles: true,
    commands: {
      vkCreateSampler(next, device, info, allocator, out) {
        if (first !== 0n) return poke64(out, first), 0;
        const result = next(device, info, allocator, out);
        return first = peek64(out), result;
      },
      vkDestroySampler() {},
    },
  });
  const layer = defineLayer({
    name: "VK_LAYER_TEST_state",
    onCreate: { VkSampler: ({ info }) => ({ number: ++made, lod: info?.maxLod }) },
  });
  using open = openDevice({ driver: lavapipePath()!, layers: [layer, same] });
  const { device } = open, [one, other] = [1, 2].map(() => device.vkCreateSampler({ maxLod: 3 }));
  const state = () => layer.state.VkSampler(device.handle, other);
  assertEquals([one, made, state()], [other, 2, { number: 2, lod: 3 }]);
  device.vkDestroySampler(one);
  assertEquals([state(), made], [{ number: 2, lod: 3 }, 2]);
  device.vkDestroySampler(other);
  assertEquals(state(), { number: 3, lod: undefined }); // begun anew
});

Deno.test("state begins at the first look for what was there before the layer, without info", LAVAPIPE, () => {
  const late: unknown[] = [];
  const layer = defineLayer({
    name: "VK_LAYER_TEST_late",
    onCreate: {
      VkFence({ handle, info, command }) {
        late.push(handle, info, command);
        return { looks: 0 };
      },
    },
  });
  using open = openDevice({ driver: lavapipePath()! });
  const fence = open.device.vkCreateFence({});
  open.instance.attach(layer);
  layer.state.VkFence(open.device.handle, fence).looks++;
  layer.state.VkFence(open.device.handle, fence).looks++;
  assertEquals([layer.state.VkFence(open.device.handle, fence), late], [{ looks: 2 }, [fence, undefined, undefined]]);
  open.device.vkDestroyFence(fence);
  layer.state.VkFence(open.device.handle, fence);
  assertEquals(late.length, 6);
});

Deno.test(
  "state of what comes from a pool ends with the pool, and info can be read in onCreate alone",
  LAVAPIPE,
  () => {
    let kept: { readonly info?: unknown } | undefined;
    const layer = defineLayer({
      name: "VK_LAYER_TEST_pool",
      onCreate: {
        VkCommandBuffer: () => ({ marked: false }),
        VkFence: (object) => kept = object,
      },
    });
    using open = openDevice({ driver: lavapipePath()!, layers: [layer] });
    const { device } = open, pool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
    const [{ handle }] = device.vkAllocateCommandBuffers({ commandPool: pool, level: 0, commandBufferCount: 1 });
    layer.state.VkCommandBuffer(handle).marked = true;
    device.vkDestroyFence(device.vkCreateFence({}));
    assertThrows(() => kept!.info, TypeError, "Cannot read the info of a VkFence now: read it in onCreate");
    const again = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
    device.vkDestroyCommandPool(pool);
    const [next] = device.vkAllocateCommandBuffers({ commandPool: again, level: 0, commandBufferCount: 1 });
    assertEquals(layer.state.VkCommandBuffer(next.handle).marked, false);
    device.vkDestroyCommandPool(again);
  },
);

Deno.test("a hook reads structs with their chains and passes on what it writes, for the whole chain", {
  ignore: LAVAPIPE.ignore || needs("Khronos validation layer", validationManifest()).ignore,
}, () => {
  const larger = (name: string): Layer =>
    defineLayer({
      name,
      commands: {
        vkCreateBuffer(next, device, pCreateInfo, pAllocator, pBuffer) {
          const info = this.read("VkBufferCreateInfo", pCreateInfo);
          return next(
            device,
            this.write("VkBufferCreateInfo", { ...info, size: info.size * 2n }),
            pAllocator,
            pBuffer,
          );
        },
        vkCreateDevice(next, gpu, pCreateInfo, pAllocator, pDevice) {
          const info = this.read("VkDeviceCreateInfo", pCreateInfo);
          return next(gpu, this.write("VkDeviceCreateInfo", info), pAllocator, pDevice);
        },
      },
    });
  for (
    const layers of [[larger("a")], [larger("a"), VALIDATION, larger("b")], [VALIDATION, larger("b"), larger("c")]]
  ) {
    using open = openDevice({ driver: lavapipePath()!, layers });
    const buffer = open.device.vkCreateBuffer({ size: 64n, usage: 2 });
    const factor = BigInt(2 ** layers.filter((each) => typeof each !== "string").length);
    assertEquals(open.device.vkGetBufferMemoryRequirements(buffer).size, 64n * factor);
    open.device.vkDestroyBuffer(buffer);
  }
});

Deno.test("below() calls what lies below the layer, wherever it stands", NEEDS_TINY, () => {
  const log: string[] = [];
  const counting = (name: string): Layer =>
    defineLayer({
      name,
      commands: {
        vkGetEventStatus(next, device, event) {
          log.push(name);
          return next(device, event);
        },
        vkQueueSubmit(_next, queue) {
          return this.below(queue).vkGetEventStatus(handle, 8n);
        },
      },
    });
  const [a, b, c] = ["a", "b", "c"].map(counting);
  let handle = 0n;
  const submit = (device: VkDevice) => {
    handle = device.handle;
    return device.raw.vkQueueSubmit(device.vkGetDeviceQueue(0, 0).handle, 0, 0n, 0n);
  };
  withTinyDevice([a, b, c], (device) => {
    assertEquals(submit(device), 3);
    assertEquals(log, ["b", "c"]);
  });
  log.length = 0;
  withMixed([a, "n", b, c], (instance) => {
    using device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice(DEVICE);
    assertEquals(submit(device), 3);
    assertEquals(log, ["b", "c"]); // by way of the native layer
    instance.detach(a);
    log.length = 0;
    submit(device);
    assertEquals(log, ["c"]);
  });
});

Deno.test("below() makes objects of the layer's own that it may pass on", NEEDS_TINY, () => {
  const layer = defineLayer({
    name: "VK_LAYER_TEST_own",
    commands: {
      vkDestroyBuffer(next, device, buffer, allocator) {
        const out = this.write("VkExtent2D", { width: 0, height: 0 }); // eight bytes for a handle
        const info = this.write("VkBufferCreateInfo", { size: 4n, usage: 2 });
        assertEquals(this.below(device).vkCreateBuffer(device, info, 0n, out), 0);
        const { width, height } = this.read("VkExtent2D", out);
        next(device, BigInt(width) + (BigInt(height) << 32n), 0n);
        next(device, buffer, allocator);
      },
    },
  });
  withTinyDevice([layer], (device) => device.vkDestroyBuffer(device.vkCreateBuffer({ size: 16n, usage: 2 })));
});

Deno.test("below() refuses a handle in whose chain the layer is not", NEEDS_TINY, () => {
  const layer = defineLayer({
    name: "VK_LAYER_TEST_stray",
    commands: {
      vkDeviceWaitIdle(_next, device) {
        stray.commands!.vkDeviceWaitIdle!((_device) => 0, device);
        return 0;
      },
    },
  });
  const stray = defineLayer({
    name: "VK_LAYER_TEST_elsewhere",
    commands: {
      vkDeviceWaitIdle: function (_next, device) {
        return this.below(device).vkDeviceWaitIdle(device);
      },
    },
  });
  withTinyDevice([layer], (device) => {
    assertThrows(() => device.vkDeviceWaitIdle(), TypeError, "Cannot call below VK_LAYER_TEST_elsewhere");
  });
});

const DRIVERS: readonly (readonly [string, string | undefined])[] = [
  ["Mesa lavapipe", lavapipePath()],
  ["SwiftShader", swiftshaderPath()],
];

for (const [name, driver] of DRIVERS) {
  Deno.test(`physicalDevice changes what ${name} says of itself, above and below native layers`, {
    ignore: needs(name, driver).ignore || needs("Khronos validation layer", validationManifest()).ignore,
  }, () => {
    let maxBoundDescriptorSets = 7;
    const changing = defineLayer({
      name: "VK_LAYER_TEST_changing",
      physicalDevice: () => ({
        properties: { deviceName: "Sculpted", driverVersion: 7 },
        limits: { maxBoundDescriptorSets },
        features: { robustBufferAccess: false },
        chain: [{ sType: 1000196000, driverName: "chisel" }, { sType: 51, shaderFloat16: false }],
      }),
      commands: {
        vkGetPhysicalDeviceProperties(next, gpu, out) {
          next(gpu, out);
          seen.push(this.read("VkPhysicalDeviceProperties", out).deviceName);
        },
      },
    });
    const seen: string[] = [];
    for (const layers of [[changing], [VALIDATION, changing]]) {
      using open = openDevice({ driver, layers } as VulkanOptions);
      const { gpu } = open;
      const plain = gpu.vkGetPhysicalDeviceProperties(), full = gpu.vkGetPhysicalDeviceProperties2([1000196000]);
      assertEquals([plain.deviceName, plain.driverVersion, plain.limits.maxBoundDescriptorSets], ["Sculpted", 7, 7]);
      assertEquals(full.properties.limits.maxBoundDescriptorSets, 7);
      assertEquals([full.properties.deviceName, full.pNext[0].driverName], ["Sculpted", "chisel"]);
      assertEquals(gpu.vkGetPhysicalDeviceFeatures().robustBufferAccess, false);
      const features = gpu.vkGetPhysicalDeviceFeatures2([51]);
      assertEquals([features.features.robustBufferAccess, features.pNext[0].shaderFloat16], [false, false]);
      maxBoundDescriptorSets = 6;
      assertEquals(gpu.vkGetPhysicalDeviceProperties().limits.maxBoundDescriptorSets, 6);
      maxBoundDescriptorSets = 7;
    }
    assertEquals(new Set(seen), new Set(["Sculpted"]));
  });
}

Deno.test("defineLayer() refuses changes to members that do not exist", () => {
  const error = assertThrows(
    () =>
      defineLayer({ name: "VK_LAYER_TEST_typo", physicalDevice: { limits: { maxBoundDescriptorSet: 1 } as never } }),
    TypeError,
  );
  assertStringIncludes(error.message, "maxBoundDescriptorSet");
});

Deno.test("a command of an extension that a layer brings is there, though the driver lacks it", NEEDS_TINY, () => {
  const calls: unknown[] = [];
  const layer = defineLayer({
    name: "VK_LAYER_TEST_marker",
    deviceExtensions: [{ extensionName: "VK_EXT_debug_marker", specVersion: 4 }],
    commands: {
      vkCmdDebugMarkerBeginEXT(_next, _commands, pMarkerInfo) {
        calls.push(this.read("VkDebugMarkerMarkerInfoEXT", pMarkerInfo).pMarkerName);
      },
      vkDebugMarkerSetObjectNameEXT: () => -1,
    },
  });
  using open = openDevice({ driver: TINY!, layers: [layer] });
  using device = open.gpu.vkCreateDevice({ ...DEVICE, ppEnabledExtensionNames: ["VK_EXT_debug_marker"] });
  const pool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
  const [commands] = device.vkAllocateCommandBuffers({ commandPool: pool, level: 0, commandBufferCount: 1 });
  commands.vkCmdDebugMarkerBeginEXT({ pMarkerName: "here" });
  assertEquals(calls, ["here"]);
  const error = assertThrows(
    () => device.vkDebugMarkerSetObjectNameEXT({ objectType: 0, object: 1n, pObjectName: "x" }),
    VulkanError,
  );
  assertEquals(error.code, -1);
});

Deno.test(
  "the state of descriptor sets ends when their pool is reset, that of other pools' sets does not",
  LAVAPIPE,
  () => {
    let begun = 0;
    const layer = defineLayer({
      name: "VK_LAYER_TEST_sets",
      onCreate: { VkDescriptorSet: ({ command }) => ({ number: command ? ++begun : 0 }) },
    });
    using open = openDevice({ driver: lavapipePath()!, layers: [layer] });
    const { device } = open,
      pBindings = [{ binding: 0, descriptorType: 6 as const, descriptorCount: 1, stageFlags: 1 }];
    const setLayout = device.vkCreateDescriptorSetLayout({ pBindings });
    const pools = [1, 2].map(() =>
      device.vkCreateDescriptorPool({ maxSets: 4, pPoolSizes: [{ type: 6, descriptorCount: 4 }] })
    );
    const sets = pools.map((descriptorPool) =>
      device.vkAllocateDescriptorSets({ descriptorPool, pSetLayouts: [setLayout] })[0] as unknown as bigint
    );
    const numbers = () => sets.map((set) => layer.state.VkDescriptorSet(device.handle, set).number);
    assertEquals(numbers(), [1, 2]);
    device.vkResetDescriptorPool(pools[0], 0);
    assertEquals(numbers(), [0, 2]); // begun anew at the look
    for (const pool of pools) device.vkDestroyDescriptorPool(pool);
    device.vkDestroyDescriptorSetLayout(setLayout);
  },
);
