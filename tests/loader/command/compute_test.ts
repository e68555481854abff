import { assertEquals } from "@std/assert";
import {
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_SUCCESS,
  VK_WHOLE_SIZE,
} from "../../../loader/vk.ts";
import type { VkBuffer, VkDescriptorSetLayout, VkDevice } from "../../../loader/types.ts";
import { lavapipePath, shaderTools, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { compileShader } from "../../support/compile_shader.ts";
import { openDevice } from "../../support/device.ts";
import { needs } from "../../support/require.ts";
import { record } from "../record.ts";

const GLSL = `#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Data { uint words[]; };
layout(push_constant) uniform Push { uint factor; uint summand; };
void main() { words[gl_GlobalInvocationID.x] = words[gl_GlobalInvocationID.x] * factor + summand; }
`;
const COUNT = 1024;

/** Runs the shader over the numbers from 0 up and returns what is in the buffer then. */
function compute(driver: string, factor: number, summand: number): Uint32Array {
  using open = openDevice({ driver });
  const { device, gpu } = open, size = BigInt(4 * COUNT);
  const buffer = device.vkCreateBuffer({ size, usage: VK_BUFFER_USAGE_STORAGE_BUFFER_BIT });
  const needed = device.vkGetBufferMemoryRequirements(buffer);
  const wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  const memoryTypeIndex = gpu.vkGetPhysicalDeviceMemoryProperties().memoryTypes.findIndex((type, index) =>
    (needed.memoryTypeBits >>> index & 1) === 1 && (type.propertyFlags & wanted) === wanted
  );
  const memory = device.vkAllocateMemory({ allocationSize: needed.size, memoryTypeIndex });
  device.vkBindBufferMemory(buffer, memory, 0n);
  const address = device.vkMapMemory(memory, 0n, VK_WHOLE_SIZE);
  const mapped = Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(address)!, Number(size));
  const words = new Uint32Array(mapped).map((_, index) => index);
  new Uint32Array(mapped).set(words);
  dispatch(device, buffer, new Uint32Array([factor, summand]));
  const result = new Uint32Array(mapped.slice(0));
  device.vkUnmapMemory(memory);
  device.vkDestroyBuffer(buffer);
  device.vkFreeMemory(memory);
  return result;
}

function dispatch(device: VkDevice, buffer: VkBuffer, push: Uint32Array): void {
  const binding = { binding: 0, descriptorType: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, descriptorCount: 1 };
  const setLayout = device.vkCreateDescriptorSetLayout({
    pBindings: [{ ...binding, stageFlags: VK_SHADER_STAGE_COMPUTE_BIT }],
  });
  const layout = device.vkCreatePipelineLayout({
    pSetLayouts: [setLayout],
    pPushConstantRanges: [{ stageFlags: VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size: push.byteLength }],
  });
  const module = device.vkCreateShaderModule({ pCode: compileShader(GLSL) });
  const { result, pipelines } = device.vkCreateComputePipelines(null, [{
    stage: { stage: VK_SHADER_STAGE_COMPUTE_BIT, module, pName: "main" },
    layout,
  }]);
  assertEquals(result, VK_SUCCESS);
  const { pool, set } = describe(device, setLayout, buffer);
  record(device, (commands) => {
    commands.vkCmdBindPipeline(VK_PIPELINE_BIND_POINT_COMPUTE, pipelines[0]);
    commands.vkCmdBindDescriptorSets(VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, [set], []);
    commands.vkCmdPushConstants(layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push);
    commands.vkCmdDispatch(COUNT / 16, 1, 1);
  });
  device.vkDestroyDescriptorPool(pool);
  device.vkDestroyPipeline(pipelines[0]);
  device.vkDestroyShaderModule(module);
  device.vkDestroyPipelineLayout(layout);
  device.vkDestroyDescriptorSetLayout(setLayout);
}

function describe(device: VkDevice, setLayout: VkDescriptorSetLayout, buffer: VkBuffer) {
  const pool = device.vkCreateDescriptorPool({
    maxSets: 1,
    pPoolSizes: [{ type: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, descriptorCount: 1 }],
  });
  const [set] = device.vkAllocateDescriptorSets({ descriptorPool: pool, pSetLayouts: [setLayout] });
  device.vkUpdateDescriptorSets([{
    dstSet: set,
    dstBinding: 0,
    descriptorType: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    pBufferInfo: [{ buffer, offset: 0n, range: VK_WHOLE_SIZE }],
  }], []);
  return { pool, set };
}

for (const [name, driver] of [["Mesa lavapipe", lavapipePath()], ["SwiftShader", swiftshaderPath()]] as const) {
  const ignore = needs(name, driver).ignore || needs("shader tools", shaderTools()).ignore;
  Deno.test(`a compute shader gives the right answer on ${name}`, { ignore }, () => {
    assertEquals(compute(driver!, 7, 3), Uint32Array.from({ length: COUNT }, (_, index) => 7 * index + 3));
  });
}
