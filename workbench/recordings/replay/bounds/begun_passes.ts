import type { Fields } from "../../record/line.ts";

const BEGINS = /^vkCmdBegin(RenderPass2?|Rendering)$/, ENDS = /^vkCmdEnd(RenderPass2?|Rendering2?)$/;

/** Follows the passes of command buffers: drivers do not look whether one was begun, and end what is not there. */
export class Passes {
  /** The command buffers in which a pass was begun and not ended. */
  readonly #begun = new Set<string>();

  /** Looks at a call by its name without a suffix. Throws a `TypeError` for a pass in a pass, and for the end of none. */
  check(core: string, { commandBuffer: name }: Fields): void {
    if (core === "vkBeginCommandBuffer") this.#begun.delete(name);
    else if (BEGINS.test(core)) {
      if (this.#begun.has(name)) throw new TypeError(`${name} has begun a pass before; end that first`);
      this.#begun.add(name);
    } else if (ENDS.test(core) && !this.#begun.delete(name)) {
      throw new TypeError(`${name} has begun no pass; begin one before`);
    }
  }

  /** Forgets a command buffer that was freed. */
  forget(name: string): void {
    this.#begun.delete(name);
  }
}
