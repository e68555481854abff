import { errorName } from "../../../ffi/file/file_descriptor.ts";
import { BinderStatusError, STATUS } from "../status.ts";
import { BR } from "./uapi.ts";

const EPERM = 1, ESRCH = 3, EINVAL = 22, ENOSPC = 28;

/** Returns the error of a call that the driver ended with one of its returns and a negative errno, 0 if it told none. */
export function failureOf(returned: number, error: number): BinderStatusError {
  if (returned === BR.DEAD_REPLY || error === -ESRCH) {
    return new BinderStatusError(STATUS.DEAD_OBJECT, "the object's process has ended");
  }
  if (returned === BR.FROZEN_REPLY) {
    return new BinderStatusError(STATUS.FAILED_TRANSACTION, "the object's process is frozen: thaw it first");
  }
  return new BinderStatusError(
    STATUS.FAILED_TRANSACTION,
    `the kernel could not carry the call out: ${reasonOf(error)}`,
  );
}

function reasonOf(error: number): string {
  switch (-error) {
    case 0:
      return "it does not tell why";
    case EPERM:
      return "the receiver takes no file descriptors, or this process may not call it";
    case EINVAL:
      return "the message has an object, a descriptor or a target that does not exist";
    case ENOSPC:
      return "the receiver has no room for so large a message now";
  }
  return errorName(-error);
}
