import { NativeBlock } from "../../ffi/block.ts";
import { poke32, publish64 } from "../../ffi/machine.ts";
import { LIST } from "../emit/layout.ts";
import { codec } from "../codec/codec.ts";
import { type LayerProperties, writeLayerList } from "../layers/choice/tell.ts";
import { byLayer } from "../chain/bottom/device_extensions.ts";
import { DEVICE_EXTENSIONS } from "../chain/bottom/driver_instance.ts";
import type { DispatchTable } from "../chain/table/dispatch_table.ts";
import { findCommand } from "../command/registry/table.ts";

/** Bytes of one function pointer. */
const POINTER = 8;

/**
 * The layers of an instance in the form that machine code copies for other
 * threads. An old list stays, because a thread may still be reading it.
 */
export class LayerLists {
  readonly #table: DispatchTable;
  readonly #lists = new Map<string, NativeBlock>();

  /** Starts without a list. `table` is the instance's dispatch table. */
  constructor(table: DispatchTable) {
    this.#table = table;
  }

  /** Publishes a list for other threads. */
  publish(layers: readonly LayerProperties[]): void {
    const key = JSON.stringify(layers), list = this.#lists.get(key) ?? listOf(layers);
    this.#lists.set(key, list);
    publish64(this.#table.address + BigInt(POINTER * this.#table.layout.layers), list.address);
  }

  /** Frees the lists. No other thread may be reading. */
  close(): void {
    for (const list of this.#lists.values()) list.close();
  }
}

function listOf(layers: readonly LayerProperties[]): NativeBlock {
  const { size } = codec("VkLayerProperties"), list = new NativeBlock(LIST.elements + size * layers.length);
  const count = list.address + BigInt(LIST.count);
  poke32(count, layers.length);
  writeLayerList(layers, count, list.address + BigInt(LIST.elements));
  return list;
}

/**
 * Makes an instance's table send queries for a layer's device extensions to
 * `layered`, on every thread. The chain still answers all other queries. A
 * driver therefore need not know any layer.
 */
export function askOfLayers(table: DispatchTable, layered: bigint): void {
  const { slot } = findCommand(DEVICE_EXTENSIONS)!, plain = table.get(slot), { ofObject } = byLayer()!;
  if (plain === ofObject || plain === 0n) return;
  table.set(table.layout.plain, plain);
  table.set(table.layout.layered, layered);
  table.set(slot, ofObject);
}
