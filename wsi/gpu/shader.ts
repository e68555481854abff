import {
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_SHADER_STAGE_FRAGMENT_BIT,
  VK_SHADER_STAGE_VERTEX_BIT,
} from "../../loader/gen/enums_core_gen.js";
import type { VkPipelineShaderStageCreateInfo, VkShaderStageFlagBits } from "../../loader/types.ts";
import type { Owning } from "./bench.ts";
import { entryPointName, reflect, type ShaderFacts, type ShaderStage } from "./spirv.ts";

/**
 * Words of SPIR-V, with the name of the entry point if the stage has several. Default: the only entry point, otherwise
 * `main`.
 */
export type ShaderCode = Uint32Array | { readonly code: Uint32Array; readonly entryPoint: string };

/** The rule for {@linkcode ShaderCode} as an option. */
export function shaderCode(value: unknown): string | undefined {
  const { code = value, entryPoint = "" } = Object(value) as Exclude<ShaderCode, Uint32Array>;
  const fits = code instanceof Uint32Array && typeof entryPoint === "string";
  return fits ? undefined : "words of SPIR-V in a Uint32Array, or { code, entryPoint }";
}

/** A stage of a pipeline: facts from the shader's code, and the struct that creates the stage. */
export interface Shader extends ShaderFacts {
  /** The stage. */
  readonly stage: ShaderStage;
  /** The stage as a bit. */
  readonly flag: VkShaderStageFlagBits;
  /** The stage's struct for the pipeline. */
  readonly info: VkPipelineShaderStageCreateInfo;
}

const FLAGS: Readonly<Record<ShaderStage, VkShaderStageFlagBits>> = {
  vertex: VK_SHADER_STAGE_VERTEX_BIT,
  fragment: VK_SHADER_STAGE_FRAGMENT_BIT,
  compute: VK_SHADER_STAGE_COMPUTE_BIT,
};

/** Makes a stage of a pipeline, and finds what the shader's bindings are. */
export function makeShader(bench: Owning, shader: ShaderCode, stage: ShaderStage): Shader {
  const { code, entryPoint } = partsOf(shader), facts = reflect(code, stage, entryPoint);
  return { ...facts, stage, flag: FLAGS[stage], info: makeStage(bench, shader, stage) };
}

/** Makes a stage of a pipeline alone. */
export function makeStage(
  { device, owned }: Owning,
  shader: ShaderCode,
  stage: ShaderStage,
): VkPipelineShaderStageCreateInfo {
  const { code: pCode, entryPoint } = partsOf(shader), pName = entryPointName(pCode, stage, entryPoint);
  const module = device.vkCreateShaderModule({ pCode });
  owned.defer(() => device.vkDestroyShaderModule(module));
  return { stage: FLAGS[stage], module, pName };
}

function partsOf(shader: ShaderCode): { readonly code: Uint32Array; readonly entryPoint?: string } {
  return "code" in shader ? shader : { code: shader };
}
