import type { Contents, OpenRecording, SideNumber } from "../types.ts";
import type { ValidationMessage } from "../validation_messages.ts";
import { type EventTable, eventTable } from "./event_table.ts";
import { Parameters } from "./parameters.ts";
import { plainTexels } from "./plain_texels.ts";
import { ReadAhead } from "./read_ahead.ts";
import { BadRequest, type ContentsPlace, Query } from "./request.ts";
import { eventFacts } from "./state_parts.ts";
import { Turns } from "./turns.ts";

/** The answer to a request of the page: data as JSON, or bytes behind a head of JSON. */
export type PageAnswer = { readonly json: unknown } | { readonly bytes: Uint8Array<ArrayBuffer> };

/** The names of a recording and of its drivers, as the user gave them. */
export interface ViewNames {
  readonly recording: string;
  readonly drivers: readonly string[];
  /** Replays the recording under a validation layer, and returns the layer's errors. Default: nothing is validated. */
  readonly validate?: () => Promise<readonly ValidationMessage[]>;
}

/** The most bytes of a buffer in one answer. */
const MOST_BYTES = 2 ** 24;
/** Bytes to which a head is filled up, so that typed arrays fit behind it. */
const ALIGNMENT = 8;

/** Answers the requests of a page about one recording. */
export class Answers {
  readonly #recording: OpenRecording;
  readonly #names: ViewNames;
  readonly #parameters = new Parameters();
  /** The requests to each driver. */
  readonly #turns = [new Turns(), new Turns()] as const;
  readonly #shaders = new Map<string, number>();
  readonly #ahead: readonly ReadAhead[];
  #table: EventTable | undefined;
  #difference: ReturnType<OpenRecording["firstDifference"]> | undefined;

  /** The caller keeps and closes the recording. `readsAhead` says whether the drivers work while nobody asks. */
  constructor(recording: OpenRecording, names: ViewNames, { readsAhead = false }: { readsAhead?: boolean } = {}) {
    this.#recording = recording;
    this.#names = names;
    const sides = readsAhead ? names.drivers.map((_, side) => side as SideNumber) : [];
    this.#ahead = sides.map((side) => new ReadAhead(recording, side, this.#turns[side]));
  }

  /** The requests by name: the last part of a path. */
  readonly #requests: Readonly<
    Record<string, (query: Query, isWanted?: () => boolean) => Promise<PageAnswer> | PageAnswer>
  > = {
    about: () => ({ json: this.#about() }),
    events: () => ({ json: this.#table ??= eventTable(this.#recording.events, this.#parameters) }),
    drivers: async () => {
      if (this.#names.drivers.length === 0) return { json: [] };
      const drivers = await this.#recording.drivers();
      for (const each of this.#ahead) each.goOnFrom(0);
      return { json: drivers };
    },
    event: (query) => ({
      json: eventFacts(this.#recording, query.event(this.#recording), this.#parameters, this.#shaders),
    }),
    shader: async (query) => {
      const event = query.event(this.#recording), language = query.language(), stage = query.number("stage");
      if (!this.#recording.state(event).shaders.some((each) => each.stage === stage)) {
        throw new BadRequest(`event ${event} has no shader of stage ${stage}`);
      }
      return { json: await this.#recording.shaderText(event, stage, language) };
    },
    times: async (query) => {
      const side = this.#side(query), times = await this.#turns[side].take(() => this.#recording.times(side));
      return { json: [...times] };
    },
    messages: async () => ({ json: await this.#names.validate?.() ?? [] }),
    difference: async () => ({ json: (await this.#firstDifference())?.id ?? -1 }),
    picture: (query, isWanted) => this.#picture(query, isWanted),
    bytes: (query, isWanted) => this.#bytes(query, isWanted),
    draws: async (query) => {
      const side = this.#side(query), event = query.event(this.#recording);
      return { json: await this.#turns[side].take(() => this.#recording.draws(event, side)) };
    },
    outputs: (query, isWanted) => this.#outputs(query, isWanted),
    overdraw: (query, isWanted) => this.#overdraw(query, isWanted),
    history: async (query) => {
      const side = this.#side(query), place = query.texel();
      const found = await this.#turns[side].take(() => this.#recording.pixelHistory(place, side));
      const { driver, steps, unknown } = found;
      return { json: { driver, steps: steps.map(({ event, ...step }) => ({ event: event.id, ...step })), unknown } };
    },
  };

  /**
   * Answers a request; `undefined` for a name that is none. `isWanted` says whether somebody still waits.
   *
   * @throws {BadRequest} for members that make no sense.
   */
  async answer(name: string, query: URLSearchParams, isWanted?: () => boolean): Promise<PageAnswer | undefined> {
    return Object.hasOwn(this.#requests, name) ? await this.#requests[name](new Query(query), isWanted) : undefined;
  }

  /** The comparison of two drivers takes long, and always comes to the same. */
  #firstDifference() {
    this.#difference ??= this.#recording.firstDifference();
    this.#difference.catch(() => this.#difference = undefined);
    return this.#difference;
  }

  #about() {
    const { info: { state, devices, frames, framesEndAt, lines, fileBytes, dataBytes }, gaps } = this.#recording;
    const { recording, drivers, validate } = this.#names;
    return {
      recording,
      drivers,
      validates: validate !== undefined,
      state,
      devices,
      frames,
      framesEndAt,
      lines,
      size: fileBytes + dataBytes,
      gaps,
    };
  }

  #side(query: Query) {
    const side = query.side();
    if (side < this.#names.drivers.length) return side;
    throw new BadRequest(this.#names.drivers.length === 0 ? "no driver replays this recording" : "there is one driver");
  }

  async #picture(query: Query, isWanted?: () => boolean): Promise<PageAnswer> {
    const request = query.picture(this.#recording), { piece, bytes } = await this.#contents(request, query, isWanted);
    if (!piece.image) throw new BadRequest(`${piece.name} is a buffer`);
    const { bytes: texels, ...head } = plainTexels(piece, bytes, request);
    return { bytes: withHead(head, texels) };
  }

  async #bytes(query: Query, isWanted?: () => boolean): Promise<PageAnswer> {
    const request = query.bytes(this.#recording), { offset } = request;
    const { bytes } = await this.#contents(request, query, isWanted);
    const part = bytes.subarray(offset, offset + Math.min(request.size, MOST_BYTES));
    return { bytes: withHead({ offset, size: part.length, all: bytes.length }, part) };
  }

  /** The outputs of a vertex shader, with the layout in which a reader sees them. */
  async #outputs(query: Query, isWanted?: () => boolean): Promise<PageAnswer> {
    const side = this.#side(query), event = query.event(this.#recording), draw = query.number("draw", 0);
    const { bytes, outputs, stride, ...head } = await this.#turns[side].take(
      () => this.#recording.vertexOutputs(event, { side, draw }),
      isWanted,
    );
    const members = outputs.map(({ name, type, elements, offset }) =>
      `${type} ${name}${elements === 1 ? "" : `[${elements}]`} @ ${offset};`
    );
    return { bytes: withHead({ ...head, layout: `${members.join(" ")} stride ${stride};` }, bytes) };
  }

  /** Answers with the number of each texel's fragments, as a picture of one component. */
  async #overdraw(query: Query, isWanted?: () => boolean): Promise<PageAnswer> {
    const side = this.#side(query), event = query.event(this.#recording), tested = query.number("tested", 0, 1) === 1;
    const { counts, ...head } = await this.#turns[side].take(
      () => this.#recording.overdraw(event, { side, tested }),
      isWanted,
    );
    const components = [{ name: "fragments", type: "u32", offset: 0, meaning: "UINT" }];
    return { bytes: withHead({ ...head, stride: 4, components }, new Uint8Array(counts.buffer)) };
  }

  /** The contents of one piece. */
  async #contents({ event, before, piece }: ContentsPlace, query: Query, isWanted?: () => boolean): Promise<Contents> {
    const side = this.#side(query), isAmong = this.#recording.pieces(event).readable.some(({ name }) => name === piece);
    if (!isAmong) throw new BadRequest(`${piece} is not written or bound at event ${event}`);
    const request = { side, before, only: [piece] };
    const [found] = await this.#turns[side].take(() => this.#recording.contents(event, request), isWanted);
    this.#ahead[side]?.goOnFrom(event);
    if (found) return found;
    throw new BadRequest(`${piece} has no contents ${before ? "before" : "after"} event ${event}`);
  }

  /** Stops to read ahead. */
  close(): void {
    for (const each of this.#ahead) each.stop();
  }
}

/** Bytes behind the length of a head, and the head in JSON, filled up with blanks. */
function withHead(head: object, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const text = JSON.stringify(head), plain = new TextEncoder().encode(text);
  const size = Math.ceil((4 + plain.length) / ALIGNMENT) * ALIGNMENT - 4,
    whole = new Uint8Array(4 + size + bytes.length);
  new DataView(whole.buffer).setUint32(0, size, true);
  whole.fill(0x20, 4, 4 + size);
  whole.set(plain, 4);
  whole.set(bytes, 4 + size);
  return whole;
}
