import { assert, assertEquals, assertMatch } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import { peek64 } from "../../../../ffi/machine.ts";
import { planOf } from "../../../../loader/command/plan.ts";
import { findCommand } from "../../../../loader/command/registry/table.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../../../../loader/gen/command_table_gen.js";
import { HANDLES } from "../../../../loader/gen/structs_gen.js";
import { destroyingOf, makingOf } from "../../../../loader/layers/define/object_pairs.ts";
import { type ObjectLeaks, objectLeaks } from "../../../../workbench/layers.ts";
import { defineDriver } from "../../../../loader/drivers.ts";
import { loadVulkan } from "../../../../loader/mod.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { fillAndRead } from "../../fill.ts";
import { withScripted } from "./scripted.ts";

const COMMANDS = ["vkCreateInstance", ...`${INSTANCE_NAMES} ${DEVICE_NAMES}`.split(" ")];
/** Handle types that are not made, but found: nobody destroys them. */
const FOUND = ["VkPhysicalDevice", "VkQueue", "VkDisplayKHR", "VkDisplayModeKHR"];

/** The leaked objects, as type and count. */
function leaked({ report }: ObjectLeaks): string[] {
  return counted(report().leaked.map(({ type }) => type));
}

function counted(types: string[]): string[] {
  return [...new Set(types)].sort().map((type) => `${types.filter((each) => each === type).length} ${type}`);
}

Deno.test("objectLeaks() names what its device left behind, and where it was made", () => {
  const leaks = objectLeaks();
  withScripted([leaks.layer], ({ device }) => {
    const makeThree = () => [1, 2, 3].map(() => device.vkCreateBuffer({ size: 4n, usage: 1 }));
    const [first] = makeThree();
    device.vkDestroyBuffer(first);
    device.vkDestroyFence(device.vkCreateFence({}));
    assertEquals(leaked(leaks), []);
    assertEquals(counted(leaks.report().live.map(({ type }) => type)), ["2 VkBuffer", "1 VkDevice", "1 VkInstance"]);
  });
  assertEquals(leaked(leaks), ["2 VkBuffer"]);
  const { leaked: [object], live, text } = leaks.report();
  assertEquals([object.command, object.parent, live], ["vkCreateBuffer", "VkDevice", []]);
  assertMatch(object.stack[0], /object_leaks_test\.ts:\d+:\d+/);
  assert(object.stack.some((line) => line.includes("makeThree")), object.stack.join("\n"));
  assertMatch(text, /^2 leaked\n +2 VkBuffer +vkCreateBuffer \S.*object_leaks_test\.ts:\d+:\d+/);
});

Deno.test("objectLeaks() finds devices that their instance left behind, and what was in them", () => {
  const leaks = objectLeaks();
  using driver = defineDriver({ name: "leaking" });
  using vulkan = loadVulkan({ driver, layers: [leaks.layer] });
  const instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] }).vkCreateFence({});
  instance.vkDestroyInstance();
  assertEquals(leaked(leaks), ["1 VkDevice", "1 VkFence"]);
  assertEquals(leaks.report().live, []);
});

Deno.test("objectLeaks() lets what came from a pool go with it", () => {
  const leaks = objectLeaks();
  withScripted([leaks.layer], ({ device }) => {
    const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
    const setLayout = device.vkCreateDescriptorSetLayout({});
    const pool = () => device.vkCreateDescriptorPool({ maxSets: 9, pPoolSizes: [{ type: 0, descriptorCount: 1 }] });
    const allocate = (descriptorPool: ReturnType<typeof pool>) =>
      device.vkAllocateDescriptorSets({ descriptorPool, pSetLayouts: [setLayout, setLayout, setLayout] });
    const buffers = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: 4 });
    device.vkFreeCommandBuffers(commandPool, buffers.slice(1));
    const [reset, destroyed, kept] = [pool(), pool(), pool()];
    for (const each of [reset, destroyed, kept]) allocate(each);
    device.vkResetDescriptorPool(reset, 0);
    device.vkDestroyDescriptorPool(destroyed);
    device.vkFreeDescriptorSets(kept, allocate(kept).slice(0, 2));
    const live = () => counted(leaks.report().live.map(({ type }) => type)).filter((each) => /Set$|Buffer$/.test(each));
    assertEquals(live(), ["1 VkCommandBuffer", "4 VkDescriptorSet"]);
    device.vkDestroyCommandPool(commandPool);
    device.vkDestroyDescriptorPool(kept);
    device.vkDestroyDescriptorPool(reset);
    device.vkDestroyDescriptorSetLayout(setLayout);
    assertEquals(live(), []);
  });
  assertEquals(leaked(leaks), []);
});

Deno.test("objectLeaks() counts neither what failed nor what is null, and takes a handle given twice as two objects", () => {
  const leaks = objectLeaks();
  let result = 0;
  withScripted([leaks.layer], ({ device }) => {
    result = -2;
    device.raw.vkCreateEvent(device.handle, 0n, 0n, arena().address(arena().mark()));
    result = 0;
    device.vkDestroyEvent(null);
    const same = { maxLod: 1 };
    device.vkCreateSampler(same);
    device.vkDestroySampler(device.vkCreateSampler(same));
  }, {
    commands: {
      vkCreateEvent: (next, ...args) => result || next(...args),
      vkCreateSampler(_next, ...args) {
        new BigUint64Array(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(args[3])!, 8))[0] = 77n;
        return 0;
      },
      vkDestroySampler() {},
    },
  });
  assertEquals(leaked(leaks), ["1 VkSampler"]);
});

Deno.test("objectLeaks() watches an instance it was attached to later", () => {
  const leaks = objectLeaks();
  withScripted([], ({ instance, device }) => {
    device.vkDestroyFence(device.vkCreateFence({}));
    const early = device.vkCreateEvent({});
    instance.attach(leaks.layer);
    device.vkDestroyEvent(early);
    device.vkCreateFence({});
    device.close();
  });
  assertEquals(leaked(leaks), ["1 VkFence"]);
  leaks.reset();
  assertEquals(leaks.report(), { leaked: [], live: [], text: "no object was leaked, none is live" });
});

Deno.test("objectLeaks() knows how every handle type of the registry is made and destroyed", () => {
  const made = new Set(COMMANDS.map((name) => makingOf(name)?.type).filter((type) => type !== undefined));
  const destroyed = new Set(COMMANDS.map((name) => destroyingOf(name)?.type).filter((type) => type !== undefined));
  assertEquals([...made].sort(), [...destroyed].sort());
  assertEquals(HANDLES.trim().split(" ").filter((type) => !made.has(type)), FOUND);
  assertEquals(makingOf("vkGetSwapchainImagesKHR"), undefined);
});

Deno.test("objectLeaks() forgets what is destroyed, for every pair of commands in the registry", () => {
  const memory = arena(),
    mark = memory.mark(),
    object = memory.alloc(16),
    list = memory.alloc(16),
    out = memory.alloc(64);
  memory.view.setBigUint64(object, 0x77n, true); // what a dispatchable handle's word 0 holds
  memory.view.setBigUint64(list, memory.address(object), true);
  const destroyers = new Map(COMMANDS.map((name) => [destroyingOf(name)?.type, name]));
  for (const name of COMMANDS) {
    const making = makingOf(name), leaks = objectLeaks();
    if (!making || ["VkInstance", "VkDevice"].includes(making.type)) continue;
    const argumentsOf = (command: string) =>
      planOf(findCommand(command)!).parameters.map(({ kind, stars, role }) =>
        role === "count"
          ? 1
          : stars > 0
          ? memory.address(role === "output" || kind === "struct" ? out : list)
          : kind === "h"
          ? memory.address(object)
          : 0
      );
    // One word for the handle itself, for a pool, for a count of one and for a pointer to a list.
    memory.bytes.fill(0, out, out + 64);
    memory.view.setBigUint64(out, memory.address(object), true);
    for (const at of [16, 24]) memory.view.setBigUint64(out + at, at === 24 ? memory.address(list) : 1n, true);
    if (making.type === "VkDescriptorSet") memory.view.setUint32(out + 24, 1, true);
    if (making.type === "VkCommandBuffer") memory.view.setUint32(out + 28, 1, true);
    leaks.layer.anyCommand!(name)!(() => 0, ...argumentsOf(name));
    assertEquals(leaks.report().live.map(({ type, command }) => [type, command]), [[making.type, name]], name);
    leaks.layer.anyCommand!(destroyers.get(making.type)!)!(() => 0, ...argumentsOf(destroyers.get(making.type)!));
    assertEquals(leaks.report().live, [], name);
  }
  assertEquals(peek64(memory.address(object)), 0x77n);
  memory.release(mark);
});

Deno.test(
  "objectLeaks() finds the pool that a program forgot on lavapipe",
  needs("Mesa lavapipe", lavapipePath()),
  () => {
    const leaks = objectLeaks();
    {
      using vulkan = loadVulkan({ driver: lavapipePath()!, layers: [leaks.layer] });
      using instance = vulkan.vkCreateInstance({});
      assertEquals(fillAndRead(instance, 7), 7);
      const [gpu] = instance.vkEnumeratePhysicalDevices();
      using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
      device.vkCreateCommandPool({ queueFamilyIndex: 0 });
    }
    assertEquals(leaked(leaks), ["1 VkCommandPool"]);
    assertEquals(leaks.report().live, []);
  },
);
