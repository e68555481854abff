import type { ProfileReport } from "./profiles/report.ts";
import type { Verdict } from "./verdict.ts";

/** Android's system features for Vulkan that a driver earns. */
export interface VulkanFeatures {
  /** `android.hardware.vulkan.level`; -1: not to be declared. */
  readonly level: -1 | 0 | 1;
  /** `android.hardware.vulkan.version`, such as 0x403000; `undefined`: not to be declared. */
  readonly version: number | undefined;
  /** `android.hardware.vulkan.compute`; -1: not to be declared. */
  readonly compute: -1 | 0;
  /** The claimed `android.software.vulkan.deqp.level`. Only the tests can verify it; no query can. */
  readonly deqpLevel: number | undefined;
}

/** A physical device, and the verdicts of the rules about it. */
export interface VulkanDeviceReport {
  /** VkPhysicalDeviceProperties.deviceName. */
  readonly deviceName: string;
  /** VkPhysicalDeviceType; 4 is a CPU. */
  readonly deviceType: number;
  /** The packed version. */
  readonly apiVersion: number;
  /** The driver's version, in its own format. */
  readonly driverVersion: number;
  /** PCI vendor, or a VkVendorId. */
  readonly vendorID: number;
  /** The vendor's number for the device. */
  readonly deviceID: number;
  /** The system features of this device alone. */
  readonly features: VulkanFeatures;
  /** The verdicts, in the order of the rules. */
  readonly verdicts: readonly Verdict[];
  /** The compared profiles, and everything that the device lacks of each. */
  readonly profiles: readonly ProfileReport[];
}

/** The result of checking a driver. */
export interface VulkanReport {
  /** The driver's library, or its name. */
  readonly driver: string;
  /** The Android release whose rules were applied. */
  readonly release: number;
  /** The Android release that the device launched with. */
  readonly launch: number;
  /** Whether the driver was judged as CTS judges drivers that only have CPUs. */
  readonly cpuOnly: boolean;
  /** The physical devices, in the driver's order. */
  readonly devices: readonly VulkanDeviceReport[];
  /** Index of the device that the system features describe; -1 if there is none. */
  readonly best: number;
  /** The verdicts that count: those about the driver as a whole, and those about the best device. */
  readonly verdicts: readonly Verdict[];
  /** The features that the driver's best device earns. */
  readonly features: VulkanFeatures;
}
