import type { ProfileReport } from "./profiles/report.ts";
import type { Verdict } from "./verdict.ts";

/** What a driver earns of Android's system features for Vulkan. */
export interface VulkanFeatures {
  /** `android.hardware.vulkan.level`; -1: not to be declared. */
  readonly level: -1 | 0 | 1;
  /** `android.hardware.vulkan.version`, such as 0x403000; `undefined`: not to be declared. */
  readonly version: number | undefined;
  /** `android.hardware.vulkan.compute`; -1: not to be declared. */
  readonly compute: -1 | 0;
  /** The claimed `android.software.vulkan.deqp.level`: no driver can be asked for it, only the tests tell. */
  readonly deqpLevel: number | undefined;
}

/** A physical device, and what came of the rules about it. */
export interface VulkanDeviceReport {
  /** VkPhysicalDeviceProperties.deviceName. */
  readonly deviceName: string;
  /** VkPhysicalDeviceType; 4 is a CPU. */
  readonly deviceType: number;
  /** Packed. */
  readonly apiVersion: number;
  /** The driver's own number. */
  readonly driverVersion: number;
  /** PCI vendor, or a VkVendorId. */
  readonly vendorID: number;
  /** The vendor's number of the device. */
  readonly deviceID: number;
  /** What the system features would say of it alone. */
  readonly features: VulkanFeatures;
  /** In the order of the rules. */
  readonly verdicts: readonly Verdict[];
  /** The profiles it was compared with, and everything it misses of each. */
  readonly profiles: readonly ProfileReport[];
}

/** What came of checking a driver. */
export interface VulkanReport {
  /** The driver's library, or its name. */
  readonly driver: string;
  /** The Android release whose rules were tried. */
  readonly release: number;
  /** The Android release that the device launched with. */
  readonly launch: number;
  /** Whether the driver was judged as CTS judges those that have CPUs alone. */
  readonly cpuOnly: boolean;
  /** The physical devices, in the driver's order. */
  readonly devices: readonly VulkanDeviceReport[];
  /** Which of them the system features speak of; -1 when there is none. */
  readonly best: number;
  /** What counts: the rules about the driver as a whole, and those about the best device. */
  readonly verdicts: readonly Verdict[];
  /** What the driver's best device earns. */
  readonly features: VulkanFeatures;
}
