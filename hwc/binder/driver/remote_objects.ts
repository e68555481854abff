import type { Message, RemoteObject } from "../bus.ts";
import { failWith, STATUS } from "../status.ts";
import type { Commands } from "./commands.ts";
import { BC } from "./uapi.ts";

/** Carries out the calls of remote objects. */
export type Caller = (
  object: KernelRemote,
  code: number,
  message: Message,
  options: { oneway?: boolean },
) => Promise<Message>;

/** An object of another process, by the kernel's handle. */
export class KernelRemote implements RemoteObject {
  readonly #objects: RemoteObjects;
  readonly #call: Caller;
  readonly #listeners = new Set<{ readonly callback: () => void }>();
  #isDead = false;
  #cookie = 0n;

  /** Use {@linkcode RemoteObjects}. */
  constructor(readonly handle: number, objects: RemoteObjects, call: Caller) {
    this.#objects = objects;
    this.#call = call;
  }

  transact(code: number, message: Message, options: { oneway?: boolean } = {}): Promise<Message> {
    return this.#call(this, code, message, options);
  }

  onDeath(callback: () => void): () => void {
    const listener = { callback };
    if (this.#isDead) queueMicrotask(() => this.#listeners.delete(listener) && callback());
    else if (this.#cookie === 0n) this.#cookie = this.#objects.watch(this);
    this.#listeners.add(listener);
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.forgetDeath();
    };
  }

  release(): void {
    this.#objects.release(this);
  }

  /** Tells everybody who asked that the object's process has ended. */
  die(): void {
    this.#isDead = true;
    this.#cookie = 0n;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const { callback } of listeners) queueMicrotask(callback);
  }

  /** Tells the kernel that nobody asks any more. */
  forgetDeath(): void {
    if (this.#cookie !== 0n) this.#objects.unwatch(this.handle, this.#cookie);
    this.#cookie = 0n;
  }
}

/** The objects of other processes that this one refers to. Commands for the driver are only collected. */
export class RemoteObjects {
  readonly #known = new Map<number, { readonly object: KernelRemote; holds: number }>();
  readonly #watched = new Map<bigint, KernelRemote>();
  readonly #commands: Commands;
  readonly #call: Caller;
  #lastCookie = 0n;

  /** Objects of one device. `call` carries calls out. */
  constructor(commands: Commands, call: Caller) {
    this.#commands = commands;
    this.#call = call;
  }

  /** Handle 0: whoever is the context manager at the time of a call. Is never released. */
  contextManager(): KernelRemote {
    const known = this.#known.get(0)?.object ?? new KernelRemote(0, this, this.#call);
    this.#known.set(0, { object: known, holds: Infinity });
    return known;
  }

  /** The number of references to objects of others. */
  get count(): number {
    return this.#known.size - (this.#known.has(0) ? 1 : 0);
  }

  /** Returns the object of a handle, held once more. The message that brought a new handle must still be held. */
  hold(handle: number): KernelRemote {
    const known = this.#known.get(handle);
    if (known) {
      known.holds++;
      return known.object;
    }
    const object = new KernelRemote(handle, this, this.#call);
    this.#known.set(handle, { object, holds: 1 });
    this.#commands.add(BC.ACQUIRE, [handle]);
    return object;
  }

  /** Whether an object may still be called: it came from here, and is held. */
  has(object: RemoteObject): object is KernelRemote {
    return object instanceof KernelRemote && this.#known.get(object.handle)?.object === object;
  }

  /** Holds an object during a call. Throws a {@linkcode BinderStatusError} for one that was released. */
  use(object: KernelRemote): void {
    const known = this.#known.get(object.handle);
    if (known?.object !== object) {
      failWith(STATUS.INVALID_OPERATION, "the object was released: keep it until the last call");
    }
    known.holds++;
  }

  /** Ends a hold. One too many does nothing. */
  release(object: KernelRemote): void {
    const known = this.#known.get(object.handle);
    if (known?.object !== object || --known.holds > 0) return;
    object.forgetDeath();
    this.#known.delete(object.handle);
    this.#commands.add(BC.RELEASE, [object.handle]);
  }

  /** Asks for a death notice, and returns its cookie. */
  watch(object: KernelRemote): bigint {
    const cookie = ++this.#lastCookie;
    this.#watched.set(cookie, object);
    if (object.handle === 0) this.#commands.add(BC.ACQUIRE, [0]);
    this.#commands.add(BC.REQUEST_DEATH_NOTIFICATION, [object.handle], [cookie]);
    return cookie;
  }

  /** Ends a watch. */
  unwatch(handle: number, cookie: bigint): void {
    this.#watched.delete(cookie);
    this.#commands.add(BC.CLEAR_DEATH_NOTIFICATION, [handle], [cookie]);
    if (handle === 0) this.#commands.add(BC.RELEASE, [0]);
  }

  /** Takes a death notice in. The kernel keeps the notice until the handle's end, or until it is cleared. */
  die(cookie: bigint): void {
    this.#commands.add(BC.DEAD_BINDER_DONE, [], [cookie]);
    const object = this.#watched.get(cookie);
    if (!object) return;
    this.unwatch(object.handle, cookie);
    object.die();
  }
}
