import { boundShader, stagesOf, wordsOf } from "../compare/bound_state.ts";
import { mayStore } from "../compare/spirv.ts";
import type { Fields, RecordedLine } from "../record/line.ts";
import type { Recording } from "../replay/recording_file.ts";
import { reflectionOf } from "./reflection.ts";
import type { EventShader } from "./types.ts";

/** The shaders of a recording. Programs destroy modules as soon as their pipelines are made; their code is needed longer. */
export class Shaders {
  readonly #data: Recording["data"];
  readonly #codes = new Map<string, unknown>();
  readonly #known = new Map<string, EventShader>();
  readonly #stores = new Map<string, boolean>();

  /** Notes the modules of a recording. */
  constructor(lines: readonly RecordedLine[], data: Recording["data"]) {
    this.#data = data;
    for (const line of lines) {
      if (!("command" in line) || line.command !== "vkCreateShaderModule") continue;
      this.#codes.set(line.out?.pShaderModule, line.args.pCreateInfo?.pCode);
    }
  }

  /** Returns the shader of a VkPipelineShaderStageCreateInfo, with its text. */
  of(stage: Fields): EventShader {
    const key = JSON.stringify(stage), found = this.#known.get(key);
    if (found) return found;
    const shader = boundShader(stage, (module) => this.#codes.get(module), this.#data);
    const words = wordsOf(shader.code, this.#data),
      made = { ...shader, ...words && { reflection: reflectionOf(words) } };
    this.#known.set(key, made);
    return made;
  }

  /** Whether a pipeline's shaders may write through descriptors or addresses: by its create info. */
  mayStore(info: Fields | undefined): boolean {
    return stagesOf(info).some((stage) => {
      const key = JSON.stringify(stage), known = this.#stores.get(key);
      if (known !== undefined) return known;
      const words = this.wordsOf(stage);
      const found = !words || mayStore(words);
      this.#stores.set(key, found);
      return found;
    });
  }

  /** Returns the code of a VkPipelineShaderStageCreateInfo; `undefined` where the recording has none. */
  wordsOf({ pNext = [], module }: Fields): Uint8Array<ArrayBuffer> | undefined {
    const inline = pNext.find(({ sType }: Fields) => sType === "VkShaderModuleCreateInfo");
    return wordsOf(inline?.pCode ?? this.#codes.get(module), this.#data);
  }
}
