import type { VkDescriptorSetLayout, VkPipeline, VkPipelineLayout } from "../../../loader/gen/types_core_gen.ts";
import {
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
  VK_SHADER_STAGE_COMPUTE_BIT,
} from "../../../loader/gen/enums_core_gen.js";
import type { ComposeDevice } from "./device.ts";
import { composeEightComp, composeOneComp } from "./shaders_gen.ts";

/** Buffers that the shader sees besides each layer's: target, tables, layers. */
export const COMMON_BINDINGS = 3;
/** The binding of the uniform block. */
export const LAYERS_BINDING = 2;
/** Bytes of push constants. */
export const PUSH_BYTES = 24;
/** Pipelines that are kept. */
const MOST_PIPELINES = 64;

/** The compose shader, compiled for each set of layers' shapes that comes up, and kept. */
export class Pipelines {
  /** The layout of the descriptor sets. */
  readonly setLayout: VkDescriptorSetLayout;
  /** The pipeline layout, with the push constants. */
  readonly layout: VkPipelineLayout;
  readonly #make: (constants: Uint32Array<ArrayBuffer>) => VkPipeline;
  readonly #destroy: (pipeline: VkPipeline) => void;
  readonly #isSpecialised: boolean;
  readonly #layers: number;
  readonly #known = new Map<string, VkPipeline>();

  /** Makes the layouts; pipelines are compiled when they are wanted. */
  constructor({ device, owned, specialise, layersAtOnce }: ComposeDevice) {
    const pBindings = Array.from({ length: COMMON_BINDINGS + layersAtOnce }, (_, binding) => ({
      binding,
      descriptorType: binding === LAYERS_BINDING
        ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
        : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      descriptorCount: 1,
      stageFlags: VK_SHADER_STAGE_COMPUTE_BIT,
    }));
    const setLayout = owned.adopt(device.vkCreateDescriptorSetLayout({ pBindings }), (each) => {
      device.vkDestroyDescriptorSetLayout(each);
    });
    const pPushConstantRanges = [{ stageFlags: VK_SHADER_STAGE_COMPUTE_BIT, size: PUSH_BYTES }];
    const layout = device.vkCreatePipelineLayout({ pSetLayouts: [setLayout], pPushConstantRanges });
    owned.defer(() => device.vkDestroyPipelineLayout(layout));
    const pCode = layersAtOnce === 1 ? composeOneComp() : composeEightComp(),
      module = device.vkCreateShaderModule({ pCode });
    owned.defer(() => device.vkDestroyShaderModule(module));
    const cache = owned.adopt(device.vkCreatePipelineCache({}), (each) => device.vkDestroyPipelineCache(each));
    owned.defer(() => this.#known.forEach((pipeline) => device.vkDestroyPipeline(pipeline)));
    this.setLayout = setLayout;
    this.layout = layout;
    this.#isSpecialised = specialise;
    this.#layers = layersAtOnce;
    this.#destroy = (pipeline) => device.vkDestroyPipeline(pipeline);
    this.#make = (constants) => {
      const pMapEntries = Array.from(constants, (_, index) => ({ constantID: index, offset: 4 * index, size: 4 }));
      const pSpecializationInfo = { pMapEntries, pData: new Uint8Array(constants.buffer) };
      const stage = { stage: VK_SHADER_STAGE_COMPUTE_BIT, module, pName: "main", pSpecializationInfo };
      return device.vkCreateComputePipelines(cache, [{ stage, layout }]).pipelines[0];
    };
  }

  /** The pipeline for layers of these shapes; `target` as compose.comp's TARGET. The device must be idle. */
  of(shapes: readonly number[], target: number): VkPipeline {
    const constants = new Uint32Array(3 + this.#layers);
    constants.set(this.#isSpecialised ? [shapes.length, target, 1, ...shapes] : [this.#layers, target, 0]);
    const key = constants.join();
    const known = this.#known.get(key);
    if (known === undefined && this.#known.size >= MOST_PIPELINES) this.#dropOldest();
    const pipeline = known ?? this.#make(constants);
    this.#known.delete(key);
    this.#known.set(key, pipeline); // the last one now
    return pipeline;
  }

  #dropOldest(): void {
    const [[key, pipeline]] = this.#known;
    this.#known.delete(key);
    this.#destroy(pipeline);
  }
}
