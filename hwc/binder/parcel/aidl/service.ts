import { writeOnce } from "../../../../ffi/file/file_descriptor.ts";
import type { LocalObject, Message } from "../../bus.ts";
import { BinderStatusError, failWith, STATUS } from "../../status.ts";
import { AidlReader, AidlWriter, type Dialect } from "./dialect.ts";
import { AidlException, EXCEPTION, writeException } from "./exception.ts";
import { META } from "./meta.ts";
import type { AidlInterface, AidlMethod } from "./types.ts";

/** A method's implementation, whose answer may come later. */
type Handler<Method> = Method extends (...args: infer Arguments) => infer Result
  ? (...args: Arguments) => Result | Promise<Result>
  : never;

/** The implementation of an interface; its methods own the descriptors and objects among their arguments. */
export type Handlers<Methods> = { readonly [Name in keyof Methods]: Handler<Methods[Name]> };

/** Facts that an object tells of itself. */
export interface ServiceFacts {
  /** The hash of the frozen interface. */
  readonly hash: string;
  /** The text of DUMP. */
  readonly dump?: () => string | Promise<string>;
  /** Called when no other process has it any more. */
  readonly released?: () => void;
  /** Gets what went wrong in an implementation that threw something else than an exception of AIDL. */
  readonly failed?: (method: string, error: unknown) => AidlException;
}

/** An object that answers calls of an interface, up to the dialect's version of the interface. */
export function aidlService<Methods>(
  kind: AidlInterface<Methods>,
  handlers: Handlers<Methods>,
  dialect: Dialect,
  facts: ServiceFacts,
): LocalObject {
  const byCode = new Map<number, readonly [string, AidlMethod]>();
  for (const [name, method] of Object.entries(kind.methods) as [string, AidlMethod][]) {
    if (method.since <= dialect.version) byCode.set(method.code, [name, method]);
  }
  return {
    released: facts.released,
    transact(code, message) {
      const from = new AidlReader(message, dialect), found = byCode.get(code);
      if (!found) return answerMeta(code, from, { kind, dialect, facts });
      const [name, method] = found, handler = handlers[name as keyof Methods] as (...args: unknown[]) => unknown;
      const args = readArguments(from, kind.descriptor, method);
      return answerTo(() => handler(...args), dialect, method, (error) => exceptionOf(error, name, facts));
    },
  };
}

function readArguments(from: AidlReader, descriptor: string, { args }: AidlMethod): unknown[] {
  try {
    from.token(descriptor);
    const values = args.map((type) => type.read(from));
    from.close();
    return values;
  } catch (error) {
    from.drop();
    throw error;
  }
}

function answerTo(
  call: () => unknown,
  dialect: Dialect,
  { oneway, result }: AidlMethod,
  exception: (error: unknown) => AidlException,
): Message | Promise<Message> {
  const to = new AidlWriter(dialect);
  const done = (value: unknown) => {
    if (oneway) return to.message();
    to.i32(EXCEPTION.NONE);
    result?.write(to, value);
    return to.message();
  };
  const failed = (error: unknown) => {
    if (!oneway) writeException(to, exception(error));
    return to.message();
  };
  let value: unknown;
  try {
    value = call();
  } catch (error) {
    return failed(error);
  }
  return value instanceof Promise ? value.then(done, failed) : done(value);
}

function exceptionOf(error: unknown, name: string, { failed }: ServiceFacts): AidlException {
  if (error instanceof BinderStatusError) throw error;
  if (error instanceof AidlException) return error;
  return failed?.(name, error) ?? new AidlException(EXCEPTION.ILLEGAL_STATE, `${name} failed: ${error}`);
}

interface Asked<Methods> {
  readonly kind: AidlInterface<Methods>;
  readonly dialect: Dialect;
  readonly facts: ServiceFacts;
}

/** The transactions that every object knows. UNKNOWN_TRANSACTION tells a newer peer that a method is missing. */
function answerMeta<Methods>(
  code: number,
  from: AidlReader,
  { kind, dialect, facts }: Asked<Methods>,
): Message | Promise<Message> {
  const to = new AidlWriter(dialect);
  if (code === META.DUMP) return dumpInto(from, to, facts);
  try {
    if (code === META.INTERFACE_VERSION || code === META.INTERFACE_HASH) from.token(kind.descriptor);
  } finally {
    from.close();
  }
  switch (code) {
    case META.INTERFACE_VERSION:
      to.i32(EXCEPTION.NONE);
      to.i32(dialect.version);
      break;
    case META.INTERFACE_HASH:
      to.i32(EXCEPTION.NONE);
      to.text(facts.hash);
      break;
    case META.INTERFACE:
      to.text(kind.descriptor);
      break;
    case META.DEBUG_PID:
      to.i32(Deno.pid);
      break;
    case META.EXTENSION:
      to.object(null);
      to.stability(true);
      break;
    case META.PING:
    case META.SYSPROPS:
      break;
    default:
      failWith(STATUS.UNKNOWN_TRANSACTION, `${kind.descriptor} has no transaction ${code}`);
  }
  return to.message();
}

/** A caller reads its pipe only behind the call, so there is as much as a pipe takes. */
const MOST_DUMP = 60_000;

/** Writes the text to the caller's descriptor. */
async function dumpInto(from: AidlReader, to: AidlWriter, { dump }: ServiceFacts): Promise<Message> {
  try {
    const fd = from.fd(), bytes = new TextEncoder().encode(await dump?.() ?? "");
    if (writeOnce(fd, bytes.subarray(0, MOST_DUMP)) < 0) failWith(STATUS.BAD_VALUE, "the text cannot be written there");
  } finally {
    from.drop();
  }
  return to.message();
}
