import { VK_PHYSICAL_DEVICE_TYPE_CPU } from "../../../../loader/gen/enums_core_gen.js";
import { coreName } from "../../record/commands.ts";
import type { RecordedCall } from "../../record/line.ts";
import type { Session } from "../../replay/session.ts";
import { layoutChanges } from "../../state_tracker/effects.ts";
import { Queries } from "../../state_tracker/queries.ts";
import type { StateTracker } from "../../state_tracker/state_tracker.ts";

/**
 * The contents of all memory and the layouts of images before a submission, so that the submission can be carried out
 * again and again. Only where images are plain bytes for the host: on devices that are the processor itself.
 */
export class KeptState implements Disposable {
  /** The reason why a submission cannot be carried out again; `undefined` if it can. */
  readonly reasonAgainst: string | undefined;
  readonly #owned = new DisposableStack();
  readonly #restores: (() => void)[] = [];

  /** Copies what a submission may change. All earlier work must be done. */
  constructor(session: Session, tracker: StateTracker, submission: RecordedCall) {
    this.reasonAgainst = this.#keepMemory(session, submission) ?? stateOf(tracker, submission);
    if (this.reasonAgainst === undefined) this.#keepLayouts(tracker, submission);
  }

  /** Brings everything back. All work must be done. */
  restore(): void {
    for (const restore of this.#restores) restore();
  }

  /** Frees the copies. */
  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }

  #keepMemory(session: Session, { args: { queue } }: RecordedCall): string | undefined {
    const device = session.deviceOf(queue), place = device === undefined ? undefined : session.place(device);
    if (place?.gpu.vkGetPhysicalDeviceProperties().deviceType !== VK_PHYSICAL_DEVICE_TYPE_CPU) {
      return "the device has memory of its own";
    }
    const swapchains = [...session.swapchains.values()].flatMap(({ memories }) => memories);
    for (const memory of [...session.memories.values(), ...swapchains]) {
      const restore = memory.keepIn(this.#owned);
      if (!restore) return "the host cannot see all memory";
      this.#restores.push(restore);
    }
  }

  #keepLayouts(tracker: StateTracker, submission: RecordedCall): void {
    const { layouts } = tracker, images = new Set<string>();
    for (const each of tracker.executed(submission)) {
      for (const { part } of layoutChanges(each.call, each.scene)) images.add(part.image);
    }
    for (const image of images) {
      const { mipLevels, arrayLayers } = tracker.resources.image(image) ?? { mipLevels: 0, arrayLayers: 0 };
      for (let at = 0; at < mipLevels * arrayLayers; at++) {
        const baseMipLevel = Math.floor(at / arrayLayers), baseArrayLayer = at % arrayLayers;
        const oldLayout = layouts.of(image, baseMipLevel, baseArrayLayer)!;
        const part = { image, aspectMask: ~0, baseMipLevel, levelCount: 1, baseArrayLayer, layerCount: 1 };
        this.#restores.push(() => layouts.change({ part, oldLayout, newLayout: oldLayout }));
      }
    }
  }
}

/** Returns why a submission with the same memory before would not do the same: events and queries are no memory. */
function stateOf(tracker: StateTracker, submission: RecordedCall): string | undefined {
  const queries = new Queries();
  for (const { call } of tracker.executed(submission)) {
    const core = coreName(call.command);
    if (/^vkCmd(Set|Reset|Wait)Events?2?$/.test(core)) return "the submission uses events";
    if (core === "vkCmdResetQueryPool") queries.note(call);
    else if (!queries.knowsAll(call)) return "the submission uses queries that it does not reset";
  }
}
