import type { Fields, RecordedCall } from "../record/line.ts";
import {
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
  VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
  VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
} from "../../../loader/gen/enums_core_gen.js";

/** The resource that a descriptor refers to. */
export interface Descriptor {
  /** Number of the binding, and the element in it. */
  readonly binding: number;
  readonly element: number;
  /** VkDescriptorType. */
  readonly type: number;
  /** The buffer, with the range that is visible. */
  readonly buffer?: { readonly name: string; readonly offset: string; readonly range: string };
  /** The image view. */
  readonly view?: string;
  /** The layout that the image has when it is used. */
  readonly layout?: number;
  /** The sampler. */
  readonly sampler?: string;
  /** The buffer view. */
  readonly bufferView?: string;
}

/** Descriptors by binding and element. */
export type DescriptorTable = Map<string, Descriptor>;

const STORAGE: ReadonlySet<number> = new Set([
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
  VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
  VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
]);

/** Whether shaders may write what a descriptor refers to. */
export function isStorage({ type }: Descriptor): boolean {
  return STORAGE.has(type);
}

/** The resources that the descriptor sets of a recording refer to. */
export class Descriptors {
  readonly #sets = new Map<string, DescriptorTable>();

  /** Notes what a call writes into sets. */
  note({ command, args }: RecordedCall): void {
    if (command !== "vkUpdateDescriptorSets") return;
    for (const write of args.pDescriptorWrites ?? []) writeInto(this.#tableOf(write.dstSet), write);
    for (const copy of args.pDescriptorCopies ?? []) this.#copy(copy);
  }

  /** Notes a set's end. */
  remove(set: string): void {
    this.#sets.delete(set);
  }

  /** Returns what a set refers to. */
  of(set: string): DescriptorTable {
    return this.#sets.get(set) ?? new Map();
  }

  #copy({ srcSet, srcBinding, srcArrayElement, dstSet, dstBinding, dstArrayElement, descriptorCount }: Fields): void {
    for (let index = 0; index < descriptorCount; index++) {
      const found = this.of(srcSet).get(`${srcBinding}.${srcArrayElement + index}`), element = dstArrayElement + index;
      if (found) this.#tableOf(dstSet).set(`${dstBinding}.${element}`, { ...found, binding: dstBinding, element });
    }
  }

  #tableOf(set: string): DescriptorTable {
    const table = this.#sets.get(set) ?? new Map();
    this.#sets.set(set, table);
    return table;
  }
}

/** Puts a VkWriteDescriptorSet into a table. */
export function writeInto(table: DescriptorTable, write: Fields): void {
  const { dstBinding: binding, dstArrayElement = 0, descriptorType: type } = write;
  const infos: Fields[] = write.pBufferInfo ?? write.pImageInfo ?? (write.pTexelBufferView ?? []).map(
    (bufferView: string) => ({ bufferView }),
  );
  for (const [index, info] of infos.entries()) {
    const { buffer: name, offset, range, imageView: view, imageLayout: layout, sampler, bufferView } = info;
    const element = dstArrayElement + index, buffer = name ? { name, offset, range } : undefined;
    table.set(`${binding}.${element}`, { binding, element, type, buffer, view, layout, sampler, bufferView });
  }
}
