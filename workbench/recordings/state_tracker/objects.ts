import { type Parameter, type Plan, planOf } from "../../../loader/command/plan.ts";
import { findCommand } from "../../../loader/command/registry/table.ts";
import { destroyingOf } from "../../../loader/layers/define/object_pairs.ts";
import { coreName } from "../record/commands.ts";
import type { Fields, RecordedCall } from "../record/line.ts";
import { NameSet } from "./names.ts";

/** The creation of an object. */
interface Creation {
  /** The call that made the object. */
  readonly call: RecordedCall;
  /** Index of the call's line in the recording, from 0; -1 where nobody counts lines. */
  readonly index: number;
  /** The place among the objects that the call made. */
  readonly place: number;
  /** The objects with which this one ends: its device or instance, its pool, its swapchain. */
  readonly parents: readonly string[];
}

/**
 * The objects of a recording at some line: those that are alive, with the calls that made them and the objects with
 * which they end, and those that have ended. Everybody who follows a recording asks here which objects there are.
 */
export class Objects {
  readonly #alive = new Map<string, Creation>();
  readonly #ended = new NameSet();
  readonly #children = new Map<string, Set<string>>();

  /** Notes the objects that a call makes and ends. Returns the names of those that ended. */
  note(call: RecordedCall, index = -1): readonly string[] {
    const found = findCommand(call.command);
    if (!found) return [];
    const plan = planOf(found), ended = this.#endedBy(call, plan);
    const parents = [call.args[found.params[0]?.name], call.args.swapchain, poolIn(call.args)].filter(isName);
    for (const { name } of handleOutputs(plan)) {
      for (const [place, each] of namesIn(call.out?.[name]).entries()) {
        if (isName(each)) this.#add(each, { call, index, place, parents });
      }
    }
    return ended;
  }

  /** Whether an object is alive. */
  has(name: string): boolean {
    return this.#alive.has(name);
  }

  /** Whether an object was alive and is so no more. */
  hasEnded(name: string): boolean {
    return this.#ended.has(name);
  }

  /** Returns the creation of a living object; `undefined` for another name. */
  get(name: string): Creation | undefined {
    return this.#alive.get(name);
  }

  /** The names of the living objects, in the order of their creation. */
  names(): Iterable<string> {
    return this.#alive.keys();
  }

  /** Returns the create info of a living object: one of several for pipelines. */
  info(name: string): Fields | undefined {
    const creation = this.#alive.get(name);
    if (!creation) return undefined;
    const { call: { args }, place } = creation;
    const infos = args.pCreateInfos ?? args.pCreateInfo ?? args.pAllocateInfo ?? args;
    return Array.isArray(infos) ? infos[place] : infos;
  }

  #endedBy(call: RecordedCall, { parameters }: Plan): string[] {
    if (coreName(call.command) === "vkResetDescriptorPool") return this.#empty(call.args.descriptorPool);
    const destroyed = destroyingOf(call.command)?.type;
    const named = (destroyed ? parameters : []).filter(({ type }) => type === destroyed);
    return named.flatMap(({ name }) => namesIn(call.args[name]).filter(isName).flatMap((each) => this.#end(each)));
  }

  #add(name: string, creation: Creation): void {
    this.#leaveParents(name);
    this.#alive.set(name, creation);
    this.#ended.delete(name);
    for (const parent of creation.parents) {
      const children = this.#children.get(parent);
      if (children) children.add(name);
      else this.#children.set(parent, new Set([name]));
    }
  }

  /** Ends an object and all that end with it. */
  #end(name: string): string[] {
    this.#leaveParents(name);
    this.#alive.delete(name);
    this.#ended.add(name);
    return [name, ...this.#empty(name)];
  }

  /** Ends the objects that end with another, which stays. */
  #empty(name: string): string[] {
    return [...this.#children.get(name) ?? []].flatMap((child) => this.#end(child));
  }

  #leaveParents(name: string): void {
    for (const parent of this.#alive.get(name)?.parents ?? []) {
      const children = this.#children.get(parent);
      children?.delete(name);
      if (children?.size === 0) this.#children.delete(parent);
    }
  }
}

/** Returns the names in an output: of one object, of several, or of none. */
export function namesIn(value: unknown): (string | null)[] {
  return Array.isArray(value) ? value : [value as string | null];
}

/** Returns the outputs of a command that are handles. */
export function handleOutputs(plan: Plan): Parameter[] {
  return plan.outputs.filter(({ kind }) => kind === "h");
}

function isName(value: unknown): value is string {
  return typeof value === "string";
}

/** Returns the pool from which a call takes what it makes; `undefined` for other calls. */
function poolIn({ pAllocateInfo }: RecordedCall["args"]): string | undefined {
  return pAllocateInfo?.commandPool ?? pAllocateInfo?.descriptorPool;
}
