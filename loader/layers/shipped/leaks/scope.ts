/** A created object. */
export interface Made {
  /** The handle type. */
  readonly type: string;
  /** The handle. */
  readonly handle: bigint;
  /** The command that created the object. */
  readonly command: string;
  /** The place in the program. */
  readonly site: Error;
  /** The pool of the object; 0n for none. */
  readonly pool: bigint;
}

/** The objects of an instance or a device that were created and not yet destroyed. */
export class ObjectScope {
  /** `VkInstance`, `VkDevice`, or `loader` for the scope of instances. */
  readonly type: string;
  /** The scope to which the instance or device belongs as an object. */
  readonly parent: ObjectScope | undefined;
  /** The instance or device; 0n if it is unknown. */
  readonly handle: bigint;
  /** Drivers may return the same handle for two objects with equal contents. */
  readonly #objects = new Map<string, Made[]>();
  /** The keys of the objects of each pool. */
  readonly #pools = new Map<bigint, Set<string>>();

  /** Starts without objects. */
  constructor(type: string, parent?: ObjectScope, handle = 0n) {
    this.type = type;
    this.parent = parent;
    this.handle = handle;
  }

  /** Returns all remaining objects, by type and handle, in the order of creation. */
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

  /** Removes an object and, if it is a pool, the objects of the pool. Returns `false` if the object was not here. */
  remove(type: string, handle: bigint): boolean {
    const key = keyOf(type, handle), known = this.#objects.get(key), made = known?.pop();
    if (!made) return false;
    if (known!.length === 0) this.#objects.delete(key);
    if (made.pool !== 0n && !known!.some(({ pool }) => pool === made.pool)) this.#fromPool(made.pool).delete(key);
    if (known!.length === 0 && type.endsWith("Pool")) this.empty(handle);
    return true;
  }

  /** Removes the objects of a pool. */
  empty(pool: bigint): void {
    for (const key of this.#pools.get(pool) ?? []) {
      const others = this.#objects.get(key)?.filter((made) => made.pool !== pool) ?? [];
      if (others.length > 0) this.#objects.set(key, others);
      else this.#objects.delete(key);
    }
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
