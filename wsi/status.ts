/** Android's `status_t`: 0 or a negative errno (`system/core/libutils/include/utils/Errors.h`). */
export const STATUS = {
  OK: 0,
  /** `-ENODEV`: the queue is abandoned, or no producer is connected. */
  NO_INIT: -19,
  /** `-EINVAL` */
  BAD_VALUE: -22,
  /** `-ENOSYS`: not allowed now, such as one buffer too many. */
  INVALID_OPERATION: -38,
  /** `-ENOMEM` */
  NO_MEMORY: -12,
  /** `-EWOULDBLOCK` */
  WOULD_BLOCK: -11,
  /** `-ETIMEDOUT` */
  TIMED_OUT: -110,
  /** `-EPIPE`: the other side is gone. */
  DEAD_OBJECT: -32,
} as const;

/** One of {@linkcode STATUS}; 0 is success. */
export type Status = number;
