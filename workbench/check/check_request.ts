import type { VulkanOptions } from "../../loader/mod.ts";
import type { PartName } from "./report.ts";

/** The parts to check, with the options of the check. */
export interface CheckRequest {
  /** How the Vulkan loader is opened. */
  readonly options: VulkanOptions;
  /** The Android release that the device runs, 7 to 17. */
  readonly release: number;
  /** The Android release that the device launched with, if another. */
  readonly launch?: number;
  /** Whether the device is low on memory. */
  readonly lowMemory: boolean;
  /** The parts to check. */
  readonly only: ReadonlySet<PartName>;
  /** Whether `--only` chose them. */
  readonly isChosen: boolean;
  /** The EGL driver, if one is named. */
  readonly eglDriver?: string;
  /** How many contexts are tried. */
  readonly contexts?: number;
  /** Milliseconds that a Vulkan driver may take for a wait. */
  readonly timeout?: number;
  /** The composer: a library, a module's name or a model of planes. */
  readonly composer?: string;
  /** Profiles besides Android's: paths. */
  readonly profiles: readonly string[];
  /** The claimed level of dEQP's Vulkan tests, and of those of OpenGL ES. */
  readonly deqpLevel?: string;
  /** The same for OpenGL ES. */
  readonly glesDeqpLevel?: string;
  /** Where a device tree's files are written. */
  readonly emit?: string;
  /** The device tree that is compared. */
  readonly verify?: string;
}
