import { GraphicsError } from "../../../../ffi/error.ts";
import { failWith, STATUS } from "../../status.ts";
import type { AidlReader, AidlWriter } from "./dialect.ts";

/** The exceptions of `android.os.Status`. */
export const EXCEPTION = {
  NONE: 0,
  SECURITY: -1,
  BAD_PARCELABLE: -2,
  ILLEGAL_ARGUMENT: -3,
  NULL_POINTER: -4,
  ILLEGAL_STATE: -5,
  NETWORK_MAIN_THREAD: -6,
  UNSUPPORTED_OPERATION: -7,
  SERVICE_SPECIFIC: -8,
  PARCELABLE: -9,
} as const;
const NOTED_OPERATIONS = -127, REPLY_HEADER = -128;
const NAMES = new Map<number, string>(Object.entries(EXCEPTION).map(([name, value]) => [value, name]));

/** A method's failure: an exception, and for SERVICE_SPECIFIC the service's own code. */
export class AidlException extends GraphicsError<number> {
  override readonly name = "AidlException";
  /** The service's code, such as `IComposerClient.EX_BAD_DISPLAY`; 0 for other exceptions. */
  readonly specific: number;

  /** Takes one of {@linkcode EXCEPTION}, the message, and the service's code. */
  constructor(code: number, sentence: string, specific = 0) {
    super({ code, codeName: NAMES.get(code) ?? `exception ${code}`, sentence });
    this.specific = specific;
  }
}

/** Writes the words of an exception, which stand in the place of the result. */
export function writeException(to: AidlWriter, { code, sentence, specific }: AidlException): void {
  to.i32(code);
  to.text(sentence);
  to.i32(0);
  if (code === EXCEPTION.SERVICE_SPECIFIC) to.i32(specific);
  else if (code === EXCEPTION.PARCELABLE) to.i32(0);
}

/** Reads past the word of a method that succeeded; throws an {@linkcode AidlException} for one that did not. */
export function readException(from: AidlReader): void {
  let code = from.i32();
  if (code === NOTED_OPERATIONS) {
    skipSized(from);
    code = from.i32();
  }
  if (code === REPLY_HEADER) {
    skipSized(from);
    return;
  }
  if (code === EXCEPTION.NONE) return;
  const sentence = from.text() ?? "", stack = from.at, size = from.i32();
  if (size !== 0) from.within(stack, size, () => {});
  throw new AidlException(code, sentence, code === EXCEPTION.SERVICE_SPECIFIC ? from.i32() : 0);
}

/** A header whose size counts the size's own word. */
function skipSized(from: AidlReader): void {
  const start = from.at, size = from.i32();
  if (size < 4) failWith(STATUS.BAD_VALUE, `a header has ${size} bytes`);
  from.within(start, size, () => {});
}
