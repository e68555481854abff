import { createThunk, type Thunk } from "../../ffi/thunk/thunk.ts";
import { bindByAddress } from "../../ffi/stubs.ts";
import type { UsableDriver } from "../../egl/api/options.ts";
import { changedDriver } from "./fake_driver.ts";

type Word = number | bigint;

/** A function's other answer: its signature, and its work with the answer of the driver's own. */
export type Lie = readonly [signature: string, work: (next: (...args: Word[]) => Word, ...args: Word[]) => Word];

/** Lies of single functions, by name; `undefined` for functions that are to be missing. */
export type Lies = Readonly<Record<string, Lie | undefined>>;

/** A real driver some of whose functions lie. */
export function lyingDriver(driver: UsableDriver, lies: Lies): UsableDriver {
  const missing = Object.keys(lies).filter((name) => !lies[name]).map((name) => [name, undefined]);
  const rest = changedDriver(driver, Object.fromEntries(missing)), thunks = new Map<string, Thunk>();
  for (const [name, lie] of Object.entries(lies)) {
    if (!lie) continue;
    const [signature, work] = lie;
    const address = driver.find(name, name.startsWith("egl") ? "egl" : "gles2");
    const next = (...args: Word[]) => bindByAddress(signature)(...args, address) as Word;
    thunks.set(name, createThunk(signature, (...args) => work(next, ...args)));
  }
  const find: UsableDriver["find"] = (name, api) => thunks.get(name)?.address ?? rest.find(name, api);
  const close = () => {
    driver.close();
    for (const thunk of thunks.values()) thunk.free();
  };
  return { ...rest, find, findExported: find, close, [Symbol.dispose]: close };
}
