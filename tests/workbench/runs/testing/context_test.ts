import { assert, assertEquals, assertThrows } from "@std/assert";
import { createDebugMessenger, loadVulkan } from "../../../../loader/mod.ts";
import * as vk from "../../../../loader/vk.ts";
import { makeContext } from "../../../../workbench/runs/testing/context.ts";
import type { GpuTestContext } from "../../../../workbench/runs/testing/context.ts";
import { openDevice } from "../../../../wsi/gpu/device.ts";
import { fullBarrier, turnImage, zeroImage } from "../../../../wsi/gpu/barriers.ts";
import { changeLayout } from "../../../../wsi/gpu/image.ts";
import { Unmet } from "../../../../wsi/gpu/requirements.ts";
import { openBench } from "../../../../wsi/gpu/bench.ts";
import { squaresComp, triangleFrag, triangleVert } from "../../../../examples/driver/shaders_gen.ts";
import { lavapipePath, swiftshaderPath, validationManifest } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { leavesNothing } from "../../../wsi/leaves_nothing.ts";
import { pushedFrag } from "./shaders/shaders_gen.ts";

const DEBUG = "VK_EXT_debug_utils";
const OWNER = { test: "a test", file: "a_test.ts", beside: "" };

/** Runs on a device with Khronos validation on top, which must say nothing. */
function validated(driver: string, use: (context: GpuTestContext) => void): void {
  const said: string[] = [];
  {
    using vulkan = loadVulkan({ driver, layers: ["VK_LAYER_KHRONOS_validation"] });
    const opened = openDevice(vulkan, { instanceExtensions: [DEBUG] });
    const messenger = createDebugMessenger(opened.instance, ({ messageIdName, message }) => {
      said.push(`${messageIdName}: ${message}`);
    });
    // between the device and the instance, which is when a messenger has to go
    const instance = Object.create(opened.instance, {
      [Symbol.dispose]: {
        value() {
          messenger.close();
          opened.instance.close();
        },
      },
    });
    const bench = openBench({ ...opened, instance });
    const place = { folder: "", output: "", driver: "it", update: false, leads: true, owner: OWNER };
    try {
      use(makeContext(bench, place, "a test"));
    } finally {
      bench.owned.dispose();
    }
  }
  assertEquals(said, []);
}

for (
  const [name, driver] of [["Mesa lavapipe", lavapipePath()], ["SwiftShader and ANGLE", swiftshaderPath()]] as const
) {
  const NEEDS = needs(`${name}, Khronos validation layer`, driver && validationManifest());

  Deno.test(
    `what a test gets computes, draws, clears and reads on ${name}, and validation has nothing to say`,
    NEEDS,
    () =>
      validated(driver!, (context) => {
        computes(context);
        draws(context);
        clears(context);
        turnsBareImages(context);
        drawsIntoViews(context);
        computesWithParts(context);
        ownsWhatItMakes(context);
        assert(context.deviceTime()! > 0);
      }),
  );
}

function computes({ buffer, compute }: GpuTestContext): void {
  const numbers = buffer(Uint32Array.from({ length: 200 }, (_, index) => index));
  compute({ shader: squaresComp(), bindings: [numbers], groups: [4] });
  assertEquals([numbers.words[14], numbers.words[199]], [196, 199 * 199]);
  assertEquals([numbers.bytes.length, numbers.floats.length], [800, 200]);
}

function draws({ image, draw, pixels }: GpuTestContext): void {
  const target = image({ width: 32, height: 32 }), push = new Float32Array([0, 1, 0, 1]);
  draw({ target, vertex: triangleVert(), fragment: triangleFrag(), clear: [0, 0, 1, 1] });
  draw({ target, vertex: triangleVert(), fragment: pushedFrag(), push, clear: null });
  const { data } = pixels(target),
    at = (x: number, y: number) => [...data.subarray(4 * (32 * y + x), 4 * (32 * y + x) + 4)];
  assertEquals([at(0, 0), at(16, 20)], [[0, 0, 255, 255], [0, 255, 0, 255]]);
}

function clears({ image, submit, pixels }: GpuTestContext): void {
  const target = image({ width: 4, height: 4, format: vk.VK_FORMAT_B8G8R8A8_UNORM });
  const layout = vk.VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  submit((commands) => {
    changeLayout(commands, target, layout);
    const range = { aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT, levelCount: 1, layerCount: 1 };
    commands.vkCmdClearColorImage(target.image, layout, { float32: [1, 0, 0, 1] }, [range]);
  });
  assertEquals([...pixels(target).data.subarray(0, 4)], [255, 0, 0, 255]);
  const deep = image({ width: 4, height: 4, format: vk.VK_FORMAT_R16G16B16A16_SFLOAT });
  assertThrows(() => pixels(deep), TypeError, "Cannot read pixels of format 97");
}

/** An image of two layers: one is cleared to a colour, the other to zero, and each is read. */
function turnsBareImages({ bareImage, submit, readImage }: GpuTestContext): void {
  const usage = vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT | vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  const image = bareImage({ format: vk.VK_FORMAT_R8G8B8A8_UINT, extent: { width: 4 }, arrayLayers: 2, usage });
  const target = vk.VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, source = vk.VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  const second = { aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT, levelCount: 1, baseArrayLayer: 1, layerCount: 1 };
  submit((commands) => {
    zeroImage(commands, image, target);
    commands.vkCmdClearColorImage(image, target, { uint32: [1, 2, 3, 4] }, [second]);
    fullBarrier(commands);
    turnImage(commands, image, target, source);
  });
  assertEquals([...readImage(image, source, 4).bytes], [0, 0, 0, 0]);
  const region = { imageSubresource: { baseArrayLayer: 1 }, imageOffset: { x: 2 }, imageExtent: { width: 2 } };
  assertEquals([...readImage(image, source, 8, region).bytes], [1, 2, 3, 4, 1, 2, 3, 4]);
  submit((commands) => turnImage(commands, image, source, target));
  const both = [0, 1].map((baseArrayLayer) => readImage(image, target, 4, { imageSubresource: { baseArrayLayer } }));
  assertEquals(both.map(({ words: [word] }) => word), [0, 0x04030201]);
  submit((commands) => turnImage(commands, image, target, source)); // validation knows whether readImage() turned it back
  const depth = bareImage({ format: vk.VK_FORMAT_D16_UNORM, extent: { width: 2, height: 2 }, usage });
  submit((commands) => zeroImage(commands, depth, source, vk.VK_IMAGE_ASPECT_DEPTH_BIT));
  const imageSubresource = { aspectMask: vk.VK_IMAGE_ASPECT_DEPTH_BIT };
  assertEquals([...readImage(depth, source, 2, { imageSubresource }).bytes], [0, 0]);
}

/** A pass over a colour and a depth of one layer of several; what is said replaces a default. */
function drawsIntoViews({ bareImage, view, renderPass, graphicsPipeline, submit, readImage }: GpuTestContext): void {
  const extent = { width: 32, height: 32 }, usage = vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  const format = vk.VK_FORMAT_R8G8B8A8_UNORM, color = vk.VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | usage;
  const image = bareImage({ format, extent, arrayLayers: 2, usage: color });
  const depth = bareImage({
    format: vk.VK_FORMAT_D16_UNORM,
    extent,
    usage: vk.VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
  });
  const fresh = { loadOp: vk.VK_ATTACHMENT_LOAD_OP_CLEAR, initialLayout: vk.VK_IMAGE_LAYOUT_UNDEFINED };
  const second = view(image, { viewType: vk.VK_IMAGE_VIEW_TYPE_2D, subresourceRange: { baseArrayLayer: 1 } });
  const pass = renderPass([{ view: second, ...fresh }, { view: view(depth), ...fresh }]);
  const pipeline = graphicsPipeline({
    vertex: triangleVert(),
    fragment: triangleFrag(),
    pDepthStencilState: { depthTestEnable: true, depthCompareOp: vk.VK_COMPARE_OP_LESS },
    renderPass: pass.renderPass,
  });
  submit((commands) => {
    const pClearValues = [{ color: { float32: [0, 0, 1, 1] } }, { depthStencil: { depth: 1 } }];
    commands.vkCmdBeginRenderPass({ ...pass, pClearValues }, vk.VK_SUBPASS_CONTENTS_INLINE);
    commands.vkCmdBindPipeline(vk.VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    commands.vkCmdDraw(3, 1, 0, 0);
    commands.vkCmdEndRenderPass();
  });
  const texel = (x: number, y: number) => {
    const region = { imageSubresource: { baseArrayLayer: 1 }, imageOffset: { x, y } };
    return [...readImage(image, vk.VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, 4, region).bytes];
  };
  assertEquals(texel(0, 0), [0, 0, 255, 255]);
  assert(texel(16, 20)[1] > 40, `${texel(16, 20)}`);
  assertThrows(() => view(1n as typeof image), TypeError, "give an image that bareImage() made");
  assertThrows(() => renderPass([{ view: 1n as typeof second }]), TypeError, "give a view that view() made");
  assertThrows(() => renderPass([]), TypeError, "give one view at least");
}

/** A dispatch whose buffer is all that is said of the descriptors. */
function computesWithParts(context: GpuTestContext): void {
  const { buffer, computePipeline, descriptorSet, ownedDevice: device, submit } = context;
  const numbers = buffer(new Uint32Array([3, 4, 5, 6]));
  const descriptors = descriptorSet([
    { descriptorType: vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, pBufferInfo: [{ buffer: numbers.buffer }] },
    { binding: 4, descriptorType: vk.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER },
  ]);
  const layout = device.vkCreatePipelineLayout({ pSetLayouts: [descriptors.layout] });
  const pipeline = computePipeline(squaresComp(), layout);
  submit((commands) => {
    commands.vkCmdBindPipeline(vk.VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    commands.vkCmdBindDescriptorSets(vk.VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, [descriptors.set]);
    commands.vkCmdDispatch(1, 1, 1);
  });
  assertEquals([...numbers.words], [9, 16, 25, 36]);
}

/** Objects of every way to make some: alone, in a list, from a pool, and memory. The validation layer counts them. */
function ownsWhatItMakes({ ownedDevice, queueFamilyIndex, buffer }: GpuTestContext): void {
  const module = ownedDevice.vkCreateShaderModule({ pCode: squaresComp() });
  const descriptorPool = ownedDevice.vkCreateDescriptorPool({
    maxSets: 1,
    pPoolSizes: [{ type: vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, descriptorCount: 1 }],
  });
  const layout = ownedDevice.vkCreateDescriptorSetLayout({
    pBindings: [{
      descriptorType: vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      descriptorCount: 1,
      stageFlags: vk.VK_SHADER_STAGE_COMPUTE_BIT,
    }],
  });
  const [dstSet] = ownedDevice.vkAllocateDescriptorSets({ descriptorPool, pSetLayouts: [layout] });
  const pBufferInfo = [{ buffer: buffer(16).buffer, range: vk.VK_WHOLE_SIZE }];
  ownedDevice.vkUpdateDescriptorSets([{
    dstSet,
    descriptorCount: 1,
    descriptorType: vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    pBufferInfo,
  }], []);
  const { pipelines: [pipeline] } = ownedDevice.vkCreateComputePipelines(null, [{
    stage: { stage: vk.VK_SHADER_STAGE_COMPUTE_BIT, module, pName: "main" },
    layout: ownedDevice.vkCreatePipelineLayout({ pSetLayouts: [layout] }),
  }]);
  const memory = ownedDevice.vkAllocateMemory({ allocationSize: 256n, memoryTypeIndex: 0 });
  const commandPool = ownedDevice.vkCreateCommandPool({ queueFamilyIndex });
  const [commands] = ownedDevice.vkAllocateCommandBuffers({ commandPool, commandBufferCount: 1 });
  assert(pipeline && memory && commands);
}

Deno.test(
  "the objects of a test are destroyed with it",
  needs("Mesa lavapipe", lavapipePath()),
  () =>
    leavesNothing(() => {
      using vulkan = loadVulkan({ driver: lavapipePath()! });
      const bench = openBench(openDevice(vulkan, {}));
      const place = { folder: "", output: "", driver: "it", update: false, leads: true, owner: OWNER };
      const context = makeContext(bench, place, "a test");
      computes(context);
      draws(context);
      turnsBareImages(context);
      drawsIntoViews(context);
      computesWithParts(context);
      ownsWhatItMakes(context);
      bench.owned.dispose();
    }),
);

Deno.test("openDevice() says what a device lacks", needs("SwiftShader and ANGLE", swiftshaderPath()), () => {
  using vulkan = loadVulkan({ driver: swiftshaderPath()! });
  for (
    const [wanted, words] of [
      [{ extensions: ["VK_EXT_transform_feedback"] }, "lacks VK_EXT_transform_feedback"],
      [{ instanceExtensions: ["VK_EXT_nobody"] }, "lacks VK_EXT_nobody"],
      [{ features: { geometryShader: true } }, "lacks the feature geometryShader"],
      [{ apiVersion: vk.VK_MAKE_API_VERSION(0, 1, 4, 0) }, "is of Vulkan 1.3.0, not 1.4"],
      [{ device: 3 }, "has 1 devices only"],
    ] as const
  ) assertThrows(() => openDevice(vulkan, wanted), Unmet, words);
});
