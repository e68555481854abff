import type { Finding } from "./driver/finding.ts";
import { resultName } from "./result.ts";

/** Details a {@linkcode VulkanError} carries beside its message. */
export interface VulkanErrorOptions extends ErrorOptions {
  /** What the caller can do about it; appended to the message. */
  advice?: string;
}

/**
 * A Vulkan command that failed: its result code is negative. Success codes
 * are values, never errors.
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
export class VulkanError extends Error {
  /** Always "VulkanError". */
  override readonly name = "VulkanError";
  /** The command that failed, by its C name. */
  readonly command: string;
  /** The VkResult it returned. */
  readonly result: number;

  /** Makes the error of a command and its result code. */
  constructor(command: string, result: number, options: VulkanErrorOptions = {}) {
    const advice = options.advice ? `; ${options.advice}` : "";
    super(`${command} failed: ${resultName(result)} (${result})${advice}`, options);
    this.command = command;
    this.result = result;
  }
}

/** A driver, manifest or layer that cannot be used: the message names the path, what was found and what to do. */
export class DriverError extends Error {
  /** Always "DriverError". */
  override readonly name = "DriverError";
  /** The file that was looked at. */
  readonly path: string;
  /** Everything that was looked at up to here, in order; the loader fills it in. */
  findings: readonly Finding[] = [];

  /** Makes the error of one file. */
  constructor(path: string, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.path = path;
  }
}
