/**
 * An object that makes each method when its name is first used, and keeps the
 * method. Names without a command are `undefined`, as on any object.
 */
export interface CommandObject<T extends object> {
  /** The object itself. */
  readonly object: T;
  /** Forgets a method, or all: they are made anew when named again. */
  forget(name?: string): void;
}

/** Makes an object over a function that makes its methods. */
export function commandObject<T extends object>(make: (name: string) => unknown): CommandObject<T> {
  const end = new Proxy({}, {
    get(_, name) {
      const method = typeof name === "string" ? make(name) : undefined;
      if (method !== undefined) Object.defineProperty(methods, name, { value: method, configurable: true });
      return method;
    },
    has: (_, name) => typeof name === "string" && make(name) !== undefined,
  });
  const methods = Object.create(end), object = Object.create(methods);
  const forget = (name?: string) => {
    for (const each of name === undefined ? Object.getOwnPropertyNames(methods) : [name]) delete methods[each];
  };
  return { object, forget };
}
