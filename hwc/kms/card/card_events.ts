import { inFrame } from "../../../ffi/arena.ts";
import { pollDescriptor, readInto } from "../../../ffi/file/file_descriptor.ts";
import { WsiError } from "../../../wsi/error.ts";
import { Readiness } from "../../../wsi/fence/readiness.ts";
import type { OpenCard } from "./card.ts";

/** `struct drm_event` and `struct drm_event_vblank` of `drm.h`. */
const EVENT = { type: 0, length: 4, user: 8, seconds: 16, microseconds: 20 };
const FLIP_COMPLETE = 2, ROOM = 4096;
const SECOND = 1_000_000_000n, MICROSECOND = 1000n;

/** Tells the flips of a card's CRTCs: when, in nanoseconds of CLOCK_MONOTONIC. */
export class CardEvents {
  readonly #card: OpenCard;
  readonly #readiness = new Readiness();
  readonly #waiting = new Map<bigint, { flipped: (time: bigint) => void; wake: () => void }>();
  #next = 1n;
  #isListening = false;

  /** Listens only while a flip is awaited. */
  constructor(card: OpenCard) {
    this.#card = card;
  }

  /**
   * Awaits a flip. Returns the number for the commit, which comes back with the event. `wake` is called when something
   * can be read; whoever is woken calls {@linkcode CardEvents.read}.
   */
  await(flipped: (time: bigint) => void, wake: () => void): bigint {
    const user = this.#next++;
    this.#waiting.set(user, { flipped, wake });
    void this.#listen();
    return user;
  }

  /** Awaits a flip no longer. */
  forget(user: bigint): void {
    this.#waiting.delete(user);
  }

  /** Reads what is there, without waiting. */
  read(): void {
    while (this.#waiting.size > 0 && pollDescriptor(this.#card.fd, 0)) {
      for (const { user, time } of readEvents(this.#card.fd)) {
        const { flipped } = this.#waiting.get(user) ?? {};
        this.#waiting.delete(user);
        flipped?.(time);
      }
    }
  }

  /** Awaits nothing any more. Resolves when no thread listens any more. */
  close(): Promise<void> {
    this.#waiting.clear();
    this.#readiness.close();
    return this.#readiness.ended;
  }

  async #listen(): Promise<void> {
    if (this.#isListening) return;
    this.#isListening = true;
    try {
      while (this.#waiting.size > 0) {
        await this.#readiness.whenReadable(this.#card.fd);
        const woken = new Set([...this.#waiting.values()].map(({ wake }) => wake));
        for (const wake of woken) wake();
      }
    } catch (error) {
      if (!(error instanceof WsiError)) throw error; // the card was closed
    } finally {
      this.#isListening = false;
    }
  }
}

function readEvents(fd: number): { user: bigint; time: bigint }[] {
  return inFrame((memory) => {
    const at = memory.alloc(ROOM), size = readInto(fd, at, ROOM), events = [], { view } = memory;
    for (let event = at; event < at + size; event += view.getUint32(event + EVENT.length, true)) {
      if (view.getUint32(event + EVENT.type, true) !== FLIP_COMPLETE) continue;
      const seconds = view.getUint32(event + EVENT.seconds, true);
      const microseconds = view.getUint32(event + EVENT.microseconds, true);
      const time = BigInt(seconds) * SECOND + BigInt(microseconds) * MICROSECOND;
      events.push({ user: view.getBigUint64(event + EVENT.user, true), time });
    }
    return events;
  });
}
