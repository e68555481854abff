import type { InFlight, Submission } from "./in_flight.ts";
import { intersection, type Range, union, without } from "./ranges.ts";
import type { Work } from "./reach.ts";
import { ADDRESSED, ANY } from "./uses.ts";

/** A range that a submission may write. */
interface Claim extends Range {
  readonly submission: Submission;
  readonly step: number;
  readonly exact: boolean;
  /** Events that the host has yet to set before the work goes on there. */
  readonly gates: readonly string[];
}

/** A buffer or image, as far as memory is concerned. */
export interface Resource {
  /** Bytes; `undefined` for an image, because only its driver knows its layout in memory. */
  readonly size: number | undefined;
  /** Whether the GPU may write to it. */
  readonly isWritable: boolean;
  /** Whether no host can write to it through mapped memory, because only its driver knows where its texels are. */
  readonly isOpaque: boolean;
}

/** The object in whose range work has written. */
interface Done {
  readonly name: string | undefined;
  readonly isImage: boolean;
  readonly from: number;
}

/** A buffer or image that is bound to the memory. */
interface Bound extends Resource {
  readonly start: number;
  isAddressed: boolean;
  claims: Claim[];
}

/** More claims of one object than these become one claim, once they are done. */
const MANY = 64;

/** The ranges of one memory that the GPU may write, or has written since they were examined. */
export class Claims {
  readonly #size: number;
  readonly #inFlight: Pick<InFlight, "isClosed">;
  readonly #bound = new Map<string, Bound>();
  /** Objects that work may write. */
  readonly #writable = new Set<string>();
  /** The beginnings of objects, in order. */
  #starts: readonly number[] | undefined;

  /** Begins with nothing bound to so many bytes. */
  constructor(size: number, inFlight: Pick<InFlight, "isClosed">) {
    this.#size = size;
    this.#inFlight = inFlight;
  }

  /** Notes what is bound. */
  bound(object: string, start: number, resource: Resource): void {
    this.#starts = undefined;
    this.#bound.set(object, { ...resource, start, isAddressed: false, claims: [] });
    if (resource.isWritable) this.#writable.add(object);
  }

  /** Forgets a buffer or image. */
  destroyed(object: string): void {
    this.#starts = undefined;
    this.#bound.delete(object);
    this.#writable.delete(object);
  }

  /** Whether work cannot write, by the usages of what is bound. */
  get isQuiet(): boolean {
    return this.#writable.size === 0;
  }

  /** Notes that shaders can reach a buffer by its address. */
  addressed(buffer: string): void {
    const bound = this.#bound.get(buffer);
    if (bound) bound.isAddressed = true;
  }

  /** Notes that a submission may write. */
  add(use: Work["uses"][number], submission: Submission): void {
    for (const bound of this.#meant(use.object)) {
      const { start, end } = this.#place(bound, use);
      if (start >= end || !bound.isWritable) continue;
      const replaced = ({ submission: older, ...claim }: Claim) =>
        claim.start >= start && claim.end <= end && (older.progress > claim.step || older.queue === submission.queue);
      const kept = bound.claims.filter((each) => !replaced(each));
      bound.claims = [...kept.length > MANY ? merged(kept) : kept, { ...use, start, end, submission }];
    }
  }

  /** Whether a submission may be writing. */
  has(submission: Submission): boolean {
    return this.#all().some((claim) => claim.submission === submission && !isDone(claim));
  }

  /** The ranges that work may write, or wrote and that were not examined since, in order. */
  all(): Range[] {
    return union(this.#all());
  }

  /** The ranges that work in flight may write, in order. */
  pending(): Range[] {
    return union(this.#all().filter((claim) => this.#goesOn(claim)));
  }

  /**
   * Returns what work has written that is done now, unless other work may still
   * be writing there, and forgets that, within a range. `from` is where the
   * object begins; an image of which only the driver knows the layout has no name.
   */
  takeDone(range: Range): (Range & Done)[] {
    const pending = this.pending(), found = [];
    for (const [object, bound] of this.#bound) {
      const done = bound.claims.filter(isDone);
      if (done.length === 0) continue;
      const name = bound.isOpaque ? undefined : object, isImage = bound.size === undefined;
      const here = intersection([range], union(done));
      for (const part of here.flatMap((each) => without(each, pending))) {
        found.push({ ...part, name, isImage, from: bound.start });
      }
      const elsewhere = done.flatMap((each) => without(each, [range]).map((part) => ({ ...each, ...part })));
      bound.claims = [...bound.claims.filter((each) => !isDone(each)), ...elsewhere];
    }
    return found;
  }

  /** Returns the ranges that work in flight may write in part, and that other work uses. */
  disputed(uses: Work["uses"]): (Range & { readonly object: string })[] {
    const named = new Set(uses.map(({ object }) => object)), found = [];
    for (const [object, bound] of named.size > 0 ? this.#bound : []) {
      if (bound.isOpaque) continue;
      const claimed = union(bound.claims.filter((claim) => !claim.exact && this.#goesOn(claim)));
      if (claimed.length === 0 || ![object, ANY, ADDRESSED].some((name) => named.has(name))) continue;
      const used = uses.filter((use) => this.#meant(use.object).includes(bound)).map((use) => this.#place(bound, use));
      for (const part of intersection(claimed, union(used))) found.push({ ...part, object });
    }
    return found;
  }

  /** Whether the work may be writing now: it is neither done nor held up until the host does something. */
  #goesOn(claim: Claim): boolean {
    return !isDone(claim) && !claim.submission.isHeld && !claim.gates.some((each) => this.#inFlight.isClosed(each));
  }

  #all(): Claim[] {
    return [...this.#bound.values()].flatMap(({ claims }) => claims);
  }

  #meant(object: string): Bound[] {
    if (object === ANY) return [...this.#bound.values()];
    if (object === ADDRESSED) return [...this.#bound.values()].filter(({ isAddressed }) => isAddressed);
    return [this.#bound.get(object) ?? []].flat();
  }

  /** An image ends at the latest where the next object begins. */
  #place({ start, size }: Bound, use: Range): Range {
    if (size !== undefined) {
      return { start: start + use.start, end: Math.min(start + Math.min(use.end, size), this.#size) };
    }
    this.#starts ??= [...this.#bound.values()].map((each) => each.start).sort((a, b) => a - b);
    return { start, end: this.#starts.find((each) => each > start) ?? this.#size };
  }
}

function isDone({ submission, step }: Claim): boolean {
  return submission.progress > step;
}

/** Makes one claim of those that are done. */
function merged(claims: readonly Claim[]): Claim[] {
  const done = claims.filter(isDone), start = Math.min(...done.map((each) => each.start));
  const end = Math.max(...done.map((each) => each.end));
  return [...claims.filter((each) => !isDone(each)), ...done.slice(0, 1).map((each) => ({ ...each, start, end }))];
}
