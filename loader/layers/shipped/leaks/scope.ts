/** An object that was made. */
export interface Made {
  /** Its handle type. */
  readonly type: string;
  /** The handle. */
  readonly handle: bigint;
  /** The command that made it. */
  readonly command: string;
  /** Where the program was then. */
  readonly site: Error;
  /** The pool it came from; 0n for none. */
  readonly pool: bigint;
}

/** The objects of an instance or a device that were made and not yet destroyed. */
export class ObjectScope {
  /** `VkInstance`, `VkDevice`, or `loader` for the one that instances are in. */
  readonly type: string;
  /** The scope that the instance or device itself is an object of. */
  readonly parent: ObjectScope | undefined;
  /** The instance or device; 0n where that is not known. */
  readonly handle: bigint;
  /** Drivers may give the same handle again for an object that is just like another. */
  readonly #objects = new Map<string, Made[]>();
  /** The keys of what came from each pool. */
  readonly #pools = new Map<bigint, Set<string>>();

  /** Without objects yet. */
  constructor(type: string, parent?: ObjectScope, handle = 0n) {
    this.type = type;
    this.parent = parent;
    this.handle = handle;
  }

  /** Everything that is left, in the order in which it was made by type and handle. */
  left(): Made[] {
    return [...this.#objects.values()].flat();
  }

  /** Takes note of an object. */
  add(made: Made): void {
    const key = keyOf(made.type, made.handle), known = this.#objects.get(key);
    if (known) known.push(made);
    else this.#objects.set(key, [made]);
    if (made.pool !== 0n) this.#fromPool(made.pool).add(key);
  }

  /** Strikes an object out, and what came from it if it is a pool; `false` if it was not here. */
  remove(type: string, handle: bigint): boolean {
    const key = keyOf(type, handle), known = this.#objects.get(key), made = known?.pop();
    if (!made) return false;
    if (known!.length === 0) this.#objects.delete(key);
    if (made.pool !== 0n) this.#fromPool(made.pool).delete(key);
    if (type.endsWith("Pool")) this.empty(handle);
    return true;
  }

  /** Strikes out what came from a pool. */
  empty(pool: bigint): void {
    for (const key of this.#pools.get(pool) ?? []) this.#objects.delete(key);
    this.#pools.delete(pool);
  }

  #fromPool(pool: bigint): Set<string> {
    let keys = this.#pools.get(pool);
    if (!keys) this.#pools.set(pool, keys = new Set());
    return keys;
  }
}

function keyOf(type: string, handle: bigint): string {
  return `${type} ${handle}`;
}
