/** The objects that end with others: with the pool that they come from, or with their device. */
export class Children {
  readonly #children = new Map<string, Set<string>>();
  readonly #parents = new Map<string, readonly string[]>();

  /** Notes a new object, and the objects with which it ends. */
  add(name: string, parents: readonly (string | null | undefined)[]): void {
    this.#leave(name);
    const known = parents.filter((each) => typeof each === "string");
    if (known.length === 0) return;
    this.#parents.set(name, known);
    for (const parent of known) {
      const children = this.#children.get(parent);
      if (children) children.add(name);
      else this.#children.set(parent, new Set([name]));
    }
  }

  /** Forgets an object. Returns that object, and all objects that end with it. */
  remove(name: string): string[] {
    this.#leave(name);
    return [name, ...this.empty(name)];
  }

  /** Forgets the objects that end with another, which stays. Returns them. */
  empty(name: string): string[] {
    const children = [...this.#children.get(name) ?? []];
    return children.flatMap((child) => this.remove(child));
  }

  #leave(name: string): void {
    for (const parent of this.#parents.get(name) ?? []) {
      const children = this.#children.get(parent);
      children?.delete(name);
      if (children?.size === 0) this.#children.delete(parent);
    }
    this.#parents.delete(name);
  }
}

/** Returns the pool from which a call takes what it makes; `undefined` for other calls. */
export function poolIn(
  args: Readonly<Record<string, Record<string, string | undefined> | undefined>>,
): string | undefined {
  return args.pAllocateInfo?.commandPool ?? args.pAllocateInfo?.descriptorPool;
}
