/**
 * Makes calls that drivers do not survive, as plain JavaScript can write them,
 * and prints what each threw.
 *
 * @module
 */
import { openDevice } from "../../../support/device.ts";

type Loose = Record<string, (...args: unknown[]) => unknown>;

using opened = openDevice({ driver: Deno.args[0] });
const device = opened.device as unknown as Loose, gpu = opened.gpu as unknown as Loose;
const layout = device.vkCreatePipelineLayout({}), renderPass = device.vkCreateRenderPass({ pSubpasses: [{}] });
const extent = { width: 8, height: 8, depth: 1 };
const image = { imageType: 1, format: 37, extent, arrayLayers: 1, samples: 1, usage: 1 };

for (
  const call of [
    () => gpu.vkCreateDevice({}),
    () => gpu.vkCreateDevice({ pQueueCreateInfos: [] }),
    () => device.vkCreateImage(image),
    () => device.vkCreateImage({ ...image, mipLevels: 99 }),
    () => device.vkCreateGraphicsPipelines(null, [{ layout, renderPass }]),
    () => device.vkUpdateDescriptorSets([{ descriptorType: 6, pBufferInfo: [{}] }], []),
    () => device.vkCreateFence({}, {}),
    () => device.vkResetFences([null]),
  ]
) {
  try {
    call();
    console.log("no error");
  } catch (error) {
    console.log((error as Error).name);
  }
}
