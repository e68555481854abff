import type { CardProperties } from "./facts.ts";
import type { LibDrm } from "./libdrm.ts";

/** `DRM_MODE_…` flags of a commit. */
export const COMMIT = {
  /** An event is sent when the picture appears. */
  PAGE_FLIP_EVENT: 1,
  /** Nothing happens; the kernel says whether it could. */
  TEST_ONLY: 0x100,
  /** The call does not wait for the picture. */
  NONBLOCK: 0x200,
  /** The mode, the connectors or the power may change. */
  ALLOW_MODESET: 0x400,
} as const;

/** An object of a card whose properties are set. */
export interface SettableObject {
  /** The kernel's number of the object. */
  readonly id: number;
  /** The properties. */
  readonly properties: CardProperties;
}

/** Values of properties that the kernel has, by the numbers of object and property. */
export class KnownValues {
  readonly #values = new Map<number, Map<number, bigint | number>>();

  /** Whether the kernel has a value. */
  has(object: number, property: number, value: bigint | number): boolean {
    return this.#values.get(object)?.get(property) === value;
  }

  /** The kernel has got a value. */
  learn(object: number, property: number, value: bigint | number): void {
    const known = this.#values.get(object);
    if (known) known.set(property, value);
    else this.#values.set(object, new Map([[property, value]]));
  }

  /** Another program may have changed everything. */
  forget(): void {
    this.#values.clear();
  }
}

/** The values of properties that a commit sets. */
export class AtomicState {
  readonly #known: KnownValues | undefined;
  readonly #objects: number[] = [];
  readonly #properties: number[] = [];
  readonly #values: (bigint | number)[] = [];

  /** Sets nothing yet. Values that the kernel is known to have are left out. Default: the kernel is told everything. */
  constructor(known?: KnownValues) {
    this.#known = known;
  }

  /** Sets a property. Throws a `TypeError` if the object lacks the property. */
  set(object: SettableObject, name: string, value: bigint | number): this {
    const { id } = propertyOf(object, name);
    return this.#known?.has(object.id, id, value) ? this : this.#add(object.id, id, value);
  }

  /** Sets a property with which the kernel does something in each commit that has it. */
  tell(object: SettableObject, name: string, value: bigint | number): this {
    return this.#add(object.id, propertyOf(object, name).id, value);
  }

  /** Sets a property where the object has it and it can be set. */
  setWhereThere(object: SettableObject, name: string, value: bigint | number): this {
    const property = object.properties[name];
    return property && !property.isImmutable ? this.set(object, name, value) : this;
  }

  /** Hands everything to the kernel at once. Returns 0, or a negative error number. `user` comes back with the event. */
  commit(drm: LibDrm, fd: number, flags: number, user = 0n): number {
    const request = drm.address("drmModeAtomicAlloc");
    try {
      for (let at = 0; at < this.#values.length; at++) {
        const value = this.#values[at], word = BigInt(value);
        const unsigned = value < 0 ? BigInt.asUintN(64, word) : word;
        drm.int("drmModeAtomicAddProperty", request, this.#objects[at], this.#properties[at], unsigned);
      }
      return drm.int("drmModeAtomicCommit", fd, request, flags, user);
    } finally {
      drm.address("drmModeAtomicFree", request);
    }
  }

  /** After a commit that succeeded and was no test: the kernel has the values. */
  learn(known: KnownValues): void {
    for (let at = 0; at < this.#values.length; at++) {
      known.learn(this.#objects[at], this.#properties[at], this.#values[at]);
    }
  }

  #add(object: number, property: number, value: bigint | number): this {
    this.#objects.push(object);
    this.#properties.push(property);
    this.#values.push(value);
    return this;
  }
}

function propertyOf({ id, properties }: SettableObject, name: string) {
  const property = properties[name];
  if (!property) throw new TypeError(`Cannot set ${name}: object ${id} of the card has no such property`);
  return property;
}
