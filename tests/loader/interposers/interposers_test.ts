import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { openBlocks } from "../../../ffi/block.ts";
import { peek64 } from "../../../ffi/machine.ts";
import { type AnyHook, defineLayer, type Layer, loadVulkan } from "../../../loader/mod.ts";
import type { VkEvent, VkPhysicalDevice } from "../../../loader/types.ts";
import { lavapipePath, validationManifest } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { layerName } from "../layers/choice/layer_machine.ts";
import { NEEDS_TINY, tinyCount } from "../tiny.ts";
import { DEVICE, noting, withMixed } from "./chain.ts";

const REAL = {
  ignore: needs("Mesa lavapipe", lavapipePath()).ignore ||
    needs("Khronos validation layer", validationManifest()).ignore,
};
const VALIDATION = "VK_LAYER_KHRONOS_validation";
const EVENT = 8n as VkEvent;
const MAKING = ["vkCreateInstance", "vkCreateDevice", "vkCreateBuffer", "vkDestroyDevice", "vkDestroyInstance"];

/** Makes a device, a queue and a buffer, and destroys them; every handle begins with its object's key. */
function useDevice(gpu: VkPhysicalDevice): void {
  using device = gpu.vkCreateDevice(DEVICE);
  const queue = device.vkGetDeviceQueue(0, 0);
  assertEquals(peek64(queue.handle), peek64(device.handle));
  queue.vkQueueSubmit([], null);
  device.vkDestroyBuffer(device.vkCreateBuffer({ size: 16n, usage: 2 }));
}

function firstGpu(instance: { vkEnumeratePhysicalDevices(): VkPhysicalDevice[] }): VkPhysicalDevice {
  return instance.vkEnumeratePhysicalDevices()[0];
}

/** Before blocks are counted: some are kept for the life of the process. */
function makeWhatIsMadeOnce(): void {
  const layer = () => defineLayer({ name: "VK_LAYER_TEST_empty" });
  withMixed(["a", layer(), "b", layer()], (instance) => useDevice(firstGpu(instance)));
}

Deno.test(
  "TypeScript layers stand above, between and below native ones, in the order they are listed",
  NEEDS_TINY,
  () => {
    const log: string[] = [], layer = (name: string) => noting(name, log, ...MAKING);
    const [t, u, v, w] = [layer("t"), layer("u"), layer("v"), layer("w")];
    withMixed([t, "a", u, v, "b", w], (instance, machine) => {
      useDevice(firstGpu(instance));
      const native = machine.log().filter((line) => line.endsWith("create buffer")).map((line) => line[0]);
      assertEquals(native, ["a", "b"]);
    });
    for (const command of MAKING) {
      assertEquals(log.filter((line) => line.endsWith(command)).map((line) => line[0]).join(""), "tuvw", command);
    }
  },
);

Deno.test("a TypeScript layer below a native one sees what that makes of a call", NEEDS_TINY, () => {
  const log: string[] = [];
  withMixed(
    [noting("t", log, "vkCreateDevice"), "a+second", noting("u", log, "vkCreateDevice", "vkDestroyDevice")],
    (instance) => {
      useDevice(firstGpu(instance));
    },
  );
  assertEquals(log, [
    "t vkCreateDevice",
    "u vkCreateDevice",
    "u vkCreateDevice",
    "u vkDestroyDevice",
    "u vkDestroyDevice",
  ]);
});

Deno.test("interposers leave nothing behind among native layers of every kind", NEEDS_TINY, () => {
  makeWhatIsMadeOnce();
  const log: string[] = [], ts = () => noting("t", log, ...MAKING);
  const kinds = ["a", "a+wrap", "a+old", "a+v1", "a+plain", "a+instance", "a+second", "a+instead", "a+null", "a+add"];
  for (const kind of kinds) {
    for (const layers of [[kind, ts()], [kind, ts(), "b"], ["b", ts(), kind], [ts(), kind, ts(), "b+wrap", ts()]]) {
      const blocks = openBlocks();
      log.length = 0;
      withMixed(layers, (instance) => {
        for (const gpu of instance.vkEnumeratePhysicalDevices()) useDevice(gpu);
      });
      const interposers = layers.filter((each) => typeof each !== "string").length;
      const names = layers.map((each) => typeof each === "string" ? each : "TypeScript").join(" ");
      assertEquals(log.filter((line) => line.endsWith("CreateInstance")).length, interposers, names);
      assert(log.filter((line) => line.endsWith("CreateBuffer")).length >= interposers, names);
      assertEquals([tinyCount("live_instances"), tinyCount("live_devices")], [0, 0], names);
      assertEquals(openBlocks(), blocks, names);
    }
  }
});

Deno.test(
  "what is below a native layer never answers its own functions, with a interposer between, either",
  NEEDS_TINY,
  () => {
    const layer = noting("t", [], "vkGetPhysicalDeviceProperties");
    withMixed(["a+ask", layer, "b"], (instance, machine) => {
      const times = (what: string) => machine.log().filter((line) => line.endsWith(what)).length;
      assertEquals([times(" own"), times(" not own")], [1, 1]);
      firstGpu(instance);
    });
  },
);

Deno.test("layers come and go below a native layer while it keeps its pointers", NEEDS_TINY, () => {
  const log: string[] = [],
    u = noting("u", log),
    [x, y] = ["x", "y"].map((name) => noting(name, log, "vkGetEventStatus"));
  withMixed(["a", u, "b"], (instance) => {
    using device = firstGpu(instance).vkCreateDevice(DEVICE);
    const seen = () => {
      log.length = 0;
      device.vkGetEventStatus(EVENT);
      return log.map((line) => line[0]).join("");
    };
    assertEquals(seen(), "");
    instance.attach(x, { below: layerName("a") });
    assertEquals(seen(), "x");
    instance.attach(y, { below: x });
    assertEquals(seen(), "xy");
    instance.detach(y);
    instance.attach(y, { above: "x" });
    assertEquals(seen(), "yx");
    instance.replace(x, noting("z", log, "vkGetEventStatus", "vkCreateBuffer"));
    assertEquals(seen(), "yz");
    device.vkDestroyBuffer(device.vkCreateBuffer({ size: 16n, usage: 2 }));
    assertEquals(log.at(-1), "z vkCreateBuffer");
    instance.detach(y);
    assertEquals(seen(), "z");
  });
});

Deno.test("layers come and go in one instance without touching another", REAL, () => {
  const log: string[] = [], empty = defineLayer({ name: "VK_LAYER_TEST_empty" });
  using vulkan = loadVulkan({ driver: lavapipePath()!, layers: [VALIDATION, empty] });
  const open = () => vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 0x403000 } });
  using one = open(), other = open();
  using device = firstGpu(one).vkCreateDevice(DEVICE), second = firstGpu(other).vkCreateDevice(DEVICE);
  one.attach(noting("x", log, "vkGetFenceStatus"), { below: empty });
  for (const each of [second, device]) {
    const fence = each.vkCreateFence({});
    each.vkGetFenceStatus(fence);
    each.vkDestroyFence(fence);
    assertEquals(log, each === device ? ["x vkGetFenceStatus"] : []);
  }
});

Deno.test("attach() says why there is no such place", NEEDS_TINY, () => {
  const layer = defineLayer({ name: "VK_LAYER_TEST_new" }), there = defineLayer({ name: "VK_LAYER_TEST_there" });
  withMixed([there, "a", "b"], (instance) => {
    const refused = (place: { below: Layer | string } | { above: Layer | string }) =>
      assertThrows(() => instance.attach(layer, place), TypeError).message;
    assertStringIncludes(refused({ below: layerName("a") }), "no TypeScript layer stands there, which keeps the place");
    assertStringIncludes(refused({ above: layerName("b") }), "no TypeScript layer stands there");
    assertStringIncludes(refused({ above: "VK_LAYER_TEST_nobody" }), "there is no layer of that name here");
    assertStringIncludes(
      assertThrows(() => instance.attach(there), TypeError).message,
      "it is attached already",
    );
    assertStringIncludes(assertThrows(() => instance.replace(layer, there), TypeError).message, "not attached");
    instance.attach(layer, { above: layerName("a") });
    assertStringIncludes(assertThrows(() => instance.replace(layer, there), TypeError).message, "attached already");
  });
});

Deno.test(
  "what a hook below a native layer throws surfaces at the caller, and the native layer sees a failure",
  NEEDS_TINY,
  () => {
    const failing = (...commands: string[]) => {
      const hook: AnyHook = () => {
        throw new RangeError("no more");
      };
      return defineLayer({ name: "t", anyCommand: (command) => commands.includes(command) ? hook : undefined });
    };
    makeWhatIsMadeOnce();
    const blocks = openBlocks();
    withMixed(["a", failing("vkCreateDevice"), "b"], (instance) => {
      assertThrows(() => firstGpu(instance).vkCreateDevice(DEVICE), RangeError, "no more");
      assertEquals(tinyCount("live_devices"), 0);
    });
    withMixed(["a", failing("vkCreateBuffer"), "b"], (instance, machine) => {
      using device = firstGpu(instance).vkCreateDevice(DEVICE);
      assertThrows(() => device.vkCreateBuffer({ size: 16n, usage: 2 }), RangeError, "no more");
      assertEquals(machine.log().filter((line) => line.endsWith("create buffer")).map((line) => line[0]), ["a"]);
    });
    assertThrows(() => withMixed(["a", failing("vkCreateInstance")], () => {}), RangeError, "no more");
    assertEquals([tinyCount("live_instances"), openBlocks()], [0, blocks]);
  },
);

Deno.test("a layer below a native one may try again to make a device", NEEDS_TINY, () => {
  const results: number[] = [];
  const stubborn = defineLayer({
    name: "t",
    commands: {
      vkCreateDevice(next, ...args) {
        results.push(next(...args), next(...args));
        return results[1];
      },
    },
  });
  let attempts = 0;
  const refusing = defineLayer({
    name: "u",
    commands: { vkCreateDevice: (next, ...args) => attempts++ === 0 ? -3 : next(...args) },
  });
  withMixed(["a", stubborn, "b", refusing, "c"], (instance, machine) => {
    useDevice(firstGpu(instance));
    assertEquals(machine.log().filter((line) => line.endsWith("create buffer")).map((line) => line[0]), [
      "a",
      "b",
      "c",
    ]);
  });
  assertEquals([results, attempts], [[-3, 0], 2]);
});

Deno.test("vkEnumerateDeviceExtensionProperties answers for a TypeScript layer below a native one", NEEDS_TINY, () => {
  const extension = { extensionName: "VK_TEST_extra", specVersion: 3 };
  withMixed(["a", defineLayer({ name: "VK_LAYER_TEST_extra", deviceExtensions: [extension] })], (instance) => {
    assertEquals(firstGpu(instance).vkEnumerateDeviceExtensionProperties("VK_LAYER_TEST_extra"), [extension]);
    using _device = firstGpu(instance).vkCreateDevice({ ...DEVICE, ppEnabledExtensionNames: ["VK_TEST_extra"] });
  });
});
