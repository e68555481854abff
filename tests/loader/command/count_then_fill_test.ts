import { assert, assertEquals, assertThrows } from "@std/assert";
import { NativeBlock } from "../../../ffi/block.ts";
import { peek32, poke32, poke64 } from "../../../ffi/machine.ts";
import { readExtensionList } from "../../../loader/driver/interface/extension_list.ts";
import type { LayerExtension } from "../../../loader/layer.ts";
import { defineLayer, loadVulkan } from "../../../loader/mod.ts";
import { VulkanError } from "../../../loader/error.ts";
import {
  VK_COLORSPACE_SRGB_NONLINEAR_KHR,
  VK_INCOMPLETE,
  VK_PRESENT_MODE_FIFO_KHR,
  VK_QUEUE_COMPUTE_BIT,
} from "../../../loader/vk.ts";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { openDevice } from "../../support/device.ts";
import { needs } from "../../support/require.ts";
import { NEEDS_TINY, TINY } from "../tiny.ts";

const driver = lavapipePath()!, LAVAPIPE = needs("Mesa lavapipe", driver);
const swiftshader = swiftshaderPath()!, SWIFTSHADER = needs("SwiftShader", swiftshader);

Deno.test("vkGetPhysicalDeviceQueueFamilyProperties() returns an array of structs", LAVAPIPE, () => {
  using open = openDevice({ driver });
  const families = open.gpu.vkGetPhysicalDeviceQueueFamilyProperties();
  assertEquals(families.length, 1);
  assert((families[0].queueFlags & VK_QUEUE_COMPUTE_BIT) !== 0);
  assertEquals(families[0].minImageTransferGranularity, { width: 1, height: 1, depth: 1 });
});

Deno.test("vkEnumerateDeviceExtensionProperties() returns as many as the raw form counts", LAVAPIPE, () => {
  using open = openDevice({ driver });
  const extensions = open.gpu.vkEnumerateDeviceExtensionProperties(null);
  using count = new NativeBlock(4);
  open.gpu.raw.vkEnumerateDeviceExtensionProperties(open.gpu.handle, 0n, count.address, 0n);
  assertEquals(extensions.length, count.view.getUint32(0, true));
  assert(extensions.every(({ extensionName, specVersion }) => /^VK_\w+$/.test(extensionName) && specVersion > 0));
});

Deno.test("vkEnumeratePhysicalDeviceGroups() returns the physical devices inside the structs", LAVAPIPE, () => {
  using open = openDevice({ driver });
  const [group] = open.instance.vkEnumeratePhysicalDeviceGroups();
  assertEquals([group.physicalDeviceCount, group.physicalDevices[0]], [1, open.gpu.handle]);
});

Deno.test("count-then-fill commands of the loader itself count, too", NEEDS_TINY, () => {
  const layers = ["VK_LAYER_TEST_one", "VK_LAYER_TEST_two"].map((name) => defineLayer({ name }));
  using vulkan = loadVulkan({ driver: TINY!, layers });
  const names = vulkan.vkEnumerateInstanceLayerProperties().map((each) => each.layerName);
  assertEquals(names.slice(0, 2), ["VK_LAYER_TEST_one", "VK_LAYER_TEST_two"]); // below them, those of the machine
  assertEquals(vulkan.vkEnumerateInstanceExtensionProperties("VK_LAYER_TEST_one"), []);
  assertThrows(() => vulkan.vkEnumerateInstanceExtensionProperties("VK_LAYER_NONE"), VulkanError, "LAYER_NOT_PRESENT");
  using memory = new NativeBlock(4096);
  poke32(memory.address, 1);
  const result = vulkan.raw.vkEnumerateInstanceLayerProperties(memory.address, memory.address + 8n);
  assertEquals([result, memory.view.getUint32(0, true)], [VK_INCOMPLETE, 1]);
});

Deno.test("count-then-fill asks once more when there is more than was counted", NEEDS_TINY, () => {
  const calls: boolean[] = [];
  let there = 1;
  const growing = defineLayer({
    name: "VK_LAYER_TEST_growing",
    commands: {
      vkEnumerateDeviceExtensionProperties(_next, _gpu, _layer, count, out) {
        calls.push(out !== 0n);
        if (out === 0n) {
          poke32(count, there++); // one more appears between counting and filling, the first time
          return 0;
        }
        if (calls.length === 2) return VK_INCOMPLETE;
        for (let i = 0n; i < 2n; i++) poke64(out + 260n * i, 0x41n + i);
        return 0;
      },
    },
  });
  using open = openDevice({ driver: TINY!, layers: [growing] });
  const names = open.gpu.vkEnumerateDeviceExtensionProperties(null).map((each) => each.extensionName);
  assertEquals(names, ["A", "B"]);
  assertEquals(calls, [false, true, false, true]);
});

/** A layer that answers vkEnumerateDeviceExtensionProperties with the names A, B, … as long as there is room. */
function listing(answer: (count: bigint, out: bigint) => number) {
  return defineLayer({
    name: "VK_LAYER_TEST_listing",
    commands: {
      vkEnumerateDeviceExtensionProperties(_next, _gpu, _layer, count, out) {
        const room = peek32(count);
        for (let i = 0; out !== 0n && i < room; i++) poke64(out + 260n * BigInt(i), 0x41n + BigInt(i));
        return answer(count, out);
      },
    },
  });
}

Deno.test("count-then-fill that says VK_INCOMPLETE for ever ends, and the error names the command", NEEDS_TINY, () => {
  let fills = 0;
  const endless = listing((count, out) => {
    poke32(count, 3);
    if (out === 0n) return 0;
    if (++fills > 1000) throw new Error("no end"); // instead of a test that hangs
    return VK_INCOMPLETE;
  });
  using open = openDevice({ driver: TINY!, layers: [endless] });
  assertThrows(
    () => open.gpu.vkEnumerateDeviceExtensionProperties(null),
    VulkanError,
    "vkEnumerateDeviceExtensionProperties failed: VK_ERROR_UNKNOWN (-13); VK_INCOMPLETE 16 times",
  );
});

Deno.test("a count that no list can have is told with the command", NEEDS_TINY, () => {
  const boasting = listing((count, out) => {
    if (out === 0n) poke32(count, 0xffff_fff0);
    return 0;
  });
  using open = openDevice({ driver: TINY!, layers: [boasting] });
  assertThrows(
    () => open.gpu.vkEnumerateDeviceExtensionProperties(null),
    VulkanError,
    "vkEnumerateDeviceExtensionProperties failed: VK_ERROR_UNKNOWN (-13); the driver counts 4294967280 elements",
  );
  const list = readExtensionList((count, out) => {
    poke32(count, out === 0n ? 0xffff_fff0 : 1);
    if (out !== 0n) poke64(out, 0x41n);
    return 0;
  });
  assertEquals((list as LayerExtension[]).map(({ extensionName }) => extensionName), ["A"]);
});

Deno.test("readExtensionList() makes more room for a list that counts too few, and believes no count above it", () => {
  const answers = (said: number, there: number) =>
    readExtensionList((count, out) => {
      const room = peek32(count), written = Math.min(room, there);
      for (let i = 0; out !== 0n && i < written; i++) poke64(out + 260n * BigInt(i), 0x41n + BigInt(i));
      poke32(count, out === 0n ? said : room < there ? room : Math.max(said, there));
      return out !== 0n && room < there ? VK_INCOMPLETE : 0;
    });
  const names = (list: ReturnType<typeof answers>) => (list as LayerExtension[]).map((each) => each.extensionName);
  assertEquals(names(answers(1, 5)), ["A", "B", "C", "D", "E"]);
  let calls = 0;
  const boasting = readExtensionList((count, out) => {
    poke32(count, calls++ === 0 ? 2 : 1000);
    if (out !== 0n) poke64(out, 0x41n);
    return 0;
  });
  assertEquals(names(boasting), ["A", "", ""]);
  const never = readExtensionList((count) => {
    if (++calls > 1000) throw new Error("no end");
    poke32(count, 1);
    return VK_INCOMPLETE;
  });
  assertEquals(names(never).length, 1);
});

Deno.test("count-then-fill returns nothing and does not fill when the count is zero", NEEDS_TINY, () => {
  let calls = 0;
  const empty = defineLayer({
    name: "VK_LAYER_TEST_empty",
    commands: {
      vkEnumerateDeviceExtensionProperties(_next, _gpu, _layer, count) {
        calls++;
        poke32(count, 0);
        return 0;
      },
    },
  });
  using open = openDevice({ driver: TINY!, layers: [empty] });
  assertEquals(open.gpu.vkEnumerateDeviceExtensionProperties(null), []);
  assertEquals(calls, 1);
});

Deno.test("a fixed output beside filled ones is there from the first call on", NEEDS_TINY, () => {
  const keys: boolean[] = [];
  const binaries = defineLayer({
    name: "VK_LAYER_TEST_binaries",
    commands: {
      vkGetPipelineBinaryDataKHR(_next, _device, _info, key, size, data) {
        keys.push(key !== 0n);
        poke64(size, 3n);
        if (data !== 0n) poke32(data, 0x030201);
        return 0;
      },
    },
  });
  using open = openDevice({ driver: TINY!, layers: [binaries] });
  const found = open.device.vkGetPipelineBinaryDataKHR({ pipelineBinary: 5n as never });
  assertEquals(keys, [true, true]);
  assertEquals(found.pipelineBinaryData, new Uint8Array([1, 2, 3]));
});

Deno.test("surface commands return formats, modes and booleans", SWIFTSHADER, () => {
  const enabled = ["VK_KHR_surface", "VK_EXT_headless_surface"];
  using vulkan = loadVulkan({ driver: swiftshader });
  using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: enabled });
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  const surface = instance.vkCreateHeadlessSurfaceEXT({});
  assertEquals(gpu.vkGetPhysicalDeviceSurfaceSupportKHR(0, surface), true);
  const formats = gpu.vkGetPhysicalDeviceSurfaceFormatsKHR(surface);
  assert(formats.some(({ colorSpace }) => colorSpace === VK_COLORSPACE_SRGB_NONLINEAR_KHR));
  assert(gpu.vkGetPhysicalDeviceSurfacePresentModesKHR(surface).includes(VK_PRESENT_MODE_FIFO_KHR));
  instance.vkDestroySurfaceKHR(surface);
});
