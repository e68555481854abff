import type { Fields, RecordedCall, RecordedLine } from "../record/line.ts";
import { coreName } from "../record/commands.ts";
import { VK_INDEX_TYPE_UINT32, VK_INDEX_TYPE_UINT8 } from "../../../loader/gen/enums_core_gen.js";
import { isDispatch, isDraw } from "../state_tracker/effects.ts";

/** VkDescriptorSetLayoutCreateFlagBits: the set is pushed by commands. */
const PUSHED = 1;

/** The objects that a command buffer has bound so far. */
interface Bound {
  /** The layout of the pipeline, by bind point. */
  readonly layouts: Map<number, string>;
  /** The numbers of sets that were pushed. */
  readonly pushed: Set<number>;
  /** The bytes of indices that are there, and of one index. */
  indices?: { readonly room: number; readonly size: number };
}

/**
 * Whether draws and dispatches have what they read: the sets that are pushed, and the indices; and whether descriptors
 * end with their buffers. The validation layer does not know the first two.
 */
export function hasAllInputs(lines: readonly RecordedLine[]): boolean {
  const inputs = new Inputs();
  return lines.every((line) => !("command" in line) || inputs.note(line));
}

class Inputs {
  readonly #sizes = new Map<string, number>();
  /** Sets that are pushed, and have bindings. */
  readonly #pushed = new Set<string>();
  readonly #setLayouts = new Map<string, readonly string[]>();
  readonly #layouts = new Map<string, string>();
  readonly #buffers = new Map<string, Bound>();

  /** Notes a call. Returns whether everything is there that the call reads. */
  note({ command, args, out }: RecordedCall): boolean {
    const core = coreName(command), bound = this.#buffers.get(args.commandBuffer);
    if (core === "vkUpdateDescriptorSets") {
      return (args.pDescriptorWrites ?? []).every((each: Fields) => this.#fits(each));
    }
    if (core === "vkBeginCommandBuffer") {
      this.#buffers.set(args.commandBuffer, { layouts: new Map(), pushed: new Set() });
    } else if (bound) return this.#command(core, args, bound);
    else this.#created(core, args, out ?? {});
    return true;
  }

  #created(core: string, { pCreateInfo: info, pCreateInfos: infos }: Fields, out: Fields): void {
    if (core === "vkCreateBuffer") this.#sizes.set(out.pBuffer, Number(info.size));
    if (core === "vkCreateDescriptorSetLayout" && (info.flags & PUSHED) !== 0 && info.pBindings?.length > 0) {
      this.#pushed.add(out.pSetLayout);
    }
    if (core === "vkCreatePipelineLayout") this.#setLayouts.set(out.pPipelineLayout, info.pSetLayouts ?? []);
    if (/^vkCreate(Graphics|Compute)Pipelines$/.test(core)) {
      for (const [index, name] of (out.pPipelines ?? []).entries()) this.#layouts.set(name, infos[index].layout);
    }
  }

  #command(core: string, args: Fields, bound: Bound): boolean {
    if (core === "vkCmdBindPipeline") bound.layouts.set(args.pipelineBindPoint, this.#layouts.get(args.pipeline) ?? "");
    else if (/^vkCmdPushDescriptorSet/.test(core)) {
      bound.pushed.add((Object.values(args).find(isInfo) ?? args).set ?? 0);
    } else if (core === "vkCmdBindIndexBuffer") {
      const room = (this.#sizes.get(args.buffer) ?? 0) - Number(args.offset);
      bound.indices = { room, size: sizeOf(args.indexType) };
    } else if (core === "vkCmdDrawIndexed" && bound.indices) {
      const { room, size } = bound.indices;
      if ((args.firstIndex + args.indexCount) * size > room) return false;
    }
    return !isDraw(core) && !isDispatch(core) || this.#hasPushed(bound, isDraw(core) ? 0 : 1);
  }

  #hasPushed({ layouts, pushed }: Bound, point: number): boolean {
    const sets = this.#setLayouts.get(layouts.get(point) ?? "") ?? [];
    return sets.every((name, number) => !this.#pushed.has(name) || pushed.has(number));
  }

  #fits({ pBufferInfo = [] }: Fields): boolean {
    return (pBufferInfo ?? []).every(({ buffer, offset, range }: Fields) => {
      const size = this.#sizes.get(buffer), end = Number(offset ?? 0) + Number(range);
      return size === undefined || end > Number.MAX_SAFE_INTEGER || end <= size;
    });
  }
}

/** The commands of Vulkan 1.4 have their arguments in one struct. */
function isInfo(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && "set" in value;
}

function sizeOf(indexType: number): number {
  if (indexType === VK_INDEX_TYPE_UINT8) return 1;
  return indexType === VK_INDEX_TYPE_UINT32 ? 4 : 2;
}
