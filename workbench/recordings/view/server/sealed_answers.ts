import type { OpenRecording } from "../types.ts";
import { Answers, type PageAnswer, type ViewNames } from "./answers.ts";
import { BadRequest } from "./request.ts";
import type { EventFacts } from "./state_parts.ts";

/** The answers that a page has inside, and what it lacks. */
export interface SealedAnswers {
  /** Compressed answers by their request. */
  readonly answers: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  /** The numbers of the events whose contents are inside. */
  readonly events: readonly number[];
  /** The wishes that are not inside, as sentences. */
  readonly missing: readonly string[];
}

/** Options of {@linkcode sealedAnswers}. */
export interface SealOptions extends ViewNames {
  /** Numbers of events whose contents are wanted besides those of each pass. */
  readonly events?: readonly number[];
  /** Gets how many of the events are done. */
  readonly onEvent?: (done: number, of: number) => void;
  /** Stops between two events. */
  readonly signal?: AbortSignal;
}

/** The most bytes of compressed answers, and events whose parameters and state are inside. */
const MOST_BYTES = 2 ** 27, MOST_FACTS = 5000;
/** Bytes of a buffer that are inside: the page asks for so many at once. */
const PART = 2 ** 20;
/** Sentences about what is missing. */
const MOST_SENTENCES = 20;

/**
 * Returns the events at which a page has contents inside: the last action of each pass, and the end of a pass that writes
 * to more, as resolves do.
 */
export function passEnds(recording: OpenRecording): number[] {
  const { events } = recording, names = (id: number) => recording.pieces(id).readable.map(({ name }) => name);
  return events.filter(({ kind, inside }) => kind === "pass" && inside > 0).flatMap(({ id, inside }) => {
    const actions = events.slice(id, id + inside + 1).filter(({ isAction }) => isAction);
    const end = actions.findLast(({ kind, id: each }) => kind === "pass" && each > id);
    const last = actions.findLast((each) => each !== end);
    if (!last || !end) return [...last ? [last.id] : [], ...end ? [end.id] : []];
    const known = new Set(names(last.id));
    return names(end.id).every((name) => known.has(name)) ? [last.id] : [last.id, end.id];
  });
}

/**
 * Asks everything that a page without a server can show: the events, and the pictures and buffers at some of them.
 * Throws the reason of `signal` if it stops.
 */
export async function sealedAnswers(recording: OpenRecording, options: SealOptions): Promise<SealedAnswers> {
  const sealing = new Sealing(recording, options), { drivers } = options, { events } = recording;
  await sealing.keep("about", {});
  await sealing.keep("events", {});
  for (const { id } of events.slice(0, MOST_FACTS)) await sealing.facts(id);
  if (events.length > MOST_FACTS) sealing.lack(`parameters and state of the events after the first ${MOST_FACTS}`);
  if (drivers.length === 0) return sealing.end([]);
  const first = await sealing.differing();
  const chosen = [...new Set([...passEnds(recording), ...options.events ?? [], ...first])].sort((one, other) =>
    one - other
  );
  await sealing.keep("drivers", {});
  for (const side of drivers.keys()) await sealing.keep("times", { side });
  for (const [done, event] of chosen.entries()) {
    options.onEvent?.(done, chosen.length);
    await sealing.contents(event);
  }
  return sealing.end(chosen);
}

class Sealing {
  readonly #recording: OpenRecording;
  readonly #options: SealOptions;
  readonly #answers: Answers;
  readonly #kept = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly #missing: string[] = [];
  readonly #full = new Set<number>();
  #size = 0;

  constructor(recording: OpenRecording, options: SealOptions) {
    this.#recording = recording;
    this.#options = options;
    this.#answers = new Answers(recording, options);
  }

  /** Keeps the answer to a request, and returns what it has as data. */
  async keep(
    name: string,
    members: Readonly<Record<string, string | number>>,
    mayFail: boolean = false,
  ): Promise<unknown> {
    this.#options.signal?.throwIfAborted();
    const sorted = Object.entries(members).map(([key, value]) => [key, `${value}`]).sort(([one], [other]) =>
      one < other ? -1 : 1
    );
    const query = new URLSearchParams(sorted), address = `${query}` === "" ? name : `${name}?${query}`;
    if (this.#kept.has(address)) return undefined;
    const answer = await this.#answerTo(name, query, mayFail), packed = await compressed(bytesOf(answer));
    this.#size += packed.length;
    this.#kept.set(address, packed);
    return "json" in answer ? answer.json : undefined;
  }

  /** Keeps the facts of an event, and the texts of shaders that no earlier event has. */
  async facts(event: number): Promise<void> {
    const found = await this.keep("event", { event }) as Partial<EventFacts> | undefined;
    for (const { stage, of } of found?.shaders ?? []) {
      if (of !== event) continue;
      for (const language of ["glsl", "wgsl"]) await this.keep("shader", { event, stage, language }, true);
    }
  }

  /** The answer to a request. A failure is an answer, too, and missing unless it lies in the nature of the recording. */
  async #answerTo(name: string, query: URLSearchParams, mayFail: boolean): Promise<PageAnswer> {
    try {
      return (await this.#answers.answer(name, query))!;
    } catch (error) {
      const { message } = error as Error;
      if (!mayFail && !(error instanceof BadRequest)) this.lack(message);
      return { json: { error: message } };
    }
  }

  /** Notes what is not inside. */
  lack(what: string): void {
    if (!this.#missing.includes(what)) this.#missing.push(what);
  }

  /** Keeps the first event after which two drivers differ, and returns its number. */
  async differing(): Promise<number[]> {
    if (this.#options.drivers.length < 2) return [];
    const found = await this.keep("difference", {});
    return typeof found === "number" && found >= 0 ? [found] : [];
  }

  /** Keeps the pictures and the beginnings of the buffers at an event. */
  async contents(event: number): Promise<void> {
    if (this.#size > MOST_BYTES) {
      return this.lack(`contents at event ${event}: the page would have more than ${MOST_BYTES} bytes`);
    }
    const { readable } = this.#recording.pieces(event);
    for (const side of this.#options.drivers.keys()) {
      for (const before of [0, 1]) {
        for (const { name: piece, image } of readable) {
          const place = { event, side, before, piece };
          if (image) await this.keep("picture", { ...place, layer: image.layers[0], sample: 0, z: 0 });
          else await this.keep("bytes", { ...place, offset: 0, size: PART });
        }
      }
    }
    await this.#overdraw(event);
    if (this.#recording.events[event].kind === "draw") await this.#mesh(event);
    this.#full.add(event);
  }

  /** Keeps how many fragments each texel got in the pass so far. An event may be in no pass, and a driver may not count. */
  async #overdraw(event: number): Promise<void> {
    for (const side of this.#options.drivers.keys()) {
      for (const tested of [0, 1]) await this.keep("overdraw", { event, side, tested }, true);
    }
  }

  /** Keeps the vertices of a draw. There may be none, with a reason. */
  async #mesh(event: number): Promise<void> {
    for (const side of this.#options.drivers.keys()) {
      await this.keep("draws", { event, side }, true);
      await this.keep("outputs", { event, side, draw: 0 }, true);
    }
  }

  /** Returns what was kept. */
  end(chosen: readonly number[]): SealedAnswers {
    const more = this.#missing.length - MOST_SENTENCES;
    const missing = [...this.#missing.slice(0, MOST_SENTENCES), ...more > 0 ? [`${more} more`] : []];
    return { answers: this.#kept, events: chosen.filter((each) => this.#full.has(each)), missing };
  }
}

function bytesOf(answer: PageAnswer): Uint8Array<ArrayBuffer> {
  return "json" in answer ? new TextEncoder().encode(JSON.stringify(answer.json)) : answer.bytes;
}

async function compressed(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
