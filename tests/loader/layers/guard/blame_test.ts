import { assertEquals, assertMatch, assertStrictEquals, assertThrows } from "@std/assert";
import { type AnyHook, defineLayer, type Layer, loadVulkan, VulkanError } from "../../../../loader/mod.ts";
import { withMixed } from "../../interposers/chain.ts";
import { NEEDS_TINY, TINY, withTinyDevice } from "../../tiny.ts";

const WHERE = "VK_LAYER_TEST_faulty, vkGetEventStatus: ";
const DEVICE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };

function hooking(hook: AnyHook, name = "VK_LAYER_TEST_faulty"): Layer {
  return defineLayer({ name, commands: { vkGetEventStatus: hook } });
}

function throwing(error: unknown): Layer {
  return hooking(() => {
    throw error;
  });
}

/** The error that arrives at a script whose layers throw. */
function thrown(...layers: Layer[]): unknown {
  let found: unknown;
  withTinyDevice(layers, (device) => {
    try {
      device.vkGetEventStatus(8n as never);
    } catch (error) {
      found = error;
    }
  });
  return found;
}

Deno.test("an error of a hook names layer and command, and stays the same object", NEEDS_TINY, () => {
  const cause = new RangeError("the reason"), error = new SyntaxError("out of order", { cause });
  assertStrictEquals(thrown(throwing(error)), error);
  assertEquals([error.message, error.cause], [`${WHERE}out of order`, cause]);
  assertMatch(error.stack!, /^SyntaxError: VK_LAYER_TEST_faulty, vkGetEventStatus: out of order\n {4}at .*blame_test/);
});

Deno.test("a mistake in a hook leads to the line of the mistake", NEEDS_TINY, () => {
  const nothing = undefined as unknown as { size: bigint };
  const error = thrown(hooking(function mistaken() {
    return nothing.size;
  })) as TypeError;
  assertMatch(error.message, /^VK_LAYER_TEST_faulty, vkGetEventStatus: Cannot read properties of undefined/);
  assertMatch(error.stack!, /at .*mistaken.*blame_test/);
});

Deno.test("an error keeps its class and members, with or without a message", NEEDS_TINY, () => {
  const failed = thrown(throwing(new VulkanError("vkFoo", -3))) as VulkanError;
  assertEquals([failed instanceof VulkanError, failed.code], [true, -3]);
  assertEquals((thrown(throwing(new Error())) as Error).message, WHERE);
  const aborted = thrown(throwing(new DOMException("too late", "AbortError"))) as DOMException;
  assertEquals([aborted.name, aborted.message], ["AbortError", `${WHERE}too late`]);
});

Deno.test("what cannot be changed becomes the cause of an error that names both", NEEDS_TINY, () => {
  for (const given of ["a text", undefined, Object.freeze(new Error("frozen"))]) {
    const error = thrown(throwing(given)) as Error;
    assertEquals([error.message, error.cause], [`${WHERE}the hook threw ${given}`, given]);
  }
});

Deno.test("only the layer that threw is named, above and below native layers", NEEDS_TINY, () => {
  const passing = (name: string) => hooking((next, ...args) => next(...args), name);
  const catching = hooking((next, ...args) => {
    try {
      return next(...args);
    } catch (error) {
      throw error;
    }
  }, "VK_LAYER_TEST_catching");
  const all = [passing("VK_LAYER_TEST_above"), catching, throwing(new Error("mine")), passing("VK_LAYER_TEST_below")];
  assertEquals((thrown(...all) as Error).message, `${WHERE}mine`);
  withMixed([passing("VK_LAYER_TEST_above"), "n", throwing(new Error("deep"))], (instance) => {
    using device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice(DEVICE);
    assertEquals(assertThrows(() => device.vkGetEventStatus(8n as never), Error).message, `${WHERE}deep`);
  });
});

Deno.test("an error that a hook makes of another one names the hook's layer", NEEDS_TINY, () => {
  const translating = hooking((next, ...args) => {
    try {
      return next(...args);
    } catch (cause) {
      throw new Error("translated", { cause });
    }
  }, "VK_LAYER_TEST_translating");
  const error = thrown(translating, throwing(new Error("first"))) as Error;
  assertEquals(error.message, "VK_LAYER_TEST_translating, vkGetEventStatus: translated");
  assertEquals((error.cause as Error).message, `${WHERE}first`);
});

Deno.test("errors of anyCommand, onCreate and physicalDevice name the layer and the place", NEEDS_TINY, () => {
  const fail = (): never => {
    throw new Error("no");
  };
  const message = (layer: Layer) =>
    assertThrows(() => {
      using vulkan = loadVulkan({ driver: TINY!, layers: [layer] });
      using instance = vulkan.vkCreateInstance({});
      const [gpu] = instance.vkEnumeratePhysicalDevices();
      gpu.vkGetPhysicalDeviceProperties();
    }, Error).message;
  const name = "VK_LAYER_TEST_faulty";
  assertMatch(message(defineLayer({ name, anyCommand: fail })), /^VK_LAYER_TEST_faulty, anyCommand\("vk\w+"\): no$/);
  assertEquals(message(defineLayer({ name, onCreate: { VkInstance: fail } })), `${name}, vkCreateInstance: no`);
  assertEquals(message(defineLayer({ name, physicalDevice: fail })), `${name}, vkGetPhysicalDeviceProperties: no`);
});
