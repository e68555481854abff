import { createThunk, type Thunk } from "../../../ffi/thunk/thunk.ts";
import { CALLBACK_SHAPES } from "../call/callbacks.ts";

type Listener = (...args: unknown[]) => void;

/** The longest a timer can be; it only keeps the process alive. */
const FOR_EVER = 0x7fffffff;

/**
 * The functions that a device calls back. Each notes its arguments and returns;
 * the listeners are called a moment later. So a listener may call the device,
 * and no thread of the device waits for a listener.
 */
export class DeviceCallbacks {
  readonly #thunks = new Map<number, Thunk>();
  readonly #listeners = new Map<number, Listener>();
  #alive: ReturnType<typeof setInterval> | undefined;
  #isOpen = true;

  /** The address to register for a descriptor. */
  address(descriptor: number): bigint {
    let thunk = this.#thunks.get(descriptor);
    if (!thunk) this.#thunks.set(descriptor, thunk = this.#make(descriptor));
    return thunk.address;
  }

  /** Sets the callback; `null` removes it. While there is a callback, the process stays alive. */
  listen(descriptor: number, listener: Listener | null): void {
    if (listener) this.#listeners.set(descriptor, listener);
    else this.#listeners.delete(descriptor);
    this.#stayAlive(this.#listeners.size > 0);
  }

  /** Removes all callbacks; the device must no longer call them. */
  close(): void {
    this.#isOpen = false;
    this.#listeners.clear();
    this.#stayAlive(false);
    for (const thunk of this.#thunks.values()) thunk.free();
    this.#thunks.clear();
  }

  #make(descriptor: number): Thunk {
    const { signature, read } = CALLBACK_SHAPES[descriptor];
    return createThunk(signature, (_data, display, ...natives) => {
      const args = [display, ...read(natives)];
      queueMicrotask(() => this.#tell(descriptor, args));
    }, { onForeignThread: "block" });
  }

  #tell(descriptor: number, args: unknown[]): void {
    if (this.#isOpen) this.#listeners.get(descriptor)?.(...args);
  }

  #stayAlive(wanted: boolean): void {
    if (wanted) return void (this.#alive ??= setInterval(() => {}, FOR_EVER));
    clearInterval(this.#alive);
    this.#alive = undefined;
  }
}
