import { checkOptions, either, list, number, type OptionRules } from "../../ffi/check_options.ts";
import {
  VK_ACCESS_HOST_READ_BIT,
  VK_ACCESS_SHADER_WRITE_BIT,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
  VK_PIPELINE_STAGE_HOST_BIT,
} from "../../loader/gen/enums_core_gen.js";
import { type Bench, duringCall, ownedDevice, submit } from "./bench.ts";
import { bindInputs, INPUT_RULES, recordInputs, recordLayouts, type ShaderInputs } from "./inputs.ts";
import { makeShader, makeStage, type ShaderCode, shaderCode } from "./shader.ts";
import type { VkPipeline, VkPipelineLayout } from "../../loader/types.ts";

/** A compute shader to run. */
export interface ComputeOptions extends ShaderInputs {
  /** The shader. */
  readonly shader: ShaderCode;
  /** The number of workgroups, in one to three dimensions. Default 1. */
  readonly groups?: number | readonly number[];
}

const RULES: OptionRules<ComputeOptions> = {
  ...INPUT_RULES,
  shader: shaderCode,
  groups: either(number, list("a number, or up to three of them", number)),
};

/** Runs a compute shader and waits until the processor sees what the shader wrote. */
export function compute(bench: Bench, options: ComputeOptions): void {
  checkOptions("compute()", options, RULES, ["shader"]);
  duringCall(bench, (own) => run(own, options));
}

function run(bench: Bench, options: ComputeOptions): void {
  const { device, owned } = bench, shaders = [makeShader(bench, options.shader, "compute")];
  const bound = bindInputs(bench, shaders, options);
  const { pipelines: [pipeline] } = device.vkCreateComputePipelines(null, [{
    stage: shaders[0].info,
    layout: bound.layout,
  }]);
  owned.defer(() => device.vkDestroyPipeline(pipeline));
  const [x, y = 1, z = 1] = [options.groups ?? 1].flat();
  submit(bench, (commands) => {
    recordLayouts(commands, bound);
    commands.vkCmdBindPipeline(VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    recordInputs(commands, VK_PIPELINE_BIND_POINT_COMPUTE, bound, shaders, options);
    commands.vkCmdDispatch(x, y, z);
    commands.vkCmdPipelineBarrier(
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
      VK_PIPELINE_STAGE_HOST_BIT,
      0,
      [{
        srcAccessMask: VK_ACCESS_SHADER_WRITE_BIT,
        dstAccessMask: VK_ACCESS_HOST_READ_BIT,
      }],
      [],
      [],
    );
  });
}

/** Makes a pipeline of a compute shader. */
export function makeComputePipeline(bench: Bench, shader: ShaderCode, layout?: VkPipelineLayout): VkPipeline {
  const device = ownedDevice(bench.device, bench.owned), stage = makeStage(bench, shader, "compute");
  const { pipelines: [pipeline] } = device.vkCreateComputePipelines(null, [{
    stage,
    layout: layout ?? device.vkCreatePipelineLayout({}),
  }]);
  return pipeline;
}
