import { peek64 } from "../../../ffi/machine.ts";
import type { Driver } from "../../driver/interface/driver.ts";
import { type DebugReports, type Listener, type Message, SEVERITY, tell } from "./messages.ts";
import { DisabledCommands } from "./guards.ts";
import { DriverSide } from "./driver_side.ts";
import { type AndroidRelease, NEWEST_RELEASE } from "../../driver/android/options.ts";
import type { AndroidLevelOptions } from "./options.ts";

/** An instance of the level. */
export interface AndroidInstance {
  /** The driver's handle. */
  readonly handle: bigint;
  /** Core versions and extensions whose hooks are active. */
  readonly hooks: ReadonlySet<string>;
  /** The debug_report callbacks. */
  readonly reports: DebugReports;
  /** Address of the vkGetInstanceProcAddr. */
  getProcAddr: bigint;
}

/** A device of the level. */
export interface AndroidDevice {
  /** The driver's handle. */
  readonly handle: bigint;
  /** The instance of the device. */
  readonly instance: AndroidInstance;
  /** Address of the vkGetDeviceProcAddr. */
  readonly getProcAddr: bigint;
  /** The targets of the guards, in their order. */
  readonly guarded: readonly bigint[];
}

/** The state of Android's driver level above one driver. */
export class AndroidLevel {
  /** The options. */
  readonly options: AndroidLevelOptions;
  /** The release of Android to follow. */
  readonly release: AndroidRelease;
  /** The driver. Another may replace it while there is no instance. */
  side: DriverSide;
  /** The live instances by handle. The chain removes them. */
  readonly instances: Map<bigint, AndroidInstance> = new Map();
  /** The live devices by handle. */
  readonly devices: Map<bigint, AndroidDevice> = new Map();
  /** Functions for commands of extensions that a device lacks. */
  readonly disabled: DisabledCommands;
  #hearing: readonly Listener[] = [];

  /** Takes ownership of a driver. */
  constructor(driver: Driver, options: AndroidLevelOptions) {
    this.side = new DriverSide(driver);
    this.options = options;
    this.release = options.release ?? NEWEST_RELEASE;
    this.disabled = new DisabledCommands(this, (text) => this.say(text, { severity: SEVERITY.error }));
  }

  /**
   * Lets a driver that has appeared since replace the first driver, if there is
   * no instance. Returns whether it did.
   */
  succeed(): boolean {
    const driver = this.instances.size === 0 ? this.options.successor?.() : undefined;
    if (!driver) return false;
    this.side.close();
    this.side = new DriverSide(driver);
    return true;
  }

  /** Frees everything, including the driver. All instances must be gone. */
  close(): void {
    this.side.close();
    this.disabled.close();
  }

  /** Forgets an instance and its remaining devices. */
  forget(handle: bigint): void {
    for (const device of [...this.devices.values()]) {
      if (device.instance.handle === handle) this.devices.delete(device.handle);
    }
    this.instances.delete(handle);
  }

  /** Returns the instance of a physical device: both have the same dispatch key. */
  instanceOf(gpu: bigint): AndroidInstance {
    const key = peek64(gpu), all = [...this.instances.values()];
    return all.find(({ handle }) => peek64(handle) === key) ?? all[all.length - 1];
  }

  /** Lets these listeners get messages while `run` is running. */
  whileHearing<T>(listeners: readonly Listener[], run: () => T): T {
    this.#hearing = listeners;
    try {
      return run();
    } finally {
      this.#hearing = [];
    }
  }

  /** Reports an event: to the log soon, to the listeners at once. */
  say(text: string, about: Partial<Message> & { instance?: AndroidInstance } = {}): void {
    const { severity = SEVERITY.warning, type = "instance", object = 0n, instance } = about;
    const { log } = this.options;
    // later, because native code may be calling, and a log may need operations that are forbidden then
    if (log) Promise.resolve().then(() => log(text));
    tell([...this.#hearing, ...instance?.reports.listeners() ?? []], { severity, type, object, text });
  }
}
