import { Clock } from "./clock.ts";
import type { OpenedDevice } from "./device.ts";

/** A device, what is destroyed with it, and what the device has worked. */
export interface Bench extends OpenedDevice {
  /** What was made, destroyed in turn, last made first. */
  readonly owned: DisposableStack;
  /** Measures what is submitted. */
  readonly clock: Clock;
}

/** Sets one up. Disposing of `owned` destroys all, the device and the instance too; the loader is the caller's. */
export function openBench(opened: OpenedDevice, owned: DisposableStack = new DisposableStack()): Bench {
  owned.use(opened.instance);
  owned.use(opened.device);
  return { ...opened, owned, clock: new Clock(opened, owned) };
}

/** Hands out a bench whose objects are destroyed when `use` returns: by then the device has done its work. */
export function duringCall<Result>(bench: Bench, use: (bench: Bench) => Result): Result {
  using owned = new DisposableStack();
  return use({ ...bench, owned });
}
