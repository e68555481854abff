import { checkOptions, either, list, number, object, type OptionRules } from "../../ffi/check_options.ts";
import type { VkPipelineBindPoint } from "../../loader/types.ts";
import { bindInputs, INPUT_RULES, recordInputs, type ShaderInputs, shaderStage } from "./shader.ts";
import { submit } from "./submit.ts";
import type { Workbench } from "./workbench.ts";

/** A compute shader to run. */
export interface ComputeOptions extends ShaderInputs {
  /** Words of SPIR-V with the entry point `main`. */
  readonly shader: Uint32Array;
  /** How many groups, in one to three directions. Default 1. */
  readonly groups?: number | readonly number[];
}

const RULES: OptionRules<ComputeOptions> = {
  ...INPUT_RULES,
  shader: object("words of SPIR-V"),
  groups: either(number, list("a number, or up to three of them", number)),
};

/** VK_SHADER_STAGE_COMPUTE_BIT, VK_PIPELINE_BIND_POINT_COMPUTE */
const STAGE = 0x20, BIND_POINT = 1 as VkPipelineBindPoint;
/** VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT and HOST_BIT; VK_ACCESS_SHADER_WRITE_BIT, HOST_READ_BIT */
const COMPUTE_STAGE = 0x800, HOST_STAGE = 0x4000, SHADER_WRITE = 0x40, HOST_READ = 0x2000;

/** Runs a compute shader and waits until the processor sees what it wrote. */
export function compute(bench: Workbench, options: ComputeOptions): void {
  checkOptions("compute()", options, RULES);
  const { device, owned } = bench, bound = bindInputs(bench, options, STAGE);
  const stage = shaderStage(bench, options.shader, STAGE);
  const { pipelines: [pipeline] } = device.vkCreateComputePipelines(null, [{ stage, layout: bound.layout }]);
  owned.defer(() => device.vkDestroyPipeline(pipeline));
  const [x, y = 1, z = 1] = [options.groups ?? 1].flat();
  submit(bench, (commands) => {
    commands.vkCmdBindPipeline(BIND_POINT, pipeline);
    recordInputs(commands, bound, options, STAGE, BIND_POINT);
    commands.vkCmdDispatch(x, y, z);
    const written = [{ srcAccessMask: SHADER_WRITE, dstAccessMask: HOST_READ }];
    commands.vkCmdPipelineBarrier(COMPUTE_STAGE, HOST_STAGE, 0, written, [], []);
  });
}
