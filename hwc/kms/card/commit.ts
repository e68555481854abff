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
export type KnownValues = Map<number, bigint | number>;

/** A value that a commit sets. */
interface Setting {
  readonly object: number;
  readonly property: number;
  readonly value: bigint | number;
  /** Whether the kernel is told even if it has the value: it does something with it each time. */
  readonly always: boolean;
}

/** Numbers of objects and properties are below this. */
const MOST_NUMBERS = 2 ** 26;

/** The values of properties that a commit sets. */
export class AtomicState {
  readonly #values: Setting[] = [];

  /** Sets a property. Throws a `TypeError` if the object lacks the property. */
  set(object: SettableObject, name: string, value: bigint | number): this {
    return this.#add(object, name, value, false);
  }

  /** Sets a property with which the kernel does something in each commit that has it. */
  tell(object: SettableObject, name: string, value: bigint | number): this {
    return this.#add(object, name, value, true);
  }

  /** Sets a property where the object has it and it can be set. */
  setWhereThere(object: SettableObject, name: string, value: bigint | number): this {
    const property = object.properties[name];
    return property && !property.isImmutable ? this.set(object, name, value) : this;
  }

  /**
   * Hands everything to the kernel at once, but for values that the kernel is known to have. Returns 0, or a negative
   * error number. `user` comes back with the event. The values are known after that, unless the commit is a test.
   */
  commit(drm: LibDrm, fd: number, flags: number, user = 0n, known?: KnownValues): number {
    const request = drm.address("drmModeAtomicAlloc");
    try {
      for (const { object, property, value, always } of this.#values) {
        if (!always && known?.get(object * MOST_NUMBERS + property) === value) continue;
        drm.int("drmModeAtomicAddProperty", request, object, property, BigInt.asUintN(64, BigInt(value)));
      }
      const result = drm.int("drmModeAtomicCommit", fd, request, flags, user);
      if (result === 0 && known && (flags & COMMIT.TEST_ONLY) === 0) this.#learn(known);
      return result;
    } finally {
      drm.address("drmModeAtomicFree", request);
    }
  }

  #add({ id, properties }: SettableObject, name: string, value: bigint | number, always: boolean): this {
    const property = properties[name];
    if (!property) throw new TypeError(`Cannot set ${name}: object ${id} of the card has no such property`);
    this.#values.push({ object: id, property: property.id, value, always });
    return this;
  }

  #learn(known: KnownValues): void {
    for (const { object, property, value } of this.#values) known.set(object * MOST_NUMBERS + property, value);
  }
}
