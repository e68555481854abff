import type { Fields, RecordedCall } from "../../record/line.ts";
import { namesIn } from "../../state_tracker/objects.ts";
import { DESCRIPTORS, DYNAMIC } from "./descriptors.ts";
import { type Sizes, whole } from "./facts.ts";
import { Passes } from "./begun_passes.ts";
import { PASSES } from "./passes.ts";
import { TRANSFERS } from "./transfers.ts";

const CHECKS = { ...TRANSFERS, ...DESCRIPTORS, ...PASSES };

/** Returns the call that made a living object. */
type Maker = (name: string) => { readonly call: RecordedCall; readonly info: Fields | undefined } | undefined;

/**
 * Checks that the offsets, sizes and indices of calls lie within their objects. Drivers do not look, and end the
 * process, or write over its memory.
 */
export class Bounds implements Sizes {
  readonly #maker: Maker;
  /** The memory of buffers and images, and the buffers and images of memory. */
  readonly #memory = new Map<string, string>();
  readonly #bound = new Map<string, Set<string>>();
  readonly #passes = new Passes();
  /** The buffers that were written to the dynamic descriptors of sets. */
  readonly #dynamic = new Map<string, Map<string, Fields>>();
  /** The bindings of layouts by set and by pipeline layout: a set layout may end before those that were made with it. */
  readonly #layouts = new Map<string, ReturnType<Sizes["layouts"]>>();

  /** Asks for the calls that made objects. */
  constructor(maker: Maker) {
    this.#maker = maker;
  }

  /** See {@linkcode Sizes}. */
  info(name: unknown): Fields | undefined {
    const made = typeof name === "string" ? this.#maker(name) : undefined;
    return made?.call.command === "vkGetSwapchainImagesKHR" ? undefined : made?.info;
  }

  /** See {@linkcode Sizes}. */
  isBound(name: string): boolean {
    return this.#memory.has(name);
  }

  /** See {@linkcode Sizes}. */
  layouts(name: string): ReturnType<Sizes["layouts"]> {
    return this.#layouts.get(name);
  }

  /** See {@linkcode Sizes}. */
  dynamic(set: string, binding: number, element: number): Fields | undefined {
    return this.#dynamic.get(set)?.get(`${binding} ${element}`);
  }

  /** Throws a `TypeError` for a call, by its name without a suffix, that asks for what its objects do not have. */
  check(core: string, { args }: RecordedCall, given: ReadonlyMap<string, unknown>): void {
    if (Object.hasOwn(CHECKS, core)) CHECKS[core](this, args, given);
    this.#passes.check(core, args);
  }

  /** Notes what a call binds and makes. */
  note(core: string, { args, out }: RecordedCall): void {
    if (/^vkBind(Buffer|Image)Memory2?$/.test(core)) {
      for (const { buffer, image, memory } of args.pBindInfos ?? [args]) this.#bind(buffer ?? image, memory);
    } else if (core === "vkUpdateDescriptorSets") {
      for (const each of args.pDescriptorWrites ?? []) this.#write(each);
    } else if (core === "vkCreatePipelineLayout") {
      this.#layouts.set(out?.pPipelineLayout, this.#bindingsOf(args.pCreateInfo.pSetLayouts ?? []));
    } else if (core === "vkAllocateDescriptorSets") {
      const layouts = this.#bindingsOf(args.pAllocateInfo.pSetLayouts ?? []);
      for (const [place, set] of namesIn(out?.pDescriptorSets).entries()) this.#layouts.set(`${set}`, [layouts[place]]);
    }
  }

  /** Forgets an object that was destroyed. */
  forget(name: string): void {
    for (const each of this.#bound.get(name) ?? []) this.#memory.delete(each);
    this.#bound.delete(name);
    this.#bound.get(this.#memory.get(name) ?? "")?.delete(name);
    this.#memory.delete(name);
    this.#layouts.delete(name);
    this.#dynamic.delete(name);
    this.#passes.forget(name);
  }

  /** An image of a swapchain has no memory of its own. */
  #bind(name: string, memory = ""): void {
    this.#memory.set(name, memory);
    this.#bound.set(memory, (this.#bound.get(memory) ?? new Set()).add(name));
  }

  /** One descriptor at a time: of several, those that go on in the next binding have other numbers. */
  #write({ dstSet, dstBinding, dstArrayElement, descriptorType, pBufferInfo = [] }: Fields): void {
    if (!DYNAMIC.includes(descriptorType)) return;
    const known = this.#dynamic.get(dstSet) ?? new Map<string, Fields>(), first = whole(dstArrayElement);
    this.#dynamic.set(dstSet, known);
    for (const [index, each] of pBufferInfo.entries()) known.set(`${whole(dstBinding)} ${first + index}`, each);
  }

  #bindingsOf(layouts: readonly (string | null)[]) {
    return layouts.map((layout) => this.info(layout)?.pBindings ?? []);
  }
}
