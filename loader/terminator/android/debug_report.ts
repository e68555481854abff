import { inFrame } from "../../../ffi/arena.ts";
import { invokeAddress, peek64, poke64 } from "../../../ffi/machine.ts";
import type { DriverSide, RawArguments } from "./driver_side.ts";
import { type Listener, listenerAt } from "./messages.ts";

const CREATE = "vkCreateDebugReportCallbackEXT", DESTROY = "vkDestroyDebugReportCallbackEXT";
const MESSAGE = "vkDebugReportMessageEXT";
/** A callback's arguments except the last, after those of vkDebugReportMessageEXT, and then its user data. */
const CALLBACK_SIGNATURE = "w:wsqqsqqq";

/** A listener with the driver's handle for it, 0n if the driver lacks the extension. */
interface Registered extends Listener {
  readonly inDriver: bigint;
}

/** The first bits of our handles. A driver's handles are addresses or small numbers and never begin like this. */
const OURS = 0x7e57n;
let nextHandle = OURS << 48n;

/**
 * The VK_EXT_debug_report callbacks of an instance. The loader keeps its own
 * list for its messages, and also creates each callback in the driver, if the
 * driver has the extension.
 */
export class DebugReports {
  readonly #side: DriverSide;
  readonly #instance: bigint;
  readonly #driverHasThem: boolean;
  readonly #registered = new Map<bigint, Registered>();

  /** Starts without callbacks. `driverHasThem`: the extension is enabled in the driver. */
  constructor(side: DriverSide, instance: bigint, driverHasThem: boolean) {
    this.#side = side;
    this.#instance = instance;
    this.#driverHasThem = driverHasThem;
  }

  /** The current callbacks. */
  listeners(): Iterable<Listener> {
    return this.#registered.values();
  }

  /** vkCreateDebugReportCallbackEXT. */
  create(info: bigint, allocator: bigint, out: bigint): number {
    const inDriver = this.#createInDriver(info, allocator);
    if (typeof inDriver === "number") return inDriver;
    const handle = nextHandle += 1n;
    this.#registered.set(handle, { ...listenerAt(info), inDriver });
    poke64(out, handle);
    return 0;
  }

  /** vkDestroyDebugReportCallbackEXT. */
  destroy(handle: bigint, allocator: bigint): void {
    const unknown = handle >> 48n === OURS ? 0n : handle; // created on another thread, by the driver itself
    const inDriver = this.#registered.get(handle)?.inDriver ?? unknown;
    this.#registered.delete(handle);
    if (inDriver !== 0n && this.#driverHasThem) {
      this.#side.call(this.#instance, DESTROY, [this.#instance, inDriver, allocator]);
    }
  }

  /**
   * vkDebugReportMessageEXT, without the instance. The driver sends the message
   * or, if it lacks the extension, the loader does.
   */
  message(values: RawArguments): void {
    if (this.#driverHasThem) this.#side.call(this.#instance, MESSAGE, [this.#instance, ...values]);
    else this.#tell(values);
  }

  /** Destroys the callbacks that an application left behind. */
  clear(): void {
    for (const handle of [...this.#registered.keys()]) this.destroy(handle, 0n);
  }

  #tell(values: RawArguments): void {
    const [flags] = values as [number];
    for (const listener of this.#registered.values()) {
      if ((listener.flags & flags) === 0) continue;
      invokeAddress(listener.callback, CALLBACK_SIGNATURE, [...values, listener.userData]);
    }
  }

  #createInDriver(info: bigint, allocator: bigint): bigint | number {
    if (!this.#driverHasThem) return 0n;
    return inFrame((memory) => {
      const out = memory.address(memory.alloc(8));
      const result = this.#side.call(this.#instance, CREATE, [this.#instance, info, allocator, out]) as number;
      return result < 0 ? result : peek64(out);
    });
  }
}
