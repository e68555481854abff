import { refuse } from "../../core/refusal.ts";
import { ERROR } from "../../types.ts";
import { BufferSlots } from "./buffer_slots.ts";

/** A layer of a client's. */
interface ClientLayer {
  readonly display: bigint;
  /** The client's handle. */
  readonly name: bigint;
  /** The composer's handle. */
  readonly id: bigint;
  readonly slots: BufferSlots;
}

/**
 * The layers of one client. A layer that the client made in a batch has a handle of the client's choice, while the
 * composer knows it by another. Layers of `createLayer` have one handle for both, unless the client has chosen that one.
 */
export class ClientLayers {
  readonly #byName = new Map<string, ClientLayer>();
  readonly #byId = new Map<string, ClientLayer>();

  /** Refuses with BAD_LAYER a handle that a layer of the display has already. */
  checkFree(display: bigint, name: bigint): void {
    if (!this.#byName.has(key(display, name))) return;
    refuse(ERROR.BAD_LAYER, `the display has a layer ${name} already; choose another handle`);
  }

  /** Keeps a layer of the composer's, under a handle of the client's choice if there is one; returns the client's handle. */
  add(display: bigint, id: bigint, slots: number, chosen?: bigint): bigint {
    let name = chosen ?? id;
    while (this.#byName.has(key(display, name))) name = BigInt.asUintN(63, name + 1n);
    const layer = { display, name, id, slots: new BufferSlots(slots) };
    this.#byName.set(key(display, name), layer);
    this.#byId.set(key(display, id), layer);
    return name;
  }

  /** Returns the composer's handle. One that is unknown is left for the composer to refuse. */
  idOf(display: bigint, name: bigint): bigint {
    const layer = this.#byName.get(key(display, name));
    if (layer) return layer.id;
    const isOthers = this.#byId.has(key(display, name));
    return isOthers ? refuse(ERROR.BAD_LAYER, `the display has no layer ${name}; create it first`) : name;
  }

  /** Returns the client's handle of a layer of the composer's. */
  nameOf(display: bigint, id: bigint): bigint {
    return this.#byId.get(key(display, id))?.name ?? id;
  }

  /** Returns the buffers of a layer by the composer's handle. */
  slotsOf(display: bigint, id: bigint): BufferSlots | undefined {
    return this.#byId.get(key(display, id))?.slots;
  }

  /** Gives back a layer's buffers, by the composer's handle, and frees its handles. */
  remove(display: bigint, id: bigint): void {
    const layer = this.#byId.get(key(display, id));
    if (layer) this.#drop(layer);
  }

  /** The same for all layers of a display, or of all displays. */
  clear(display?: bigint): void {
    for (const layer of [...this.#byId.values()]) {
      if (display === undefined || layer.display === display) this.#drop(layer);
    }
  }

  #drop({ display, name, id, slots }: ClientLayer): void {
    slots.close();
    this.#byId.delete(key(display, id));
    this.#byName.delete(key(display, name));
  }
}

function key(display: bigint, layer: bigint): string {
  return `${display}/${layer}`;
}
