import { Clock } from "./clock.ts";
import type { OpenedDevice } from "./device.ts";

/** A device, the objects that are destroyed with the device, and the device's working time. */
export interface Bench extends OpenedDevice {
  /** The objects, destroyed in reverse order. */
  readonly owned: DisposableStack;
  /** Measures submitted work. */
  readonly clock: Clock;
}

/**
 * Makes a bench. Disposing of `owned` destroys all objects, the device and the instance; the loader stays the caller's.
 */
export function openBench(opened: OpenedDevice, owned: DisposableStack = new DisposableStack()): Bench {
  owned.use(opened.instance);
  owned.use(opened.device);
  return { ...opened, owned, clock: new Clock(opened, owned) };
}

/**
 * Calls `use` with a bench whose objects are destroyed when `use` returns. By then the device has finished its work.
 */
export function duringCall<Result>(bench: Bench, use: (bench: Bench) => Result): Result {
  using owned = new DisposableStack();
  return use({ ...bench, owned });
}
