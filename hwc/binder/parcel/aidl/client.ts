import { inFrame } from "../../../../ffi/arena.ts";
import { closeDescriptor, createPipe, readInto } from "../../../../ffi/file/file_descriptor.ts";
import type { Message, RemoteObject } from "../../bus.ts";
import { failWith, STATUS } from "../../status.ts";
import { readWhole } from "../reader.ts";
import { AidlReader, AidlWriter, type Dialect } from "./dialect.ts";
import { readException } from "./exception.ts";
import { META } from "./meta.ts";
import type { AidlInterface, AidlMethod } from "./types.ts";

/** The methods of an interface of another process. Descriptors in arguments stay the caller's. */
export type AidlClient<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (...args: infer Arguments) => infer Result
    ? (...args: Arguments) => Promise<Awaited<Result>>
    : never;
};

/** The methods of an object of another process, which throw `AidlException` and `BinderStatusError`. */
export function aidlClient<Methods>(
  { descriptor, methods }: AidlInterface<Methods>,
  remote: RemoteObject,
  dialect: Dialect,
): AidlClient<Methods> {
  const made = Object.entries(methods as Record<string, AidlMethod>).map(([name, method]) => [
    name,
    (...args: unknown[]) => call(descriptor, method, remote, dialect, args),
  ]);
  return Object.fromEntries(made) as AidlClient<Methods>;
}

async function call(
  descriptor: string,
  { code, since, oneway, args: types, result }: AidlMethod,
  remote: RemoteObject,
  dialect: Dialect,
  args: readonly unknown[],
): Promise<unknown> {
  if (since > dialect.version) {
    failWith(STATUS.UNKNOWN_TRANSACTION, `version ${dialect.version} of ${descriptor} has no transaction ${code}`);
  }
  const to = new AidlWriter(dialect);
  to.token(descriptor);
  types.forEach((type, index) => type.write(to, args[index]));
  const answer = await remote.transact(code, to.message(), { oneway });
  return oneway ? undefined : readAnswer(answer, dialect, (from) => {
    readException(from);
    return result?.read(from);
  });
}

/** The version of an object's interface, 1 for one that does not know the question. */
export async function versionOf(descriptor: string, remote: RemoteObject, dialect: Dialect): Promise<number> {
  const to = new AidlWriter(dialect);
  to.token(descriptor);
  const answer = await remote.transact(META.INTERFACE_VERSION, to.message());
  return readAnswer(answer, dialect, (from) => {
    readException(from);
    return from.i32();
  });
}

function readAnswer<Value>(answer: Message, dialect: Dialect, read: (from: AidlReader) => Value): Value {
  return readWhole(new AidlReader(answer, dialect), read);
}

/** The text that an object writes about itself; `""` if no pipe can be made. */
export async function dumpOf(remote: RemoteObject, dialect: Dialect): Promise<string> {
  const pipe = createPipe(), to = new AidlWriter(dialect);
  if (!pipe) return "";
  to.fd(pipe.write);
  to.i32(0);
  try {
    await remote.transact(META.DUMP, to.message()).finally(() => closeDescriptor(pipe.write));
    return readText(pipe.read);
  } finally {
    closeDescriptor(pipe.read);
  }
}

/** The text that waits in a pipe whose other end is closed. */
function readText(fd: number): string {
  const ROOM = 4096, decoder = new TextDecoder();
  let text = "";
  const next = () =>
    inFrame((memory) => {
      const at = memory.alloc(ROOM), count = readInto(fd, at, ROOM);
      if (count > 0) text += decoder.decode(memory.bytes.slice(at, at + count), { stream: true });
      return count > 0;
    });
  while (next());
  return text;
}
