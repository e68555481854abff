import { closest } from "../../ffi/check_options.ts";
import { hasFault, rethrowFault, storeFault } from "../../ffi/error.ts";
import { denoHost } from "../driver/host/host.ts";
import { formatLogLine, LOG } from "../driver/report/log.ts";
import { DriverError } from "../error.ts";
import { VK_ERROR_INCOMPATIBLE_DRIVER } from "../gen/native_gen.ts";

/** Advice for the results of creation commands, by VkResult. */
const ADVICE: Readonly<Record<number, string>> = {
  [-3]: "look for the reason in the driver's own log",
  [-6]: "name only layers that are installed, in the layers option",
  [-7]:
    "it or a native layer above does not know an extension; ask only for those that vkEnumerate...ExtensionProperties lists",
  [-8]: "ask only for features that its vkGetPhysicalDeviceFeatures reports",
  [-9]: "ask for a lower apiVersion or take another driver",
};

/** Returns a sentence with the driver in which a creation command failed, and what to do. */
export function creationAdvice(driver: string, result: number): string {
  const advice = ADVICE[result];
  return `driver "${driver}" refused${advice ? `: ${advice}` : ""}`;
}

/**
 * Returns advice about requested layers or extensions that do not exist; `names`
 * is `undefined` if the array was NULL. `known` are those that exist, and
 * `hidden` says where others could be that permissions hide.
 */
export function missingAdvice(
  what: "layers" | "extensions",
  names: readonly string[] | undefined,
  known: readonly string[] = [],
  hidden?: string,
): string {
  if (!names) return `the array of ${what} is NULL though it has a count`;
  const meant = names.flatMap((name) => closest(name, known) ?? []);
  const near = meant.length > 0 ? `did you mean ${meant.join(", ")}?` : undefined;
  return `there are no such ${what}: ${names.join(", ")}; ${
    near ?? hidden ?? "take them out or install what has them"
  }`;
}

/**
 * Throws the error of a callback during the creation of a chain. Destroys the
 * chain first, if there is one, because nobody will own it.
 */
export function surfaceFault(chain: { destroy(allocator: bigint): void } | number, allocator: bigint): void {
  if (!hasFault()) return;
  if (typeof chain !== "number") chain.destroy(allocator);
  rethrowFault();
}

/**
 * Wraps a creation command for native code: an unusable driver or layer becomes
 * VK_ERROR_INCOMPATIBLE_DRIVER, and standard error gets the reason. TypeScript
 * gets the error itself, as for any error in a callback.
 */
export function refusingInCode<Args extends unknown[]>(create: (...args: Args) => unknown): (...args: Args) => unknown {
  return (...args) => {
    try {
      return create(...args);
    } catch (error) {
      if (!(error instanceof DriverError)) throw error;
      denoHost().writeError(formatLogLine(LOG.error, error.message));
      storeFault(error);
      return VK_ERROR_INCOMPATIBLE_DRIVER;
    }
  };
}
