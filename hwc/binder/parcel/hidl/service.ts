import type { LocalObject, Message } from "../../bus.ts";
import { failWith, STATUS } from "../../status.ts";
import { type HidlReader, HidlWriter, reading } from "./parcel.ts";
import { type HidlInterface, type HidlMethod, nameOf, STRING, struct, U32, U64, vec } from "./types.ts";

/** `android.hidl.base@1.0::IBase`, and the numbers of its methods. */
const BASE = "android.hidl.base@1.0::IBase";
const PING = 0x0f50_4e47, CHAIN = 0x0f43_484e, DESCRIPTOR = 0x0f44_5343, SYSPROPS = 0x0f53_5953;
const DEBUG_INFO = 0x0f52_4546, DEBUG = 0x0f44_4247;
const DEBUG_INFO_TYPE = struct<{ pid: number; ptr: bigint; arch: number }>(24, {
  pid: [0, U32],
  ptr: [8, U64],
  arch: [16, U32],
});
const ARCH_64 = 1, NO_EXCEPTION = 0;

/** The implementation of an interface: each method gets its arguments, and gives the list of its results. */
export type HidlHandlers<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (...args: infer Arguments) => infer Results
    ? (...args: Arguments) => Results | Promise<Results>
    : never;
};

/** An object that answers calls of an interface up to a version, and those of IBase. */
export function hidlService<Methods>(
  kind: HidlInterface<Methods>,
  handlers: HidlHandlers<Methods>,
  version: string,
  released?: () => void,
): LocalObject {
  const byCode = new Map<number, readonly [string, HidlMethod]>();
  for (const [name, method] of Object.entries(kind.methods) as [string, HidlMethod][]) {
    if (method.in <= version) byCode.set(method.code, [name, method]);
  }
  const versions = kind.versions.filter((one) => one <= version).toReversed();
  const chain = [...versions.map((one) => nameOf(kind, one)), BASE];
  return {
    released,
    transact(code, message) {
      const found = byCode.get(code);
      if (!found) return answerBase(code, message, chain);
      const [name, method] = found, handler = handlers[name as keyof Methods] as (...args: unknown[]) => unknown;
      const args = reading(message, (from) => readCall(from, nameOf(kind, method.in), method));
      const results = handler(...args);
      return results instanceof Promise
        ? results.then((values) => answer(method, values))
        : answer(method, results as unknown[]);
    },
  };
}

function readCall(from: HidlReader, descriptor: string, { args }: HidlMethod): unknown[] {
  from.token(descriptor);
  return args.map((type) => type.read(from));
}

function answer({ oneway, results }: HidlMethod, values: readonly unknown[]): Message {
  const to = new HidlWriter();
  if (oneway) return to.message();
  to.i32(NO_EXCEPTION);
  results.forEach((type, index) => type.write(to, values[index]));
  return to.message();
}

/** The methods of IBase. */
function answerBase(code: number, message: Message, chain: readonly string[]): Message {
  return reading(message, (from) => {
    const to = new HidlWriter();
    from.token(BASE);
    if (![PING, CHAIN, DESCRIPTOR, SYSPROPS, DEBUG_INFO, DEBUG].includes(code)) {
      failWith(STATUS.UNKNOWN_TRANSACTION, `${chain[0]} has no transaction ${code}`);
    }
    to.i32(NO_EXCEPTION);
    if (code === CHAIN) vec(STRING).write(to, chain);
    else if (code === DESCRIPTOR) STRING.write(to, chain[0]);
    else if (code === DEBUG_INFO) DEBUG_INFO_TYPE.write(to, { pid: Deno.pid, ptr: 0n, arch: ARCH_64 });
    return to.message();
  });
}
