import { fenceWorker } from "../../../wsi/fence/fence_worker.ts";
import { CALLBACK } from "../../device_types.ts";
import type { Message } from "../wire/channel.ts";
import type { Connection } from "./connection.ts";
import { INT } from "../wire/codec.ts";
import { eventShape } from "../commands.ts";
import { Reader } from "../wire/reader.ts";
import { BadMessage } from "../wire/wire.ts";

type Listener = (...args: unknown[]) => void;

interface Event {
  readonly descriptor: number;
  /** The display, and what else. */
  readonly args: readonly unknown[];
}

/**
 * The client's callbacks. Events that come while this thread waits for an
 * answer are delivered a moment later; others, when the event loop hears of
 * them. With a listener, the process waits for callbacks.
 */
export class Listeners {
  readonly #listeners = new Map<number, Listener>();
  #events: Event[] = [];
  #isTelling = false;
  #watching: AbortController | undefined;
  #ended: Promise<void> = Promise.resolve();

  /** Resolves when nothing waits any more, if nobody listens. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Sets a callback; `null` removes it. */
  set(descriptor: number, listener: Listener | null): void {
    if (listener) this.#listeners.set(descriptor, listener);
    else this.#listeners.delete(descriptor);
  }

  /** Returns the current callback. */
  get(descriptor: number): Listener | null {
    return this.#listeners.get(descriptor) ?? null;
  }

  /** Takes a callback in. Throws {@linkcode BadMessage}. */
  heard({ bytes, fds }: Message): void {
    const reader = new Reader(bytes, fds);
    try {
      const descriptor = INT.read(reader), shape = eventShape(descriptor);
      if (!shape) throw new BadMessage(`there is no callback ${descriptor}`);
      this.#events.push({ descriptor, args: shape.map((codec) => codec.read(reader)) });
      reader.end();
    } finally {
      reader.close();
    }
    if (!this.#isTelling) queueMicrotask(() => this.tell());
    this.#isTelling = true;
  }

  /** Tells what has come, in its order. One who throws does not keep it from others. */
  tell(): void {
    this.#isTelling = false;
    for (let event = this.#events.shift(); event; event = this.#events.shift()) {
      const { descriptor, args } = event;
      try {
        this.#listeners.get(descriptor)?.(...args);
      } catch (error) {
        reportError(error);
      }
    }
  }

  /** No vsync of a display is told any more. */
  dropVsyncs(display: bigint): void {
    const isVsync = ({ descriptor, args }: Event) =>
      (descriptor === CALLBACK.VSYNC || descriptor === CALLBACK.VSYNC_2_4) && args[0] === display;
    this.#events = this.#events.filter((event) => !isVsync(event));
  }

  /** Listens as long as there is somebody to be told. */
  watch(connection: Connection): void {
    const isWanted = this.#listeners.size > 0 && connection.isOpen;
    if (isWanted === (this.#watching !== undefined)) return;
    if (!isWanted) return this.#stop();
    this.#watching = new AbortController();
    const listening = this.#listen(connection, this.#watching.signal).catch((error) => connection.end(String(error)));
    this.#ended = Promise.all([this.#ended, listening]).then(() => {});
  }

  /** Removes all callbacks. */
  close(): void {
    this.#listeners.clear();
    this.#events = [];
    this.#stop();
  }

  #stop(): void {
    this.#watching?.abort();
    this.#watching = undefined;
  }

  async #listen(connection: Connection, signal: AbortSignal): Promise<void> {
    while (connection.isOpen && !signal.aborted) {
      await fenceWorker().whenReadable(connection.fd, signal);
      if (!signal.aborted) connection.hear();
    }
  }
}
