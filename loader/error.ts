import { GraphicsError } from "../ffi/error.ts";
import type { Finding } from "./driver/report/finding.ts";
import { RESULTS } from "./gen/results_gen.ts";

/**
 * A Vulkan command failed: its result code is negative. Success codes are
 * returned as values and are never errors.
 *
 * @example
 * ```ts
 * import { VulkanError } from "@pumice/gfx/loader";
 * import { assertEquals } from "@std/assert";
 *
 * const error = new VulkanError("vkCreateDevice", -8);
 * assertEquals(error.message, "vkCreateDevice failed: VK_ERROR_FEATURE_NOT_PRESENT (-8)");
 * ```
 */
export class VulkanError extends GraphicsError<number> {
  /** Always "VulkanError". */
  override readonly name = "VulkanError";
  /** The command that failed, by its C name. */
  declare readonly command: string;

  /**
   * Makes the error of a command and its VkResult. The default sentence tells
   * the caller what to do, if that is known for the code.
   */
  constructor(command: string, code: number, sentence?: string, options?: ErrorOptions) {
    const codeName = resultName(code), found = `${codeName} (${code})`;
    const message = `${command} failed: ${found}${sentence ? `; ${sentence}` : ""}`;
    super({ ...options, command, code, codeName, sentence: sentence ?? `the command returned ${found}`, message });
  }
}

/** The reason why a driver, a manifest or a layer cannot be used. */
export type DriverErrorCode = "not-found" | "unusable" | "bad-manifest" | "bad-match";

/** A driver, manifest or layer cannot be used. The message names the path, what was found, and what to do. */
export class DriverError extends GraphicsError<DriverErrorCode> {
  /** Always "DriverError". */
  override readonly name = "DriverError";
  /** The file that the error is about. */
  readonly path: string;
  /** All findings of the search up to the error, in order. The loader fills them in. */
  declare findings: readonly Finding[];

  /** Makes the error of one file, from its code and a sentence. */
  constructor(code: DriverErrorCode, path: string, sentence: string, options?: ErrorOptions) {
    super({ ...options, code, sentence });
    this.path = path;
    Object.defineProperty(this, "findings", { value: [], writable: true }); // dozens, which `console.error()` leaves out
  }
}

/** Returns the C name of a VkResult value, or `VkResult N` if the registry has none. */
export function resultName(result: number): string {
  const match = RESULTS.match(new RegExp(` (\\w+)=${result} `));
  return match ? match[1] : `VkResult ${result}`;
}

/** Returns the value of a VkResult by its C name; `undefined` if the registry has no such name. */
export function resultCode(name: string): number | undefined {
  const match = RESULTS.match(new RegExp(` ${name}=(-?\\d+) `));
  return match ? Number(match[1]) : undefined;
}

/** The program ended, or waits no longer, while its call was being answered. */
export class ProgramGone extends Error {
  /** Makes the error. */
  constructor() {
    super("The program's thread has ended or gone on without an answer");
  }
}
