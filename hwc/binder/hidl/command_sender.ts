import { closeDescriptor } from "../../../ffi/file/file_descriptor.ts";
import type { DisplaySettings } from "../connected/command_queue.ts";
import type { CommandResultPayload } from "../gen/composer3_gen.ts";
import type { IComposerClientMethods } from "../gen/composer_hidl_gen.ts";
import type { HidlClient } from "../parcel/hidl/client.ts";
import type { NativeHandle } from "../parcel/hidl/parcel.ts";
import { closeHandle } from "../served/buffer_slots.ts";
import { failWith, STATUS } from "../status.ts";
import { encodeCommands } from "./encode_commands.ts";
import { decodeResults } from "./results.ts";
import type { Asking } from "./service.ts";
import { WordQueue } from "./word_queue.ts";
import type { WordWriter } from "./words.ts";

/** Words that an input queue has at first. */
const ROOM = 1 << 14;

/** Sends a client's commands by its queue, and reads what a service answers in the service's. */
export class CommandSender {
  readonly #service: HidlClient<IComposerClientMethods>;
  readonly #ask: Asking;
  readonly #version: string;
  #input: WordQueue | undefined;
  #output: WordQueue | undefined;

  /** Without queues at first. */
  constructor(service: HidlClient<IComposerClientMethods>, ask: Asking, version: string) {
    this.#service = service;
    this.#ask = ask;
    this.#version = version;
  }

  /** Has a batch of settings done. */
  async send(commands: readonly DisplaySettings[]): Promise<readonly CommandResultPayload[]> {
    const { writer, owners } = encodeCommands(commands, this.#version);
    await this.#write(writer);
    const [isOther, count, handles] = await this.#ask("executeCommands", writer.length, writer.handles) as [
      boolean,
      number,
      readonly (NativeHandle | null)[],
    ];
    try {
      if (isOther) await this.#attachOutput();
      if (count === 0) return [];
      const words = this.#output?.read(count) ??
        failWith(STATUS.BAD_VALUE, `the service's queue has no ${count} words`);
      return decodeResults(words, handles.map((handle) => handle ?? { fds: [], ints: [] }), owners);
    } finally {
      handles.forEach(closeHandle); // the results have copies
    }
  }

  /** Unmaps the queues. */
  close(): void {
    this.#input?.close();
    this.#output?.close();
    this.#input = this.#output = undefined;
  }

  async #write(writer: WordWriter): Promise<void> {
    const words = writer.take();
    if (this.#input?.write(words)) return;
    this.#input?.close();
    this.#input = WordQueue.create(Math.max(ROOM, 2 * words.length));
    const descriptor = this.#input.describe();
    try {
      await this.#ask("setInputCommandQueue", descriptor);
    } finally {
      for (const fd of descriptor.handle!.fds) closeDescriptor(fd);
    }
    this.#input.write(words);
  }

  async #attachOutput(): Promise<void> {
    const [error, descriptor] = await this.#service.getOutputCommandQueue();
    if (error !== 0) failWith(STATUS.BAD_VALUE, `the service gives no queue: error ${error}`);
    this.#output?.close();
    this.#output = WordQueue.attach(descriptor);
  }
}
