import { GraphicsError } from "../../ffi/error.ts";

/** The transport statuses of binder, `binder_status_t`. */
export const STATUS = {
  OK: 0,
  NAME_NOT_FOUND: -2,
  PERMISSION_DENIED: -1,
  NO_MEMORY: -12,
  ALREADY_EXISTS: -17,
  BAD_VALUE: -22,
  DEAD_OBJECT: -32,
  INVALID_OPERATION: -38,
  UNKNOWN_TRANSACTION: -74,
  UNKNOWN_ERROR: -0x8000_0000,
  BAD_TYPE: -0x7fff_ffff,
  FAILED_TRANSACTION: -0x7fff_fffe,
  FDS_NOT_ALLOWED: -0x7fff_fff9,
  UNEXPECTED_NULL: -0x7fff_fff8,
} as const;

const NAMES = new Map<number, string>(Object.entries(STATUS).map(([name, value]) => [value, name]));

/** A call that binder itself could not carry out, or whose receiver refused its form. */
export class BinderStatusError extends GraphicsError<number> {
  override readonly name = "BinderStatusError";

  /** Takes one of {@linkcode STATUS}, or another status of the other side's, and what was found. */
  constructor(code: number, sentence: string) {
    const codeName = NAMES.get(code) ?? `status ${code}`;
    super({ code, codeName, sentence, message: `${codeName}: ${sentence}` });
  }
}

/** Ends a call with a status. */
export function failWith(status: number, sentence: string): never {
  throw new BinderStatusError(status, sentence);
}
