import type { HidlInterface, HidlMethod } from "../parcel/hidl/types.ts";

/** A method's name without the version that widened it, such as `setPowerMode` of `setPowerMode_2_2`. */
export function baseName(name: string): string {
  return name.replace(/_2_\d$/, "");
}

/** Answers by the name without a version, under the names of all versions. */
export function inAllVersions<Methods>(
  kind: HidlInterface<Methods>,
  byBase: Readonly<Record<string, (...args: never[]) => unknown>>,
): Record<keyof Methods, (...args: never[]) => unknown> {
  const names = Object.keys(kind.methods);
  return Object.fromEntries(names.map((name) => [name, byBase[baseName(name)]])) as Record<
    keyof Methods,
    (...args: never[]) => unknown
  >;
}

/** The newest name of a method that a version has; `undefined` if it has none. */
export function newestName<Methods>(kind: HidlInterface<Methods>, base: string, version: string): string | undefined {
  const all = (Object.entries(kind.methods) as [string, HidlMethod][])
    .filter(([name, method]) => baseName(name) === base && method.in <= version);
  return all.toSorted(([, one], [, other]) => one.in < other.in ? -1 : 1).at(-1)?.[0];
}
