import { assert, assertEquals } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import { cstring } from "../../../../ffi/cstring.ts";
import { readExtensionList } from "../../../../loader/driver/interface/extension_list.ts";
import { defineLayer, type VulkanOptions } from "../../../../loader/mod.ts";
import type { VkInstance } from "../../../../loader/types.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { NativeVulkan } from "../../install/native.ts";
import {
  asking,
  DEBUGGABLE,
  layerName,
  NEEDS_LAYER,
  ONE_QUEUE,
  OWN,
  resultOf,
  settingsFor,
  withPhone,
} from "./phone.ts";

const UTILS = "VK_EXT_debug_utils", PRIVATE = "VK_EXT_private_data";
const REAL = { ignore: NEEDS_LAYER.ignore || needs("Mesa lavapipe", lavapipePath()).ignore };

/** An extension's places in a list, with its version. */
function places(list: readonly { extensionName: string; specVersion: number }[], name: string): [number, number][] {
  return list.flatMap((each, index) =>
    each.extensionName === name ? [[index, each.specVersion] as [number, number]] : []
  );
}

/** Options that turn layers on by the settings. */
function withSettings(layers: string, more: VulkanOptions = {}): VulkanOptions {
  return { app: DEBUGGABLE, settings: settingsFor(layers), ...more };
}

Deno.test("extensions of the settings' layers go first, and of one name the top-most counts", REAL, () => {
  withPhone((phone) => {
    phone.put(OWN, "d+utils1", "e+utils2");
    const listed = (layers: string) => {
      using vulkan = phone.load(withSettings(layers, { driver: lavapipePath()! }));
      return places(vulkan.vkEnumerateInstanceExtensionProperties(null), UTILS);
    };
    assertEquals([listed("d"), listed("e:d"), listed("d:e")], [[[0, 1]], [[0, 2]], [[0, 1]]]);
    assert(listed("e:d").length === 1);
  });
});

Deno.test("extensions of layers that properties name are not listed, and can be enabled", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "d+utils1");
    const options = { app: DEBUGGABLE, systemProperties: { "debug.vulkan.layers": layerName("d") } };
    const info = { ppEnabledExtensionNames: [UTILS] };
    using vulkan = phone.load(options);
    assertEquals(places(vulkan.vkEnumerateInstanceExtensionProperties(null), UTILS), []);
    assertEquals(phone.order(options, info), "d");
    assertEquals(phone.order({ app: DEBUGGABLE }, info), "-7");
    assertEquals(phone.order({ app: DEBUGGABLE }, { ...info, ...asking("d") }), "d");
  });
});

Deno.test("every layer that was found can be asked for its instance extensions, by name", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "d+utils1").put("/system/lib64/vulkan", "p+utils2");
    using vulkan = phone.load({
      app: DEBUGGABLE,
      systemProperties: { "ro.vulkan.layers.platform": "libVkLayer_p+utils2.so" },
    });
    const of = (short: string) => vulkan.vkEnumerateInstanceExtensionProperties(layerName(short));
    assertEquals(of("d"), [{ extensionName: UTILS, specVersion: 1 }]);
    assertEquals(of("p"), [{ extensionName: UTILS, specVersion: 2 }]);
    assertEquals(resultOf(() => of("nobody")), -6);
  });
});

Deno.test("all active layers are an instance's device layers, those for instances only, too", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a", "b+bare", "c", "d").put("/system/lib64/vulkan", "p");
    const properties = { "ro.vulkan.layers.platform": "libVkLayer_p.so" };
    const given = defineLayer({ name: layerName("script") });
    using vulkan = phone.load(withSettings("b", { systemProperties: properties, layers: [given] }));
    using instance = vulkan.vkCreateInstance(asking("c", "b"));
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    const names = gpu.vkEnumerateDeviceLayerProperties().map(({ layerName }) => layerName);
    assertEquals(names, ["script", "b", "c", "p"].map(layerName));
  });
});

Deno.test("device extensions of the settings' layers go first, and of one name the top-most counts", REAL, () => {
  withPhone((phone) => {
    phone.put(OWN, "a+private1", "b+private2", "c+private2+bare");
    const listed = (layers: string, ...asked: string[]) => {
      using vulkan = phone.load(withSettings(layers, { driver: lavapipePath()! }));
      using instance = vulkan.vkCreateInstance(asking(...asked));
      return instance.vkEnumeratePhysicalDevices()[0].vkEnumerateDeviceExtensionProperties(null);
    };
    const bare = listed(""), [[own, version]] = places(bare, PRIVATE);
    assert(own > 0 && version > 0); // lavapipe's own
    assertEquals([places(listed("a"), PRIVATE), places(listed("b:a"), PRIVATE)], [[[0, 1]], [[0, 2]]]);
    assertEquals(listed("a").length, bare.length);
    assertEquals(listed("", "a", "b"), bare); // the application's own do not count
    assertEquals(listed("c"), bare); // no device extension without a part in devices
  });
});

Deno.test("device extensions are told by name of all layers there are, and of no others", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a+private1", "b+private2+bare");
    const script = defineLayer({
      name: layerName("script"),
      deviceExtensions: [{ extensionName: PRIVATE, specVersion: 9 }],
    });
    const listed = (instance: VkInstance, short: string) =>
      instance.vkEnumeratePhysicalDevices()[0].vkEnumerateDeviceExtensionProperties(layerName(short))
        .map(({ specVersion }) => specVersion);
    using vulkan = phone.load({ app: DEBUGGABLE, layers: [script] });
    for (const info of [{}, asking("a")]) {
      using instance = vulkan.vkCreateInstance(info);
      assertEquals([listed(instance, "a"), listed(instance, "b"), listed(instance, "script")], [[1], [], [9]]);
      assertEquals(resultOf(() => listed(instance, "nobody")), -6);
    }
  });
});

Deno.test("device extensions of an active layer can be enabled, others cannot", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a+private1");
    const enabled = (...asked: string[]) => {
      using vulkan = phone.load({ app: DEBUGGABLE });
      using instance = vulkan.vkCreateInstance(asking(...asked));
      const [gpu] = instance.vkEnumeratePhysicalDevices();
      return resultOf(() => gpu.vkCreateDevice({ ...ONE_QUEUE, ppEnabledExtensionNames: [PRIVATE] }).close());
    };
    assertEquals([enabled(), enabled("a")], [-7, 0]);
  });
});

Deno.test("a chain that cannot list its device extensions makes the whole list fail", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a+private1", "b+refuses");
    using vulkan = phone.load(withSettings("a"));
    using instance = vulkan.vkCreateInstance(asking("b"));
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    assertEquals(resultOf(() => gpu.vkEnumerateDeviceExtensionProperties(null)), -1);
    assertEquals(gpu.vkEnumerateDeviceExtensionProperties(layerName("a")).length, 1);
  });
});

Deno.test("native callers are told the same of device extensions, and get the same layers", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a+private2", "b");
    const memory = arena(), mark = memory.mark();
    using vulkan = phone.load(withSettings("a", { systemProperties: { "debug.vulkan.layers": layerName("b") } }));
    {
      using _installed = vulkan.install();
      using native = new NativeVulkan();
      const instance = native.createInstance(), gpu = native.firstGpu(instance);
      const ask = (layer: bigint) =>
        readExtensionList((count, out) =>
          native.call("vkEnumerateDeviceExtensionProperties", [gpu, layer, count, out]) as number
        );
      const named = (short: string) => ask(memory.place(cstring(layerName(short))));
      const own = [{ extensionName: PRIVATE, specVersion: 2 }];
      assertEquals([ask(0n), named("a"), named("b"), named("nobody")], [own, own, [], -6]);
      native.call("vkDestroyDevice", [native.createDevice(gpu), 0n]);
      native.call("vkDestroyInstance", [instance, 0n]);
    }
    memory.release(mark);
    const made = phone.log().filter((line) => line.includes("create"));
    assertEquals(made, ["a create instance", "a create device"]);
  });
});
