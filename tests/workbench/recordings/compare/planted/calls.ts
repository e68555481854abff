import type { Hook, Raw } from "./raw_arguments.ts";
import { keyOf, type Place } from "./fault.ts";

/** VkBufferUsageFlags of buffers with which replays read contents: they give all others more. */
const READERS_USAGES = [0x2, 0x22];
/** Barriers of replays that clear what a specification leaves undefined: stages and accesses of both sides. */
const ALL_COMMANDS = 0x10000, ALL_ACCESS = 0x18000;

/**
 * Numbers the calls of a replay as its recording has them: what a replay does
 * on its own, to read contents or to clear them, does not count.
 */
export class Calls {
  readonly #buffers = new Map<bigint, number>();
  readonly #counts = new Map<string, number>();
  /** The buffers with which the replay is reading contents: while there are any, all calls are its own. */
  readonly #readers = new Set<bigint>();
  /** Command buffers in which the replay clears an image, between two barriers. */
  readonly #clearing = new Map<bigint, "begun" | "cleared">();
  #allocated = 0;

  /** Notes that a buffer was created. */
  bufferCreated(self: Hook, raw: Raw): void {
    if (READERS_USAGES.includes(self.read("VkBufferCreateInfo", raw[1]).usage)) this.#readers.add(self.u64(raw[3]));
  }

  /** Notes that a buffer is destroyed. */
  bufferDestroyed(raw: Raw): void {
    this.#readers.delete(raw[1]);
  }

  /** Notes that command buffers were allocated. */
  allocated(self: Hook, raw: Raw): void {
    if (this.#readers.size > 0) return;
    const { commandBufferCount } = self.read("VkCommandBufferAllocateInfo", raw[1]);
    for (const each of self.handles(raw[2], commandBufferCount)) this.#buffers.set(each, this.#allocated++);
  }

  /** Returns which call of the recording a call is; undefined for one of the replay itself. */
  placeOf(self: Hook, command: string, raw: Raw): Place | undefined {
    if (this.#readers.size > 0) return undefined;
    const place = command.startsWith("vkCmd") ? this.#recorded(self, command, raw) : { command };
    if (!place) return undefined;
    const key = keyOf({ ...place, nth: 0 }), nth = this.#counts.get(key) ?? 0;
    this.#counts.set(key, nth + 1);
    return { ...place, nth };
  }

  #recorded(self: Hook, command: string, raw: Raw): Omit<Place, "nth"> | undefined {
    const buffer = this.#buffers.get(raw[0]);
    if (buffer === undefined) return undefined;
    return this.#clears(self, command, raw) ? undefined : { command, buffer };
  }

  /** Whether a command is one of the three with which a replay clears an image. */
  #clears(self: Hook, command: string, raw: Raw): boolean {
    const step = this.#clearing.get(raw[0]);
    if (command === "vkCmdPipelineBarrier" && isForClearing(self, raw)) {
      if (step) this.#clearing.delete(raw[0]);
      else this.#clearing.set(raw[0], "begun");
      return true;
    }
    if (step !== "begun" || !/Clear(Color|DepthStencil)Image/.test(command)) return false;
    this.#clearing.set(raw[0], "cleared");
    return true;
  }
}

function isForClearing(self: Hook, raw: Raw): boolean {
  if (raw[1] !== ALL_COMMANDS || raw[2] !== ALL_COMMANDS || raw[8] !== 1) return false;
  const { srcAccessMask, dstAccessMask } = self.read("VkImageMemoryBarrier", raw[9]);
  return srcAccessMask === ALL_ACCESS && dstAccessMask === ALL_ACCESS;
}
