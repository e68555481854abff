import { prepareDeviceTrampolines } from "../../../chain/table/device_trampolines.ts";
import type { Driver } from "../../../driver/interface/driver.ts";
import { instanceExtensions } from "../../../driver/interface/extension_list.ts";
import type { DriverSource, FoundDrivers } from "../../../driver/found_driver.ts";
import { driverVersion } from "../../../driver/interface/probe.ts";
import type { LayerExtension } from "../../../layer.ts";
import type { MemberTable } from "./member_table.ts";
import { VK_API_VERSION_1_1 } from "../../../gen/native_gen.ts";

/** One of the drivers behind one loader. */
export interface Member {
  /** The driver. */
  readonly driver: Driver;
  /** Whether only applications that ask for portability drivers see the driver. */
  readonly isPortability: boolean;
  /** Whether the driver is for Vulkan 1.0 and may refuse an application of a later version. */
  readonly isOld: boolean;
  /** The instance extensions that the driver lists. */
  readonly extensions: readonly LayerExtension[];
}

/** Facts about a driver from other sources than the driver. */
export interface MemberHints {
  /** See {@linkcode Member.isPortability}. */
  readonly isPortability?: boolean;
  /** Whether the manifest claims no more than Vulkan 1.0. The driver is then not asked. */
  readonly claimsOld?: boolean;
}

/** Asks a driver for the facts that its loader needs. */
export function memberOf(driver: Driver, { isPortability = false, claimsOld = false }: MemberHints = {}): Member {
  const isOld = claimsOld || driverVersion(driver) < VK_API_VERSION_1_1;
  return { driver, isPortability, isOld, extensions: instanceExtensions(driver) };
}

/** Whether a member lists an instance extension. */
export function offers({ extensions }: Member, name: string): boolean {
  return extensions.some(({ extensionName }) => extensionName === name);
}

/** A member that has created its instance. */
export interface LiveMember {
  /** The driver. */
  readonly member: Member;
  /** Index of the member among those of the instance, from 0. */
  readonly index: number;
  /** The member's instance-level functions. */
  readonly table: MemberTable;
  /** Address of the member's vkGetDeviceProcAddr. */
  readonly getDeviceProcAddr: bigint;
}

/** The current drivers behind one loader. A driver that has gone stays open while an instance uses it. */
export class Members {
  readonly #source: DriverSource;
  readonly #used: () => readonly Member[];
  readonly #known = new Map<Driver, Member>();
  #found: FoundDrivers | undefined;
  #now: readonly Member[] = [];

  /** Takes ownership of a source. `used` returns the members in use. */
  constructor(source: DriverSource, used: () => readonly Member[]) {
    this.#source = source;
    this.#used = used;
    source.isUsed = (driver) => used().some((member) => member.driver === driver);
  }

  /** Returns the current members in order; the same array while nothing has changed. */
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

  /** Closes members that are gone and no longer in use. */
  sweep(): void {
    if (this.#known.size === this.#now.length) return;
    const kept = new Set([...this.#now, ...this.#used()]);
    for (const [driver, member] of this.#known) {
      if (kept.has(member)) continue;
      this.#known.delete(driver);
      this.#source.release(driver);
    }
  }

  /** Closes all members. */
  close(): void {
    this.#source.close();
  }
}
