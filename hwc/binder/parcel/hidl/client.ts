import type { RemoteObject } from "../../bus.ts";
import { failWith, STATUS } from "../../status.ts";
import { HidlWriter, reading } from "./parcel.ts";
import { type HidlInterface, type HidlMethod, nameOf, STRING, vec } from "./types.ts";

const CHAIN = 0x0f43_484e, BASE = "android.hidl.base@1.0::IBase";

/** The methods of an interface of another process, which give their results as a list. Handles in arguments stay the caller's. */
export type HidlClient<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (...args: infer Arguments) => infer Results
    ? (...args: Arguments) => Promise<Awaited<Results>>
    : never;
};

/** The methods of an object of another process, which throw a `BinderStatusError`. */
export function hidlClient<Methods>(kind: HidlInterface<Methods>, remote: RemoteObject): HidlClient<Methods> {
  const made = Object.entries(kind.methods as Record<string, HidlMethod>).map(([name, method]) => [
    name,
    (...args: unknown[]) => call(nameOf(kind, method.in), method, remote, args),
  ]);
  return Object.fromEntries(made) as HidlClient<Methods>;
}

async function call(
  descriptor: string,
  { code, oneway, args: types, results }: HidlMethod,
  remote: RemoteObject,
  args: readonly unknown[],
): Promise<unknown> {
  const to = new HidlWriter();
  to.token(descriptor);
  types.forEach((type, index) => type.write(to, args[index]));
  const answer = await remote.transact(code, to.message(), { oneway });
  return oneway ? [] : reading(answer, (from) => {
    const exception = from.i32();
    if (exception !== 0) failWith(STATUS.UNKNOWN_ERROR, `the service answers with exception ${exception}`);
    return results.map((type) => type.read(from));
  });
}

/** The names of an object's interfaces, the newest first. */
export async function chainOf(remote: RemoteObject): Promise<readonly string[]> {
  const to = new HidlWriter();
  to.token(BASE);
  const answer = await remote.transact(CHAIN, to.message());
  return reading(answer, (from) => {
    from.i32();
    return vec(STRING).read(from);
  });
}
