import { inFrame } from "../../../ffi/arena.ts";
import { closeDescriptor, lastError, pollDescriptor, readInto } from "../../../ffi/file/file_descriptor.ts";
import { callLibc } from "../../../ffi/invoke.ts";
import { WsiError } from "../../../wsi/error.ts";
import { Readiness } from "../../../wsi/fence/readiness.ts";
import type { OpenCard } from "./card.ts";

/** `struct drm_event`, `struct drm_event_vblank` and `struct drm_event_crtc_sequence` of `drm.h`. */
const EVENT = { type: 0, length: 4, user: 8, seconds: 16, microseconds: 20, nanoseconds: 16 };
const FLIP_COMPLETE = 2, CRTC_SEQUENCE = 3, ROOM = 4096;
/** `DRM_CRTC_SEQUENCE_RELATIVE` and `DRM_CRTC_SEQUENCE_NEXT_ON_MISS`. */
const NEXT = 1 | 2;
const EOPNOTSUPP = 95;
const SECOND = 1_000_000_000n, MICROSECOND = 1000n;

/** Tells the flips and vsyncs of a card's CRTCs: when, in nanoseconds of CLOCK_MONOTONIC. */
export class CardEvents {
  readonly #card: OpenCard;
  readonly #readiness = new Readiness();
  readonly #waiting = new Map<bigint, { happened: (time: bigint) => void; wake: () => void }>();
  #next = 1n;
  #isListening = false;
  #hasVsyncs = true;

  /** Listens only while a flip or a vsync is awaited. */
  constructor(card: OpenCard) {
    this.#card = card;
  }

  /**
   * Awaits a flip. Returns the number for the commit, which comes back with the event. `wake` is called when something
   * can be read; whoever is woken calls {@linkcode CardEvents.read}.
   */
  await(happened: (time: bigint) => void, wake: () => void): bigint {
    const user = this.#next++;
    this.#waiting.set(user, { happened, wake });
    void this.#listen();
    return user;
  }

  /** Awaits the next vsync of a CRTC. Returns `false` if the card tells none, or not while the CRTC is off. */
  awaitVsync(crtc: number, happened: (time: bigint) => void): boolean {
    if (!this.#hasVsyncs) return false;
    const { drm, fd } = this.#card, user = this.await(happened, () => this.read());
    if (drm.int("drmCrtcQueueSequence", fd, crtc, NEXT, 1n, 0n, user) === 0) return true;
    this.#hasVsyncs = lastError() !== EOPNOTSUPP;
    this.forget(user);
    return false;
  }

  /** Awaits a flip no longer. */
  forget(user: bigint): void {
    this.#waiting.delete(user);
  }

  /** Reads what is there, without waiting. */
  read(): void {
    while (this.#waiting.size > 0 && pollDescriptor(this.#card.fd, 0)) {
      for (const { user, time } of readEvents(this.#card.fd)) {
        const { happened } = this.#waiting.get(user) ?? {};
        this.#waiting.delete(user);
        happened?.(time);
      }
    }
  }

  /** Awaits nothing any more. Resolves when no thread listens any more. */
  close(): Promise<void> {
    this.#waiting.clear();
    this.#readiness.close();
    return this.#readiness.ended;
  }

  /** Waits for events; `false` once the card was closed. */
  async #isReadable(): Promise<boolean> {
    try {
      await this.#readiness.whenReadable(this.#card.fd);
      return true;
    } catch (error) {
      if (error instanceof WsiError) return false;
      throw error;
    }
  }

  async #listen(): Promise<void> {
    if (this.#isListening) return;
    this.#isListening = true;
    try {
      while (this.#waiting.size > 0 && await this.#isReadable()) {
        const woken = new Set([...this.#waiting.values()].map(({ wake }) => wake));
        for (const wake of woken) wake();
      }
    } finally {
      this.#isListening = false;
    }
  }
}

function readEvents(fd: number): { user: bigint; time: bigint }[] {
  return inFrame((memory) => {
    const at = memory.alloc(ROOM), size = readInto(fd, at, ROOM), events = [], { view } = memory;
    for (let event = at; event < at + size; event += view.getUint32(event + EVENT.length, true)) {
      const time = timeAt(view, event);
      if (time !== undefined) events.push({ user: view.getBigUint64(event + EVENT.user, true), time });
    }
    return events;
  });
}

/** The time of an event; `undefined` for events of other kinds. */
function timeAt(view: DataView, event: number): bigint | undefined {
  const type = view.getUint32(event + EVENT.type, true);
  if (type === CRTC_SEQUENCE) return view.getBigInt64(event + EVENT.nanoseconds, true);
  if (type !== FLIP_COMPLETE) return undefined;
  const seconds = view.getUint32(event + EVENT.seconds, true);
  return BigInt(seconds) * SECOND + BigInt(view.getUint32(event + EVENT.microseconds, true)) * MICROSECOND;
}

/** `AF_NETLINK`, `SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK`, `NETLINK_KOBJECT_UEVENT`, and the kernel's group. */
const AF_NETLINK = 16, SOCK_RAW_CLOEXEC_NONBLOCK = 3 | 0o2000000 | 0o4000, UEVENT = 15, KERNEL = 1;
/** `struct sockaddr_nl` of `linux/netlink.h`. */
const ADDRESS = { family: 0, groups: 8, size: 12 };
const UEVENT_ROOM = 8192;

/**
 * Listens to the kernel, and calls back when the connectors of a card may have
 * changed. Needs no permission but `--allow-ffi`. Returns a function that ends
 * this, and resolves when no thread listens any more; `undefined` where the
 * kernel lets nobody listen.
 */
export function watchHotplug(changed: () => void): (() => Promise<void>) | undefined {
  const socket = callLibc("socket", "s:sss", AF_NETLINK, SOCK_RAW_CLOEXEC_NONBLOCK, UEVENT);
  if (socket < 0) return undefined;
  if (!bind(socket)) {
    closeDescriptor(socket);
    return undefined;
  }
  const readiness = new Readiness(), ended = new AbortController();
  const listening = listen(socket, readiness, ended.signal, changed);
  return async () => {
    ended.abort();
    readiness.close();
    await Promise.all([listening, readiness.ended]);
  };
}

async function listen(socket: number, readiness: Readiness, until: AbortSignal, changed: () => void): Promise<void> {
  try {
    while (!until.aborted) {
      await readiness.whenReadable(socket, until);
      if (!until.aborted && readUevents(socket).some(isHotplug)) changed();
    }
  } catch (error) {
    if (!(error instanceof WsiError)) throw error; // ended while it waited
  } finally {
    closeDescriptor(socket);
  }
}

function bind(socket: number): boolean {
  return inFrame((memory) => {
    const at = memory.alloc(ADDRESS.size);
    memory.bytes.fill(0, at, at + ADDRESS.size);
    memory.view.setUint16(at + ADDRESS.family, AF_NETLINK, true);
    memory.view.setUint32(at + ADDRESS.groups, KERNEL, true);
    return callLibc("bind", "s:sow", socket, at, ADDRESS.size) === 0;
  });
}

/** Reads what the kernel has told: a text each, of `NAME=VALUE` and a NUL. */
function readUevents(socket: number): string[] {
  return inFrame((memory) => {
    const at = memory.alloc(UEVENT_ROOM), events: string[] = [];
    for (let size = readInto(socket, at, UEVENT_ROOM); size > 0; size = readInto(socket, at, UEVENT_ROOM)) {
      events.push(new TextDecoder().decode(memory.bytes.slice(at, at + size)));
    }
    return events;
  });
}

/** A card tells hotplugs as `HOTPLUG=1`; what a program wrote into the card's `uevent` file has a prefix. */
function isHotplug(event: string): boolean {
  const values = event.split("\0");
  return values.includes("SUBSYSTEM=drm") && values.some((each) => /^(SYNTH_ARG_)?HOTPLUG=1$/.test(each));
}
