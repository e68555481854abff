import { storeFault } from "../../../ffi/fault.ts";
import { denoHost } from "../../driver/host/host.ts";
import { formatLogLine, LOG } from "../../driver/report/log.ts";
import { DriverError } from "../../error.ts";
import { VK_ERROR_INCOMPATIBLE_DRIVER } from "../../gen/native_gen.ts";

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
