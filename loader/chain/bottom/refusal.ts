import { storeFault } from "../../../ffi/fault.ts";
import { denoHost } from "../../driver/host/host.ts";
import { formatLogLine, LOG } from "../../driver/report/log.ts";
import { DriverError } from "../../error.ts";

const VK_ERROR_INCOMPATIBLE_DRIVER = -9;

/**
 * A creating command as native code is to call it: that a driver or a layer
 * cannot be used is VK_ERROR_INCOMPATIBLE_DRIVER there, and standard error says
 * why. TypeScript gets the error itself, as whatever else a callback throws.
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
