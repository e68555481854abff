import { createThunk, returning, type Thunk } from "../../ffi/thunk/thunk.ts";
import type { UsableDriver } from "../../egl/api/options.ts";

/** Answers of single functions, by name; `undefined` for functions that are to be missing. */
export type Answers = Readonly<Record<string, readonly [signature: string, result: number | bigint] | undefined>>;

/** A real driver some of whose functions are missing or always return the same. */
export function changedDriver(driver: UsableDriver, answers: Answers): UsableDriver {
  const find = (name: string, own: () => bigint) => {
    // The loader asks eglGetProcAddress for what is not exported: it must not find what is to be missing.
    if (name === "eglGetProcAddress") return 0n;
    if (!Object.hasOwn(answers, name)) return own();
    const answer = answers[name];
    return answer ? returning(answer[0], answer[1]) : 0n;
  };
  return {
    ...driver,
    handle: undefined,
    find: (name, api) => find(name, () => driver.find(name, api)),
    findExported: (name, api) => find(name, () => driver.find(name, api)),
  };
}

/** A driver of a few functions in TypeScript: what they are called, and with what. */
export function inventedDriver(functions: Readonly<Record<string, (...args: (number | bigint)[]) => bigint>>) {
  const thunks = new Map<string, Thunk>();
  for (const [name, work] of Object.entries(functions)) {
    thunks.set(
      name,
      createThunk("q:qqq", (...args) => work(...args)),
    );
  }
  const find = (name: string) => thunks.get(name)?.address ?? 0n;
  const close = () => thunks.forEach((thunk) => thunk.free());
  return {
    path: "invented",
    libraries: [],
    kind: "three" as const,
    answersAnyName: false,
    find,
    findExported: find,
    close,
    [Symbol.dispose]: close,
  };
}
