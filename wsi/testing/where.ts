import { defineLayer } from "../../loader/layers/define/define_layer.ts";
import { commandNames } from "../../loader/layers/define/handle_types.ts";
import type { Layer } from "../../loader/layer.ts";

/** Commands that may take long, or for ever, and those in which drivers crash: what is noted before them. */
const NOTED = [
  "vkCreateDevice",
  "vkCreateShaderModule",
  "vkCreateComputePipelines",
  "vkCreateGraphicsPipelines",
  "vkCreateRayTracingPipelinesKHR",
  "vkAllocateMemory",
  "vkQueueSubmit",
  "vkQueueSubmit2",
  "vkQueueSubmit2KHR",
  "vkQueueBindSparse",
  "vkQueuePresentKHR",
  "vkQueueWaitIdle",
  "vkDeviceWaitIdle",
  "vkWaitForFences",
  "vkWaitSemaphores",
  "vkWaitSemaphoresKHR",
  "vkGetQueryPoolResults",
  "vkAcquireNextImageKHR",
  "vkAcquireNextImage2KHR",
  "vkDestroyDevice",
  "vkDestroyInstance",
];
/** What is noted while no noted command runs. */
export const IN_TEST = "in the test itself";
/** What stands before all that is noted since the test began. */
const BEGUN = "+";
/** What a note is padded to, so that a longer one before leaves nothing. */
const LENGTH = 64;

/** Keeps a file up to date with where a test is, for whoever has to say where it hung or crashed. */
export class Where implements Disposable {
  readonly #file: Deno.FsFile;
  readonly #encoder = new TextEncoder();
  #resting = "opening the driver";

  /** Begins a file. */
  constructor(path: string) {
    this.#file = Deno.openSync(path, { write: true, create: true, truncate: true });
    this.note(this.#resting);
  }

  /** The driver is open: from here on the time is the test's. */
  begin(): void {
    this.#resting = IN_TEST;
    this.note(IN_TEST);
  }

  /** Notes it: a few words behind "it was". */
  note(words: string): void {
    this.#file.seekSync(0, Deno.SeekMode.Start);
    this.#file.writeSync(this.#encoder.encode(`${this.#resting === IN_TEST ? BEGUN : "-"}${words}`.padEnd(LENGTH)));
  }

  /** A layer that notes commands: those that may take long, or all. */
  layer(all = false): Layer {
    const hook = (command: string) => (next: (...args: unknown[]) => unknown, ...args: unknown[]) => {
      this.note(`in ${command}`);
      const result = next(...args);
      this.note(this.#resting);
      return result;
    };
    const noted = all ? commandNames() : NOTED;
    const commands = Object.fromEntries(noted.map((command) => [command, hook(command)]));
    return defineLayer({ name: "VK_LAYER_PUMICE_where", commands: commands as Layer["commands"] });
  }

  /** Closes the file. */
  [Symbol.dispose](): void {
    this.#file.close();
  }
}

/** A note. */
export interface Noted {
  /** Whether the test had begun: before that the driver is opened. */
  readonly begun: boolean;
  /** Where it was. */
  readonly words: string;
}

/** What was noted last. */
export function readWhere(path: string): Noted {
  let text = "";
  try {
    text = Deno.readTextFileSync(path).trim();
  } catch {
    // the process has not come so far
  }
  return { begun: text.startsWith(BEGUN), words: text.slice(1) || "loading the test's file" };
}
