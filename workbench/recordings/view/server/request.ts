import type { OpenRecording, ShaderLanguage, SideNumber, TexelPlace } from "../types.ts";
import type { ImageAspect } from "../../../../loader/texels/format.ts";

/** A request that makes no sense; the message says why. */
export class BadRequest extends Error {
  /** The error's name. */
  override readonly name = "BadRequest";
}

/** Contents at an event on a driver. */
export interface ContentsPlace {
  readonly event: number;
  readonly side: SideNumber;
  readonly before: boolean;
  /** The name of a piece. */
  readonly piece: string;
}

/** A picture: a slice of one layer, thinned out to `most` texels a side. */
export interface PictureRequest extends ContentsPlace {
  readonly layer: number;
  readonly sample: number;
  readonly z: number;
  readonly most?: number;
}

/** Bytes of a buffer. */
export interface BytesRequest extends ContentsPlace {
  readonly offset: number;
  readonly size: number;
}

const ASPECTS: readonly ImageAspect[] = ["color", "depth", "stencil"];
/** Characters of the name of an object. */
const MOST_LETTERS = 200;

/** Reads the members of a request, each with its range. */
export class Query {
  readonly #query: URLSearchParams;

  /** Takes what follows the `?` of an address. */
  constructor(query: URLSearchParams) {
    this.#query = query;
  }

  /** Returns a whole number from 0 on. Throws {@linkcode BadRequest} for anything else, and without a default for nothing. */
  number(name: string, usual?: number, most: number = Number.MAX_SAFE_INTEGER): number {
    const text = this.#query.get(name);
    if (text === null && usual !== undefined) return usual;
    const number = Number(text);
    if (text !== null && /^\d{1,16}$/.test(text) && number <= most) return number;
    throw new BadRequest(`"${name}" must be a whole number from 0 to ${most}`);
  }

  /** Returns a name. Throws {@linkcode BadRequest} for none and for a long one. */
  text(name: string): string {
    const text = this.#query.get(name);
    if (text && text.length <= MOST_LETTERS) return text;
    throw new BadRequest(`"${name}" must be a name of up to ${MOST_LETTERS} letters`);
  }

  /** Returns the number of an event that there is. */
  event({ events }: OpenRecording): number {
    if (events.length === 0) throw new BadRequest("the recording has no events");
    return this.number("event", undefined, events.length - 1);
  }

  /** Returns the number of a driver. */
  side(): SideNumber {
    return this.number("side", 0, 1) as SideNumber;
  }

  /** Returns the language of a shader's text. */
  language(): ShaderLanguage {
    const language = this.text("language");
    if (language === "glsl" || language === "wgsl") return language;
    throw new BadRequest(`"language" must be glsl or wgsl`);
  }

  /** Returns the picture that is asked for. */
  picture(recording: OpenRecording): PictureRequest {
    const most = this.number("most", 0, 4096);
    return {
      ...this.#contents(recording),
      layer: this.number("layer", 0),
      sample: this.number("sample", 0),
      z: this.number("z", 0),
      ...most > 0 && { most },
    };
  }

  /** Returns the bytes that are asked for. */
  bytes(recording: OpenRecording): BytesRequest {
    return { ...this.#contents(recording), offset: this.number("offset", 0), size: this.number("size") };
  }

  /** Returns the texel that is asked for. */
  texel(): TexelPlace {
    const aspect = this.#query.get("aspect") as ImageAspect | null;
    if (aspect !== null && !ASPECTS.includes(aspect)) {
      throw new BadRequest(`"aspect" must be one of ${ASPECTS.join(", ")}`);
    }
    const numbers = ["z", "level", "layer", "sample"].map((name) => [name, this.number(name, 0)]);
    return {
      image: this.text("image"),
      x: this.number("x"),
      y: this.number("y"),
      ...Object.fromEntries(numbers),
      ...aspect !== null && { aspect },
    };
  }

  #contents(recording: OpenRecording): ContentsPlace {
    const event = this.event(recording), side = this.side();
    return { event, side, before: this.number("before", 0, 1) === 1, piece: this.text("piece") };
  }
}
