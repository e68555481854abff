import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { Objects } from "../../../../workbench/recordings/state_tracker/objects.ts";
import type { RecordedCall } from "../../../../workbench/layers.ts";

/** The kinds of objects that the programs here make, with the kind of their owner. */
const KINDS = [
  "Instance",
  "Device",
  "Buffer",
  "CommandPool",
  "CommandBuffer",
  "DescriptorPool",
  "DescriptorSet",
] as const;

/** A call that makes an object with which an owner ends. */
function making(kind: typeof KINDS[number], name: string, owner: string): RecordedCall {
  const device = "VkDevice#0";
  if (kind === "Instance") return { command: "vkCreateInstance", args: {}, out: { pInstance: name } };
  if (kind === "Device") return { command: "vkCreateDevice", args: { physicalDevice: owner }, out: { pDevice: name } };
  if (kind === "CommandBuffer") {
    const args = { device, pAllocateInfo: { commandPool: owner } };
    return { command: "vkAllocateCommandBuffers", args, out: { pCommandBuffers: [name] } };
  }
  if (kind === "DescriptorSet") {
    const args = { device, pAllocateInfo: { descriptorPool: owner } };
    return { command: "vkAllocateDescriptorSets", args, out: { pDescriptorSets: [name] } };
  }
  return { command: `vkCreate${kind}`, args: { device: owner }, out: { [`p${kind}`]: name } };
}

function ending(name: string): RecordedCall {
  const type = name.slice(2, name.indexOf("#")), parameter = `${type[0].toLowerCase()}${type.slice(1)}`;
  if (type === "CommandBuffer") return { command: "vkFreeCommandBuffers", args: { pCommandBuffers: [name] } };
  if (type === "DescriptorSet") return { command: "vkFreeDescriptorSets", args: { pDescriptorSets: [name] } };
  return { command: `vkDestroy${type}`, args: { [parameter]: name } };
}

/** The same by brute force: a list of objects with all their owners, from which whatever lost an owner is thrown out. */
class Plain {
  alive: { readonly name: string; readonly owners: readonly string[] }[] = [];

  end(names: readonly string[]): Set<string> {
    const ended = new Set(names);
    for (let size = -1; size !== ended.size;) {
      size = ended.size;
      for (const { name, owners } of this.alive) if (owners.some((each) => ended.has(each))) ended.add(name);
    }
    this.alive = this.alive.filter(({ name }) => !ended.has(name));
    return ended;
  }
}

Deno.test("objects end with their pool, their device and their instance, as a plain list says", () => {
  const step = fc.tuple(fc.nat(KINDS.length - 1), fc.nat(3), fc.boolean(), fc.nat(99));
  fc.assert(fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
    const objects = new Objects(), plain = new Plain();
    const owners = { Device: "VkInstance", Buffer: "VkDevice", CommandPool: "VkDevice", DescriptorPool: "VkDevice" };
    for (const [index, [which, owner, isEnd, pick]] of steps.entries()) {
      if (isEnd && plain.alive.length > 0) {
        const { name } = plain.alive[pick % plain.alive.length];
        assertEquals(new Set(objects.note(ending(name))), plain.end([name]));
        continue;
      }
      const kind = KINDS[which], name = `Vk${kind}#${index}`;
      const above = kind === "CommandBuffer" ? "VkCommandPool" : kind === "DescriptorSet" ? "VkDescriptorPool" : "";
      const type = above || owners[kind as keyof typeof owners],
        all = plain.alive.filter((each) => type !== undefined && each.name.startsWith(`${type}#`));
      const own = all.length === 0 ? "VkNothing#0" : all[owner % all.length].name;
      assertEquals(objects.note(making(kind, name, own), index), []);
      plain.alive.push({ name, owners: above ? ["VkDevice#0", own] : [own] });
    }
    assertEquals([...objects.names()], plain.alive.map(({ name }) => name));
    for (const { name } of plain.alive) assertEquals(objects.get(name)!.index, Number(name.split("#")[1]));
  }));
});

Deno.test("an object has the line that made it, its create info, and its owners", () => {
  const objects = new Objects(), infos = [{ flags: 1 }, { flags: 2 }];
  const out = { pPipelines: ["VkPipeline#1", null, "VkPipeline#2"] };
  objects.note({
    command: "vkCreateComputePipelines",
    args: { device: "VkDevice#1", pCreateInfos: [...infos, {}] },
    out,
  }, 7);
  assertEquals(objects.info("VkPipeline#1"), infos[0]);
  assertEquals(objects.info("VkPipeline#2"), {});
  const { index, parents } = objects.get("VkPipeline#2")!;
  assertEquals([index, parents], [7, ["VkDevice#1"]]);
  objects.note(ending("VkPipeline#2"));
  assertEquals([objects.has("VkPipeline#2"), objects.hasEnded("VkPipeline#2")], [false, true]);
  assertEquals([objects.has("VkPipeline#3"), objects.hasEnded("VkPipeline#3")], [false, false]);
});

Deno.test("a pool that is reset loses its sets and stays; a swapchain takes its images along", () => {
  const objects = new Objects();
  objects.note(making("DescriptorPool", "VkDescriptorPool#1", "VkDevice#0"));
  objects.note(making("DescriptorSet", "VkDescriptorSet#1", "VkDescriptorPool#1"));
  const reset = { command: "vkResetDescriptorPool", args: { descriptorPool: "VkDescriptorPool#1" } };
  assertEquals(objects.note(reset), ["VkDescriptorSet#1"]);
  assertEquals([...objects.names()], ["VkDescriptorPool#1"]);
  const swapchain = "VkSwapchainKHR#1", device = "VkDevice#0";
  objects.note({ command: "vkCreateSwapchainKHR", args: { device }, out: { pSwapchain: swapchain } });
  const got = { pSwapchainImages: ["VkImage#1", "VkImage#2"] };
  objects.note({ command: "vkGetSwapchainImagesKHR", args: { device, swapchain }, out: got });
  const destroy = { command: "vkDestroySwapchainKHR", args: { device, swapchain } };
  assertEquals(objects.note(destroy), [swapchain, "VkImage#1", "VkImage#2"]);
});
