import { peek64 } from "../../../ffi/machine.ts";
import type { Driver } from "../../driver/interface/driver.ts";
import type { DebugReports } from "./debug_report.ts";
import { DisabledCommands } from "./disabled_commands.ts";
import { DriverSide } from "./driver_side.ts";
import { type Listener, type Message, SEVERITY, tell } from "./messages.ts";
import { type AndroidRelease, NEWEST_RELEASE } from "../../driver/android/release.ts";
import type { AndroidLevelOptions } from "./options.ts";

/** An instance as the level knows it. */
export interface AndroidInstance {
  /** The driver's handle. */
  readonly handle: bigint;
  /** Core versions and extensions whose hooks count. */
  readonly hooks: ReadonlySet<string>;
  /** Its debug_report callbacks. */
  readonly reports: DebugReports;
  /** Address of its vkGetInstanceProcAddr. */
  getProcAddr: bigint;
}

/** A device as the level knows it. */
export interface AndroidDevice {
  /** The driver's handle. */
  readonly handle: bigint;
  /** The instance it was made on. */
  readonly instance: AndroidInstance;
  /** Address of its vkGetDeviceProcAddr. */
  readonly getProcAddr: bigint;
  /** What the guards lead to, in their order. */
  readonly guarded: readonly bigint[];
}

/** The state of Android's driver level over one driver. */
export class AndroidLevel {
  /** What it goes by. */
  readonly options: AndroidLevelOptions;
  /** The release of Android it follows. */
  readonly release: AndroidRelease;
  /** The driver, which another may replace while there is no instance. */
  side: DriverSide;
  /** The instances by handle, until the chain says that they are gone. */
  readonly instances: Map<bigint, AndroidInstance> = new Map();
  /** The devices by handle, likewise. */
  readonly devices: Map<bigint, AndroidDevice> = new Map();
  /** What stands for commands of extensions that a device lacks. */
  readonly disabled: DisabledCommands;
  #hearing: readonly Listener[] = [];

  /** Takes over a driver. */
  constructor(driver: Driver, options: AndroidLevelOptions) {
    this.side = new DriverSide(driver);
    this.options = options;
    this.release = options.release ?? NEWEST_RELEASE;
    this.disabled = new DisabledCommands(this, (text) => this.say(text, { severity: SEVERITY.error }));
  }

  /**
   * Lets a driver that has appeared since take the first one's place, if there
   * is no instance. Returns whether it did.
   */
  succeed(): boolean {
    const driver = this.instances.size === 0 ? this.options.successor?.() : undefined;
    if (!driver) return false;
    this.side.close();
    this.side = new DriverSide(driver);
    return true;
  }

  /** Frees everything, the driver too. No instance may be left. */
  close(): void {
    this.side.close();
    this.disabled.close();
  }

  /** Forgets an instance, with the devices that were left of it. */
  forget(handle: bigint): void {
    for (const device of [...this.devices.values()]) {
      if (device.instance.handle === handle) this.devices.delete(device.handle);
    }
    this.instances.delete(handle);
  }

  /** Whose a physical device is: both have the same dispatch key. */
  instanceOf(gpu: bigint): AndroidInstance {
    const key = peek64(gpu), all = [...this.instances.values()];
    return all.find(({ handle }) => peek64(handle) === key) ?? all[all.length - 1];
  }

  /** Lets these listeners hear what is said while `run` does. */
  whileHearing<T>(listeners: readonly Listener[], run: () => T): T {
    this.#hearing = listeners;
    try {
      return run();
    } finally {
      this.#hearing = [];
    }
  }

  /** Says what happened: to the log, soon, and to those listening, at once. */
  say(text: string, about: Partial<Message> & { instance?: AndroidInstance } = {}): void {
    const { severity = SEVERITY.warning, type = "instance", object = 0n, instance } = about;
    const { log } = this.options;
    // later, because native code may be calling, and what logs are made of may not be called then
    if (log) Promise.resolve().then(() => log(text));
    tell([...this.#hearing, ...instance?.reports.listeners() ?? []], { severity, type, object, text });
  }
}
