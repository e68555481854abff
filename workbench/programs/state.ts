import {
  VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
  VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
  VK_ACCESS_HOST_WRITE_BIT,
  VK_ACCESS_MEMORY_WRITE_BIT,
  VK_ACCESS_SHADER_WRITE_BIT,
  VK_ACCESS_TRANSFER_WRITE_BIT,
  VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
} from "../../loader/gen/enums_core_gen.js";

/** A use of a resource: the stages, what they do, whether they write, and the layout of an image. */
export interface Use {
  /** VkPipelineStageFlags. */
  readonly stage: number;
  /** VkAccessFlags. */
  readonly access: number;
  /** VkImageLayout; 0 for buffers. */
  readonly layout: number;
}

/** A dependency that a barrier must make. */
export interface Dependency {
  /** The stages before. */
  readonly srcStage: number;
  /** The kinds of access. */
  readonly srcAccess: number;
  /** The layout before. */
  readonly oldLayout: number;
  /** The use after. */
  readonly use: Use;
}

/** VkAccessFlags that write. */
const WRITES = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT |
  VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_WRITE_BIT |
  VK_ACCESS_MEMORY_WRITE_BIT;

/** The last access to a buffer, or to one subresource of an image, as synchronisation sees it. */
export class AccessState {
  #layout = 0;
  #writeStage = 0;
  #writeAccess = 0;
  #readStages = 0;
  /** The reads that see the last write. */
  #seen: Use[] = [];

  /** The layout; 0, undefined, at first. */
  get layout(): number {
    return this.#layout;
  }

  /** Notes a use; returns the dependency that it needs, if any. */
  use(use: Use): Dependency | undefined {
    const moves = use.layout !== this.#layout, writes = (use.access & WRITES) !== 0;
    if (!moves && !writes && this.#sees(use)) {
      this.#readStages |= use.stage;
      return undefined;
    }
    const before = moves || writes ? this.#writeStage | this.#readStages : this.#writeStage;
    const isNeeded = moves || before !== 0;
    const dependency = {
      srcStage: before || VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
      srcAccess: this.#writeAccess,
      oldLayout: this.#layout,
      use,
    };
    this.#note(use, writes, moves);
    return isNeeded ? dependency : undefined;
  }

  /** Notes that a render pass left another layout, and made all its work visible to everything. */
  leave(layout: number, stage: number, access: number): void {
    this.#layout = layout;
    this.#writeStage = stage;
    this.#writeAccess = access & WRITES;
    this.#readStages = 0;
    this.#seen = [];
  }

  #note(use: Use, writes: boolean, moves: boolean): void {
    this.#layout = use.layout;
    if (writes || moves) {
      this.#writeStage = use.stage;
      this.#writeAccess = use.access & WRITES;
      this.#readStages = 0;
      this.#seen = [];
    }
    if (writes) return;
    this.#readStages |= use.stage;
    this.#seen.push(use);
  }

  #sees({ stage, access }: Use): boolean {
    return this.#seen.some((seen) => (stage & ~seen.stage) === 0 && (access & ~seen.access) === 0);
  }
}
