import {
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_COMMAND_BUFFER_LEVEL_SECONDARY,
  VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
} from "../../loader/gen/enums_core_gen.js";
import { STAGE } from "./bits.ts";
import { chance } from "./choices.ts";
import type { Draft } from "./draft.ts";
import { type Arguments, DEVICE, QUEUE } from "./writer.ts";

/** The command buffers of a program, and the order in which they are submitted. */
export class Submissions {
  readonly #draft: Draft;
  readonly #pool: string;
  /** The semaphore that the next submission waits for. */
  #semaphore: string | undefined;

  /** Creates the command pool. */
  constructor(draft: Draft) {
    this.#draft = draft;
    this.#pool = draft.writer.create("VkCommandPool", { queueFamilyIndex: 0, flags: 0 });
  }

  /** Begins a command buffer for the queue. */
  begin(): void {
    this.#draft.writer.commandBuffer = this.#allocate(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    this.#draft.writer.command("vkBeginCommandBuffer", {
      pBeginInfo: { flags: VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT },
    });
  }

  /** Ends the command buffer and submits it. */
  submit(isLast: boolean): void {
    const { writer, choices } = this.#draft, { commandBuffer } = writer;
    writer.command("vkEndCommandBuffer");
    const waited = this.#semaphore, waits = isLast || chance(choices, 40);
    this.#semaphore = !isLast && chance(choices, 50) ? writer.create("VkSemaphore", {}) : undefined;
    const submit: Arguments = { pCommandBuffers: [commandBuffer] };
    if (waited) Object.assign(submit, { pWaitSemaphores: [waited], pWaitDstStageMask: [STAGE.all] });
    if (this.#semaphore) Object.assign(submit, { pSignalSemaphores: [this.#semaphore] });
    const fence = waits ? writer.create("VkFence", {}) : undefined;
    writer.call("vkQueueSubmit", { queue: QUEUE, pSubmits: [submit], ...fence && { fence } });
    if (fence) writer.call("vkWaitForFences", { device: DEVICE, pFences: [fence], waitAll: true, timeout: 1e11 });
  }

  /** Writes commands into a secondary command buffer, and executes it. */
  inSecondary(inheritance: Arguments, flags: number, write: () => void): void {
    const { writer } = this.#draft,
      primary = writer.commandBuffer,
      secondary = this.#allocate(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    writer.commandBuffer = secondary;
    this.#draft.isSecondary = true;
    writer.command("vkBeginCommandBuffer", { pBeginInfo: { flags, pInheritanceInfo: inheritance } });
    write();
    writer.command("vkEndCommandBuffer");
    this.#draft.isSecondary = false;
    writer.commandBuffer = primary;
    writer.command("vkCmdExecuteCommands", { pCommandBuffers: [secondary] });
  }

  #allocate(level: number): string {
    const { writer } = this.#draft, name = writer.name("VkCommandBuffer");
    const pAllocateInfo = { commandPool: this.#pool, level, commandBufferCount: 1 };
    writer.call("vkAllocateCommandBuffers", { device: DEVICE, pAllocateInfo }, { pCommandBuffers: [name] });
    return name;
  }
}
