/**
 * The state of a recorded program at a line, for everybody who follows a recording:
 *
 * ```text
 * lines ──note()──┬─> resources    objects alive, their creating lines, owners and facts
 *                 ├─> bindings     the memory of buffers and images
 *                 ├─> descriptors  the resources that sets refer to
 *                 ├─> lists        the commands of command buffers
 *                 └─> flow         work that can go, work that waits; fences, semaphores, events
 * submissions ──submit()──> each command with the state before it; layouts of images; queries
 * ```
 *
 * `compare` looks for the first command that differs, `reduce` asks whether smaller recordings can run, `trim` brings a
 * state back, `script` writes programs. A replay's check asks `Objects` and `Flow` alone, which keep no commands.
 *
 * @module
 */
import type { RecordedCall, RecordedLine } from "../record/line.ts";
import { commandBuffersIn, coreName } from "../record/commands.ts";
import { Descriptors } from "./descriptors.ts";
import { type LayoutChange, layoutChanges, type Scene, type Write, writesOf } from "./effects.ts";
import { lineNumber } from "../replay/recording_file.ts";
import { Flow } from "./flow.ts";
import { MemoryBindings } from "./memory_bindings.ts";
import { Queries } from "./queries.ts";
import { type ImageFacts, Resources } from "./resources.ts";
import { CommandState } from "./state.ts";

/** The layouts of images by level and layer, as the executed commands left them. */
class Layouts {
  readonly #images = new Map<string, { readonly layers: number; readonly layouts: number[] }>();

  /** Notes a new image. */
  add(name: string, { mipLevels, arrayLayers, initialLayout }: ImageFacts): void {
    const layouts = Array.from({ length: mipLevels * arrayLayers }, () => initialLayout);
    this.#images.set(name, { layers: arrayLayers, layouts });
  }

  /** Notes an image's end. */
  remove(name: string): void {
    this.#images.delete(name);
  }

  /** Notes what a command changed. */
  change({ part, newLayout }: LayoutChange): void {
    const { baseMipLevel, levelCount, baseArrayLayer, layerCount } = part, known = this.#images.get(part.image);
    if (!known) return;
    for (let level = baseMipLevel; level < baseMipLevel + levelCount; level++) {
      for (let layer = baseArrayLayer; layer < baseArrayLayer + layerCount; layer++) {
        if (layer < known.layers) known.layouts[level * known.layers + layer] = newLayout;
      }
    }
  }

  /** Returns the VkImageLayout of a level and layer; undefined for an unknown image. */
  of(name: string, level: number, layer: number): number | undefined {
    const known = this.#images.get(name);
    return known?.layouts[level * known.layers + layer];
  }
}

/** A recorded command in a command buffer. */
export interface Step {
  /** Index of its line in the recording, from 0. */
  readonly index: number;
  /** The call. */
  readonly call: RecordedCall;
}

/** The contents of a command buffer. */
export interface CommandList {
  /** The commands, from vkBeginCommandBuffer to vkEndCommandBuffer. */
  readonly steps: Step[];
  /** Whether the command buffer was submitted, or executed by a submitted one, since it was begun. */
  wasSubmitted: boolean;
}

/** A command as a submission executes it. */
export interface Executed extends Step {
  /** The command buffers: that of the submission, and a secondary one that has the command. */
  readonly within: readonly string[];
  /** The state before the command. */
  readonly scene: Scene;
}

/**
 * Follows a recording line by line: its objects, the contents of command buffers, the writes of submissions, the
 * layouts of images, the queries, and the fences, semaphores and events. Whoever asks for the state at a line asks here.
 */
export class StateTracker {
  /** The living objects. */
  readonly resources: Resources = new Resources();
  /** The resources that descriptor sets refer to. */
  readonly descriptors: Descriptors = new Descriptors();
  /** The places of buffers and images in memory. */
  readonly bindings: MemoryBindings = new MemoryBindings();
  /** The layouts of images after the submissions so far. */
  readonly layouts: Layouts = new Layouts();
  /** The queries that were reset, begun or answered by the submissions so far. */
  readonly queries: Queries = new Queries();
  /** The work that went to the device, and the fences, semaphores and events when all of that is done. */
  readonly flow: Flow = new Flow();
  /** The contents of command buffers. */
  readonly lists: Map<string, CommandList> = new Map();

  /**
   * Notes a line, and returns the names of the objects that ended. A submission is noted by {@linkcode submit}, too.
   */
  note(index: number, line: RecordedLine): readonly string[] {
    if (!("command" in line)) return [];
    const core = coreName(line.command);
    this.flow.follow(line, lineNumber(index));
    if (core === "vkBeginCommandBuffer") this.lists.set(line.args.commandBuffer, { steps: [], wasSubmitted: false });
    if (/^vk(Cmd|BeginCommandBuffer|EndCommandBuffer)/.test(core)) {
      this.lists.get(line.args.commandBuffer)?.steps.push({ index, call: line });
      return [];
    }
    const ended = this.resources.note(line, index);
    for (const each of ended) {
      this.lists.delete(each);
      this.descriptors.remove(each);
      this.layouts.remove(each);
      this.bindings.forget(each);
      this.queries.forget(each);
      this.flow.forget(each);
    }
    this.descriptors.note(line);
    this.#noteImages(line);
    if (core === "vkResetQueryPool") this.queries.note(line);
    if (/^vkBind(Buffer|Image)Memory2?$/.test(core)) this.#noteBindings(line.args);
    return ended;
  }

  /** Carries out a submission. Returns what it writes. Each command is given to `visit` before it is carried out. */
  submit(call: RecordedCall, visit?: (executed: Executed) => void): Write[] {
    const writes: Write[] = [];
    for (const each of this.executed(call)) {
      visit?.(each);
      writes.push(...writesOf(each.call, each.scene));
      for (const change of layoutChanges(each.call, each.scene)) this.layouts.change(change);
      this.queries.note(each.call, this.resources, each.scene.state.pass);
    }
    for (const each of this.buffersOf(call)) {
      const list = this.lists.get(each);
      if (list) list.wasSubmitted = true;
    }
    return writes;
  }

  /**
   * Returns the commands of a submission in the order in which they are carried out.
   *
   * @throws {TypeError} at a command buffer that executes itself.
   */
  *executed(call: RecordedCall): Generator<Executed> {
    for (const name of commandBuffersIn(call)) yield* this.#walk([name]);
  }

  /** Returns the commands of one command buffer, submitted or not, without those of secondary ones. */
  *recorded(name: string): Generator<Executed> {
    const state = new CommandState(), { resources, descriptors } = this;
    for (const step of this.lists.get(name)?.steps ?? []) {
      yield { ...step, within: [name], scene: { resources, descriptors, state } };
      state.note(step.call);
    }
  }

  /**
   * Returns all command buffers of a submission, with those that they execute.
   *
   * @throws {TypeError} if a command buffer executes itself.
   */
  buffersOf(call: RecordedCall): string[] {
    return commandBuffersIn(call).flatMap((name) => this.#buffers([name]));
  }

  #buffers(within: readonly string[]): string[] {
    const name = newest(within), steps = this.lists.get(name)?.steps ?? [];
    return [name, ...steps.flatMap(({ call }) => executedBy(call)).flatMap((each) => this.#buffers([...within, each]))];
  }

  *#walk(within: readonly string[], outer?: CommandState): Generator<Executed> {
    const state = new CommandState(outer), { resources, descriptors } = this;
    for (const step of this.lists.get(newest(within))?.steps ?? []) {
      for (const each of executedBy(step.call)) yield* this.#walk([...within, each], state);
      yield { ...step, within, scene: { resources, descriptors, state } };
      state.note(step.call);
    }
  }

  #noteBindings({ pBindInfos, ...one }: RecordedCall["args"]): void {
    for (const info of pBindInfos ?? [one]) {
      if (info.image) this.bindings.bindImage(info);
      else this.bindings.bind(info, Number(this.resources.info(info.buffer)?.size ?? 0));
    }
  }

  #noteImages({ out, command }: RecordedCall): void {
    const made: string[] = command === "vkCreateImage"
      ? [out?.pImage]
      : command === "vkGetSwapchainImagesKHR"
      ? out?.pSwapchainImages ?? []
      : [];
    for (const name of made) {
      const facts = this.resources.image(name);
      if (facts && this.layouts.of(name, 0, 0) === undefined) this.layouts.add(name, facts);
    }
  }
}

/** Returns the command buffers that a command executes. */
function executedBy({ command, args }: RecordedCall): readonly string[] {
  return command === "vkCmdExecuteCommands" ? args.pCommandBuffers : [];
}

/** Returns the last of the command buffers that execute each other. Throws a `TypeError` if that is one of the others. */
function newest(within: readonly string[]): string {
  const name = within.at(-1)!;
  if (within.indexOf(name) === within.length - 1) return name;
  throw new TypeError(`${name} executes itself; edit what it executes`);
}
