import type { OpenedDevice } from "./device.ts";
import { Clock } from "./clock.ts";

/** A device, what is to be destroyed with the test, and what it took. */
export interface Workbench extends OpenedDevice {
  /** What a test made, destroyed in turn, last made first. */
  readonly owned: DisposableStack;
  /** Measures what is submitted. */
  readonly clock: Clock;
}

/** Sets one up. Closing `owned` ends all, the device and the instance too; the loader is the caller's. */
export function openWorkbench(opened: OpenedDevice): Workbench {
  const owned = new DisposableStack();
  owned.use(opened.instance);
  owned.use(opened.device);
  return { ...opened, owned, clock: new Clock(opened, owned) };
}
