import { checkOneOf } from "../../core/calls/checks.ts";
import type { ComposerCallbacks } from "../../composer_records.ts";
import { CALLBACK, CONNECTION } from "../../device_types.ts";
import { namingErrors } from "../../core/refusal.ts";

type Listener = (...args: unknown[]) => void;

/** The client's callbacks, and the displays that are connected: one who registers later hears of them, too. */
export class BinderListeners {
  readonly #listeners = new Map<number, Listener>();
  readonly #connected = new Set<bigint>();
  readonly #withVsync = new Set<bigint>();

  /** Sets a callback; `null` removes it. Throws BAD_PARAMETER for an unknown one. */
  set(descriptor: number, listener: Listener | null): void {
    checks.registerCallback(descriptor);
    if (listener) this.#listeners.set(descriptor, listener);
    else this.#listeners.delete(descriptor);
  }

  /** Tells a listener of the displays that are connected. */
  replayHotplugs(): void {
    for (const display of this.#connected) this.tell(CALLBACK.HOTPLUG, display, CONNECTION.CONNECTED);
  }

  /** A display came, went, or has other configs. */
  hotplug(display: bigint, connection: number): void {
    if (connection === CONNECTION.CONNECTED) this.#connected.add(display);
    else this.#connected.delete(display);
    this.tell(CALLBACK.HOTPLUG, display, connection);
  }

  /** A vsync, for whichever of the two callbacks there is. One that comes after they were turned off is dropped. */
  vsync(display: bigint, timestamp: bigint, period: number): void {
    if (!this.#withVsync.has(display)) return;
    if (this.#listeners.has(CALLBACK.VSYNC_2_4)) this.tell(CALLBACK.VSYNC_2_4, display, timestamp, period);
    else this.tell(CALLBACK.VSYNC, display, timestamp);
  }

  /** Vsyncs of a display are wanted from now on, or no more. */
  wantVsyncs(display: bigint, isWanted: boolean): void {
    if (isWanted) this.#withVsync.add(display);
    else this.#withVsync.delete(display);
  }

  /** Tells of an event. One who throws does not keep the service waiting. */
  tell<Descriptor extends keyof ComposerCallbacks>(
    descriptor: Descriptor,
    ...args: Parameters<ComposerCallbacks[Descriptor]>
  ): void {
    try {
      this.#listeners.get(descriptor)?.(...args);
    } catch (error) {
      reportError(error);
    }
  }

  /** Removes all callbacks. */
  close(): void {
    this.#listeners.clear();
  }
}

const checks = namingErrors({
  registerCallback: (descriptor: number) => checkOneOf("callback", descriptor, CALLBACK, CALLBACK.HOTPLUG),
});
