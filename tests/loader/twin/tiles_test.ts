import { assert, assertEquals } from "@std/assert";
import { loadVulkan } from "../../../loader/mod.ts";
import { vkjson } from "../../../loader/vkjson/vkjson.ts";
import * as vk from "../../../loader/vk.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { deviceTwin } from "../../../workbench/layers.ts";
import { needs } from "../../support/require.ts";

/** The sentences of the model about a pass with one attachment. */
function told(pass: { loadOp: number; storeOp: number; transient: boolean }, modelsTiles: boolean): string[] {
  const said: string[] = [], driver = lavapipePath()!;
  const { layer } = deviceTwin(vkjson({ driver }), { modelsTiles, log: (text) => said.push(text) });
  using vulkan = loadVulkan({ driver, layers: [layer] });
  using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: vk.VK_API_VERSION_1_3 } });
  using device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice({
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
  });
  const usage = vk.VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
    (pass.transient ? vk.VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT : 0);
  const format = vk.VK_FORMAT_R8G8B8A8_UNORM, extent = { width: 16, height: 16, depth: 1 };
  const image = device.vkCreateImage({
    imageType: vk.VK_IMAGE_TYPE_2D,
    format,
    extent,
    mipLevels: 1,
    arrayLayers: 1,
    samples: vk.VK_SAMPLE_COUNT_1_BIT,
    usage,
  } as never);
  const memory = device.vkAllocateMemory({
    allocationSize: device.vkGetImageMemoryRequirements(image).size,
    memoryTypeIndex: 0,
  });
  device.vkBindImageMemory(image, memory, 0n);
  const subresourceRange = { aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT, levelCount: 1, layerCount: 1 };
  const view = device.vkCreateImageView(
    { image, viewType: vk.VK_IMAGE_VIEW_TYPE_2D, format, subresourceRange } as never,
  );
  const { loadOp, storeOp } = pass, finalLayout = vk.VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  const renderPass = device.vkCreateRenderPass({
    pAttachments: [{
      format,
      samples: vk.VK_SAMPLE_COUNT_1_BIT,
      loadOp,
      storeOp,
      stencilLoadOp: 2,
      stencilStoreOp: 1,
      finalLayout,
    }],
    pSubpasses: [{ pipelineBindPoint: 0, pColorAttachments: [{ attachment: 0, layout: finalLayout }] }],
  } as never);
  const framebuffer = device.vkCreateFramebuffer({
    renderPass,
    pAttachments: [view],
    width: 16,
    height: 16,
    layers: 1,
  });
  device.vkDestroyFramebuffer(framebuffer);
  device.vkDestroyRenderPass(renderPass);
  device.vkDestroyImageView(view);
  device.vkDestroyImage(image);
  device.vkFreeMemory(memory);
  return said;
}

Deno.test(
  "a model of tile memory warns of loads of nothing and of memory for what stays in a tile, and says that it is a model",
  needs("Mesa lavapipe", lavapipePath()),
  () => {
    const [load, clear] = [vk.VK_ATTACHMENT_LOAD_OP_LOAD, vk.VK_ATTACHMENT_LOAD_OP_CLEAR];
    const [store, drop] = [vk.VK_ATTACHMENT_STORE_OP_STORE, vk.VK_ATTACHMENT_STORE_OP_DONT_CARE];
    const sentences = [
      told({ loadOp: clear, storeOp: store, transient: false }, true),
      told({ loadOp: load, storeOp: store, transient: false }, true),
      told({ loadOp: clear, storeOp: drop, transient: false }, true),
      told({ loadOp: clear, storeOp: drop, transient: true }, true),
      told({ loadOp: load, storeOp: drop, transient: false }, false),
    ];
    assertEquals(sentences.map(({ length }) => length), [0, 1, 1, 0, 0]);
    assert(sentences.flat().every((text) => text.startsWith("model of tile memory: ")));
  },
);
