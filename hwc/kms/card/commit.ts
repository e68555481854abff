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

/** The values of properties that a commit sets. */
export class AtomicState {
  readonly #values: { object: number; property: number; value: bigint }[] = [];

  /** Sets a property. Throws a `TypeError` if the object lacks the property. */
  set({ id, properties }: SettableObject, name: string, value: bigint | number): this {
    const property = properties[name];
    if (!property) throw new TypeError(`Cannot set ${name}: object ${id} of the card has no such property`);
    this.#values.push({ object: id, property: property.id, value: BigInt.asUintN(64, BigInt(value)) });
    return this;
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
      for (const { object, property, value } of this.#values) {
        drm.int("drmModeAtomicAddProperty", request, object, property, value);
      }
      return drm.int("drmModeAtomicCommit", fd, request, flags, user);
    } finally {
      drm.address("drmModeAtomicFree", request);
    }
  }
}
