import { Refusal } from "../core/refusal.ts";
import { HwcError, hwcErrorName } from "../hwc_error.ts";
import { ERROR } from "../types.ts";
import { AidlException, EXCEPTION } from "./parcel/aidl/exception.ts";
import { BinderStatusError, STATUS } from "./status.ts";

/** The code of what a composer threw: its own, BAD_PARAMETER for a value of no use, or NO_RESOURCES for another failure. */
export function codeOf(error: unknown): number {
  if (error instanceof TypeError || error instanceof RangeError) return ERROR.BAD_PARAMETER;
  return error instanceof HwcError || error instanceof Refusal ? error.code : ERROR.NO_RESOURCES;
}

/** The exception for what a composer threw: the one that a client of the service gets. */
export function exceptionOf(_method: string, error: unknown): AidlException {
  const sentence = error instanceof HwcError ? error.sentence : error instanceof Error ? error.message : String(error);
  return new AidlException(EXCEPTION.SERVICE_SPECIFIC, sentence, codeOf(error));
}

/** The error for what a service answered with, as the one that a composer throws. */
export function hwcErrorOf(method: string, error: unknown): unknown {
  if (error instanceof AidlException && error.code === EXCEPTION.SERVICE_SPECIFIC) {
    return new HwcError(
      method,
      error.specific,
      error.sentence || `the service answers ${hwcErrorName(error.specific)}`,
    );
  }
  if (error instanceof AidlException) {
    return new HwcError(method, ERROR.BAD_PARAMETER, `${error.codeName}: ${error.sentence}`);
  }
  if (!(error instanceof BinderStatusError)) return error;
  const isMissing = error.code === STATUS.UNKNOWN_TRANSACTION;
  return new HwcError(method, isMissing ? ERROR.UNSUPPORTED : ERROR.NO_RESOURCES, error.message);
}
