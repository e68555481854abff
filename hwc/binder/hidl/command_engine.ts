import { ERROR } from "../../types.ts";
import { codeOf } from "../errors.ts";
import type { NativeHandle } from "../parcel/hidl/parcel.ts";
import type { QueueDescriptor } from "../parcel/hidl/types.ts";
import { closeHandle } from "../served/buffer_slots.ts";
import type { ServedClient } from "../served/client.ts";
import { execute } from "../served/execute.ts";
import { decodeCommands } from "./decode_commands.ts";
import { encodeResults } from "./results.ts";
import { WordQueue } from "./word_queue.ts";

/** The answer of executeCommands: error, whether the queue is another, words, and handles. */
type Executed = [number, boolean, number, readonly NativeHandle[]];

/** Words that an output queue has at first. */
const ROOM = 1 << 14;

/** The commands of a client: read from its queue, done, and answered in a queue of our own. */
export class CommandEngine {
  readonly #client: ServedClient;
  readonly #version: string;
  readonly #log: (message: string) => void;
  #input: WordQueue | undefined;
  #output: WordQueue | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** Without queues at first. */
  constructor(client: ServedClient, version: string, log: (message: string) => void) {
    this.#client = client;
    this.#version = version;
    this.#log = log;
  }

  /** Attaches to the client's queue. Consumes its handle. */
  setInput(descriptor: QueueDescriptor): [number] {
    try {
      const queue = WordQueue.attach(descriptor);
      this.#input?.close();
      this.#input = queue;
      return [ERROR.NONE];
    } catch (error) {
      this.#log(`The client's queue cannot be used: ${error}`);
      return [ERROR.BAD_PARAMETER];
    }
  }

  /** The queue with the results. */
  getOutput(): [number, QueueDescriptor] {
    return [ERROR.NONE, (this.#output ??= WordQueue.create(ROOM)).describe()];
  }

  /** Does the commands that wait in the client's queue. Batches are done one after another. */
  execute(count: number, handles: readonly (NativeHandle | null)[]): Promise<Executed> {
    const run = () => this.#execute(count, handles.map((handle) => handle ?? { fds: [], ints: [] }));
    const done = this.#last.then(run).finally(() => handles.forEach(closeHandle));
    this.#last = done.catch(() => {});
    return done;
  }

  /** Unmaps the queues. */
  close(): void {
    this.#input?.close();
    this.#output?.close();
    this.#input = this.#output = undefined;
  }

  async #execute(count: number, handles: readonly NativeHandle[]): Promise<Executed> {
    const words = this.#input?.read(count);
    if (!words) return this.#failed(`the client's queue does not have ${count} words`);
    const { commands, places, malformed } = decodeCommands(words, handles);
    const results = await execute(this.#client, commands, this.#log);
    try {
      const answer = encodeResults(results, places, this.#version);
      if (malformed !== undefined) {
        answer.handles.forEach(closeHandle);
        return this.#failed(malformed);
      }
      const isOther = this.#makeRoom(answer.length);
      this.#output!.write(answer.take());
      return [ERROR.NONE, isOther, answer.length, answer.handles];
    } catch (error) {
      return this.#failed(`the results cannot be told: ${error}`, codeOf(error));
    }
  }

  /** Whether there is another queue now. */
  #makeRoom(words: number): boolean {
    if (this.#output && this.#output.size >= words) return false;
    this.#output?.close();
    this.#output = WordQueue.create(Math.max(ROOM, 2 * words));
    return true;
  }

  #failed(sentence: string, code: number = ERROR.BAD_PARAMETER): Executed {
    this.#log(`Commands failed: ${sentence}`);
    return [code, false, 0, []];
  }
}
