// Small pictures, loaded one after the other behind what the reader looks at.
import { make } from "./dom.js";
import { askBytes, isSealed } from "./source.js";
import { paint, rangeOf, Texels } from "./texels.js";

/** Texels of a side at most. */
const MOST = 96;
const COLOURS = new Set(["R", "G", "B"]);

/** Loads small pictures until it is stopped. */
export class Thumbnails {
  #waiting = [];
  #stop = new AbortController();
  #isLoading = false;

  /** Forgets what is not loaded yet. */
  stop() {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#waiting = [];
  }

  /** Returns a picture that comes later, or stays empty and says why. */
  of(members) {
    const canvas = make("canvas", {
      class: "thumbnail",
      width: 1,
      height: 1,
      role: "img",
      "aria-label": members.piece,
    });
    this.#waiting.push({ canvas, members });
    return canvas;
  }

  /** Loads what is waiting. */
  async load() {
    if (this.#isLoading) return;
    this.#isLoading = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const { canvas, members } = next, { signal } = this.#stop;
      try {
        draw(canvas, new Texels(await askBytes("picture", isSealed ? members : { ...members, most: MOST }, signal)));
      } catch (error) {
        canvas.title = error.message;
        canvas.classList.add("empty");
      }
    }
    this.#isLoading = false;
  }
}

function draw(canvas, texels) {
  canvas.width = texels.width;
  canvas.height = texels.height;
  canvas.getContext("2d").putImageData(paint(texels, COLOURS, rangeOf([texels], COLOURS)), 0, 0);
}
