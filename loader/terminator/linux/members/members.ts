import { prepareDeviceTrampolines } from "../../../chain/device_trampolines.ts";
import type { Driver } from "../../../driver/driver.ts";
import type { DriverSource, FoundDrivers } from "../../../driver/found_driver.ts";
import { type Member, memberOf } from "./member.ts";

/** The drivers behind one loader as they come and go. One that went stays open as long as an instance uses it. */
export class Members {
  readonly #source: DriverSource;
  readonly #used: () => readonly Member[];
  readonly #known = new Map<Driver, Member>();
  #found: FoundDrivers | undefined;
  #now: readonly Member[] = [];

  /** Those of a source, which it takes over. `used` says which are in use. */
  constructor(source: DriverSource, used: () => readonly Member[]) {
    this.#source = source;
    this.#used = used;
    source.isUsed = (driver) => used().some((member) => member.driver === driver);
  }

  /** Those there are, in order; the same array while nothing has changed. */
  now(): readonly Member[] {
    const found = this.#source.look();
    if (found === this.#found) return this.#now;
    this.#found = found;
    this.#now = found.drivers.map(({ driver, ...hints }) => {
      const known = this.#known.get(driver) ?? memberOf(driver, hints);
      this.#known.set(driver, known);
      return known;
    });
    if (this.#now.length > 1) prepareDeviceTrampolines();
    this.sweep();
    return this.#now;
  }

  /** Closes those that are gone and in no use any more. */
  sweep(): void {
    if (this.#known.size === this.#now.length) return;
    const kept = new Set([...this.#now, ...this.#used()]);
    for (const [driver, member] of this.#known) {
      if (kept.has(member)) continue;
      this.#known.delete(driver);
      this.#source.release(driver);
    }
  }

  /** Closes all. */
  close(): void {
    this.#source.close();
  }
}
