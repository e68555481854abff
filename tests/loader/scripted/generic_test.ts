import { assertEquals } from "@std/assert";
import { defineDriver } from "../../../loader/drivers.ts";
import { loadVulkan } from "../../../loader/mod.ts";
import { openDevice } from "../../support/device.ts";

Deno.test("a driver in TypeScript makes as many objects as a command says, each apart", () => {
  using driver = defineDriver({ name: "many" });
  using open = openDevice({ driver });
  const { device } = open, layout = device.vkCreatePipelineLayout({});
  const module = device.vkCreateShaderModule({ pCode: new Uint32Array(1) });
  const info = { stage: { stage: 32, module, pName: "main" }, layout } as const;
  const { pipelines } = device.vkCreateComputePipelines(null, [info, info, info]);
  assertEquals([new Set(pipelines).size, driver.live("VkPipeline")], [3, 3]);
  for (const pipeline of pipelines) device.vkDestroyPipeline(pipeline);
  device.vkDestroyPipeline(null);
  assertEquals(driver.live("VkPipeline"), 0);
});

Deno.test("descriptor sets of a driver in TypeScript go with their pool", () => {
  using driver = defineDriver({ name: "sets" });
  using open = openDevice({ driver });
  const { device } = open, setLayout = device.vkCreateDescriptorSetLayout({});
  const descriptorPool = device.vkCreateDescriptorPool({ maxSets: 9, pPoolSizes: [{ type: 0, descriptorCount: 1 }] });
  const allocate = () => device.vkAllocateDescriptorSets({ descriptorPool, pSetLayouts: [setLayout, setLayout] });
  const [first] = allocate();
  device.vkFreeDescriptorSets(descriptorPool, [first]);
  assertEquals(driver.live("VkDescriptorSet"), 1);
  device.vkResetDescriptorPool(descriptorPool, 0);
  assertEquals(driver.live("VkDescriptorSet"), 0);
  allocate();
  device.vkDestroyDescriptorPool(descriptorPool);
  assertEquals([driver.live("VkDescriptorSet"), driver.live("VkDescriptorSetLayout")], [0, 1]);
});

Deno.test("what nothing is known of succeeds in a driver in TypeScript: lists are empty, numbers zero", () => {
  using driver = defineDriver({ name: "nothing", instanceExtensions: ["VK_KHR_surface"] });
  using open = openDevice({ driver });
  assertEquals(open.gpu.vkGetPhysicalDeviceToolProperties(), []);
  assertEquals(open.gpu.vkGetPhysicalDeviceSparseImageFormatProperties(37, 1, 1, 1, 0), []);
  assertEquals(open.device.vkGetDeviceMemoryCommitment(5n as never), 0n);
  assertEquals(open.gpu.vkGetPhysicalDeviceExternalFenceProperties({ handleType: 1 }).externalFenceFeatures, 0);
  using vulkan = loadVulkan({ driver });
  using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: ["VK_KHR_surface"] });
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  assertEquals(gpu.vkGetPhysicalDeviceSurfaceFormatsKHR(1n as never), []);
});
