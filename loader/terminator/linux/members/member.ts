import { prepareDeviceTrampolines } from "../../../chain/table/device_trampolines.ts";
import type { Driver } from "../../../driver/interface/driver.ts";
import { instanceExtensions } from "../../../driver/interface/extension_list.ts";
import type { DriverSource, FoundDrivers } from "../../../driver/found_driver.ts";
import { driverVersion } from "../../../driver/interface/probe.ts";
import type { LayerExtension } from "../../../layer.ts";
import type { MemberTable } from "./member_table.ts";

/** VK_API_VERSION_1_1, packed. */
const VERSION_1_1 = 0x401000;

/** One of the drivers behind one loader. */
export interface Member {
  /** The driver. */
  readonly driver: Driver;
  /** Whether only applications that ask for portability drivers may see it. */
  readonly isPortability: boolean;
  /** Whether it is a Vulkan 1.0 driver, which may refuse an application that names a later version. */
  readonly isOld: boolean;
  /** The instance extensions it lists. */
  readonly extensions: readonly LayerExtension[];
}

/** What is known of a driver beside what it says itself. */
export interface MemberHints {
  /** See {@linkcode Member.isPortability}. */
  readonly isPortability?: boolean;
  /** Whether its manifest claims no more than Vulkan 1.0; then the driver is not asked. */
  readonly claimsOld?: boolean;
}

/** Asks a driver what its loader must know. */
export function memberOf(driver: Driver, { isPortability = false, claimsOld = false }: MemberHints = {}): Member {
  const isOld = claimsOld || driverVersion(driver) < VERSION_1_1;
  return { driver, isPortability, isOld, extensions: instanceExtensions(driver) };
}

/** Whether a member lists an instance extension. */
export function offers({ extensions }: Member, name: string): boolean {
  return extensions.some(({ extensionName }) => extensionName === name);
}

/** A member that has made its instance. */
export interface LiveMember {
  /** The driver. */
  readonly member: Member;
  /** Which of the instance's members it is, from 0. */
  readonly index: number;
  /** Its instance-level functions. */
  readonly table: MemberTable;
  /** Its vkGetDeviceProcAddr. */
  readonly getDeviceProcAddr: bigint;
}

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
