import type { Driver } from "../../../driver/driver.ts";
import { instanceExtensions } from "../../../driver/extension_list.ts";
import { driverVersion } from "../../../driver/probe.ts";
import type { LayerExtension } from "../../../layer.ts";

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
