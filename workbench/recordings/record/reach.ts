import {
  type Descriptor,
  descriptorsOf,
  type Fields,
  markersOf,
  namesIn,
  placed,
  type Use,
  usesOf,
  USING,
} from "./uses.ts";

/** The work of a submission. */
export interface Work {
  /** The uses of the work, in order. */
  readonly uses: readonly Step[];
  /** By event or query, how many steps are done when the host sees that it is set or available. */
  readonly markers: ReadonlyMap<string, number>;
}

/** A use with its place in the work. */
export interface Step extends Use {
  /** The number of markers that come before. */
  readonly step: number;
  /** Events for which the work waits before. */
  readonly gates: readonly string[];
}

/** The same while the commands are followed one by one. */
interface GrowingWork extends Work {
  readonly uses: Step[];
  readonly markers: Map<string, number>;
  gates: readonly string[];
}

/** A part of a command buffer: a use, events for which it waits, a marker, a set with its dynamic offsets, or a secondary command buffer. */
type Item =
  | { readonly use: Use }
  | { readonly gates: readonly string[] }
  | { readonly marker: string }
  | { readonly set: string; readonly offsets: readonly number[] }
  | { readonly secondary: string };

/** A command buffer: its items, and which of them it has since its last marker. */
interface Contents {
  readonly items: Item[];
  readonly known: Set<string>;
}

/**
 * The buffers and images that submissions can reach in memory: those that their commands name, also through views,
 * framebuffers, descriptor sets and secondary command buffers.
 */
export class Reach {
  readonly #contents = new Map<string, Contents>();
  /** Descriptors by binding and element. */
  readonly #sets = new Map<string, Map<string, Descriptor>>();
  /** The resources that views, framebuffers and acceleration structures are made of. */
  readonly #parts = new Map<string, readonly Use[]>();
  /** The objects that were allocated from pools. */
  readonly #pools = new Map<string, Set<string>>();

  /** Notes a call that made something. */
  made(args: Fields, out: Fields): void {
    const { pCreateInfo, pAllocateInfo } = args, pool = pAllocateInfo?.commandPool ?? pAllocateInfo?.descriptorPool;
    const made = namesIn(out), parts = namesIn(pCreateInfo).filter((name) => USING.test(name));
    if (pool) {
      const known = this.#pools.get(pool) ?? new Set();
      for (const each of made) known.add(each);
      this.#pools.set(pool, known);
    }
    if (made.length !== 1 || parts.length === 0) return;
    const range = placed(pCreateInfo.offset, pCreateInfo.range ?? pCreateInfo.size);
    this.#parts.set(made[0], parts.map((object) => ({ object, ...range, writes: true, exact: false })));
  }

  /** Forgets objects before their end, and what was allocated from them. `pool` is theirs. Returns what ends. */
  forget(names: readonly string[], pool: string | undefined): readonly string[] {
    const all = names.flatMap((name) => [name, ...this.#pools.get(name) ?? []]), siblings = this.#pools.get(pool ?? "");
    for (const each of all) {
      for (const known of [this.#contents, this.#sets, this.#parts, this.#pools]) known.delete(each);
      siblings?.delete(each);
    }
    return all;
  }

  /** Begins a command buffer. */
  begin(commandBuffer: string): void {
    this.#contents.set(commandBuffer, { items: [], known: new Set() });
  }

  /** Notes a command in a command buffer; the command is named without its suffix. */
  command(core: string, args: Fields): void {
    const contents = this.#contents.get(args.commandBuffer);
    if (!contents) return;
    for (const use of usesOf(core, args)) add(contents, { use });
    const { pDynamicOffsets: offsets = [], pDescriptorSets = [] } = args.pBindDescriptorSetsInfo ?? args;
    for (const set of pDescriptorSets) add(contents, { set, offsets });
    const { pDescriptorWrites = [] } = args.pPushDescriptorSetInfo ?? args;
    for (const { isDynamic: _, ...use } of pDescriptorWrites.flatMap(descriptorsOf)) add(contents, { use });
    for (const secondary of args.pCommandBuffers ?? []) add(contents, { secondary });
    if (core.startsWith("vkCmdWaitEvents")) {
      contents.items.push({ gates: args.pEvents });
      contents.known.clear();
    }
    for (const marker of markersOf(core, args)) {
      contents.items.push({ marker });
      contents.known.clear();
    }
  }

  /** Notes a vkUpdateDescriptorSets. */
  update({ pDescriptorWrites = [], pDescriptorCopies = [] }: Fields): void {
    for (const write of pDescriptorWrites) {
      for (const [index, each] of descriptorsOf(write).entries()) {
        this.#set(write.dstSet).set(`${write.dstBinding} ${write.dstArrayElement + index}`, each);
      }
    }
    for (const { srcSet, dstSet, srcBinding, dstBinding, ...copy } of pDescriptorCopies) {
      for (let index = 0; index < copy.descriptorCount; index++) {
        const found = this.#set(srcSet).get(`${srcBinding} ${copy.srcArrayElement + index}`);
        if (found) this.#set(dstSet).set(`${dstBinding} ${copy.dstArrayElement + index}`, found);
      }
    }
  }

  /** Returns what command buffers do if they are executed now, one after the other. */
  of(commandBuffers: readonly string[]): Work {
    const work: GrowingWork = { uses: [], markers: new Map(), gates: [] };
    for (const each of commandBuffers) this.#execute(each, work);
    return work;
  }

  /** `around` executes the command buffer. A program that has one execute itself is wrong, and is recorded all the same. */
  #execute(name: string, work: GrowingWork, around: readonly string[] = []): void {
    if (around.includes(name)) return;
    for (const item of this.#contents.get(name)?.items ?? []) {
      if ("marker" in item) work.markers.set(item.marker, work.markers.size + 1);
      else if ("secondary" in item) this.#execute(item.secondary, work, [...around, name]);
      else if ("gates" in item) work.gates = [...work.gates, ...item.gates.filter((each) => !work.markers.has(each))];
      else {
        const { gates, markers: { size: step } } = work;
        for (const use of "use" in item ? [item.use] : this.#descriptors(item)) {
          for (const each of this.#resolve(use)) work.uses.push({ ...each, step, gates });
        }
      }
    }
  }

  /**
   * Returns the uses of a set. Each descriptor may have each offset, because the call does not say which belongs to
   * which.
   */
  #descriptors({ set, offsets }: { set: string; offsets: readonly number[] }): Use[] {
    return [...this.#sets.get(set)?.values() ?? []].flatMap(({ isDynamic, ...use }) =>
      isDynamic ? offsets.map((by) => ({ ...use, start: use.start + by, end: use.end + by })) : [use]
    );
  }

  /** Returns the buffers and images behind an object. */
  #resolve(use: Use): Use[] {
    const parts = this.#parts.get(use.object);
    if (!parts) return [use];
    return parts.flatMap((part) => this.#resolve({ ...part, writes: use.writes }));
  }

  #set(name: string): Map<string, Descriptor> {
    const set = this.#sets.get(name) ?? new Map<string, Descriptor>();
    this.#sets.set(name, set);
    return set;
  }
}

function add({ items, known }: Contents, item: Item): void {
  const key = Object.values("use" in item ? item.use : item).join();
  if (known.has(key)) return;
  known.add(key);
  items.push(item);
}
