// The place where pictures are looked at: one above the other, as large as the reader wants, with the texel under the pointer.
import { make } from "./dom.js";

/** Smallest and largest zoom, and the largest by which a picture is fitted into its place. */
const SMALLEST = 0.05, LARGEST = 64, FITTED = 16;
/** Milliseconds for which each of two pictures is seen when they blink. */
const BLINK = 500;
/** Pixels of the frame around the pictures. */
const FRAME = 2;

/** Shows a picture, or two behind a slider or in turn. `onPoint` gets the texel under the pointer, `onPick` a clicked one. */
export class Stage {
  #canvases = [make("canvas", { width: 1, height: 1 }), make("canvas", { width: 1, height: 1 })];
  #line = make("i", { class: "split" });
  #marker = make("i", { class: "marker", hidden: true });
  #stack = make("div", { class: "stack" }, ...this.#canvases, this.#line, this.#marker);
  element = make("div", { class: "view", tabindex: 0, "aria-label": "picture" }, this.#stack);
  #slider = make("input", { type: "range", min: 0, max: 100, value: 50, "aria-label": "between the two pictures" });
  sliderRow = make("div", { class: "slider", hidden: true }, make("span"), this.#slider, make("span"));
  #size = [1, 1];
  #zoom = 1;
  #isFitted = true;
  #timer;

  constructor({ onPoint, onPick }) {
    this.#slider.oninput = () => this.#stack.style.setProperty("--split", `${this.#slider.value}%`);
    this.element.onpointermove = (event) => onPoint(this.#texelAt(event));
    this.element.onpointerleave = () => onPoint(undefined);
    this.element.onclick = (event) => {
      const texel = this.#texelAt(event);
      if (texel) onPick(texel);
    };
    this.element.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { left, top } = this.element.getBoundingClientRect();
      this.zoomBy(event.deltaY < 0 ? 1.25 : 0.8, event.clientX - left, event.clientY - top);
    }, { passive: false });
    new ResizeObserver(() => this.#isFitted && this.fit()).observe(this.element);
  }

  /** Shows pictures: `how` is `"one"`, `"slider"` or `"blink"`; `names` are those of two. */
  show(images, how, names = ["", ""]) {
    const [first] = images;
    clearInterval(this.#timer);
    this.element.hidden = images.length === 0;
    this.sliderRow.hidden = how !== "slider" || images.length < 2;
    if (!first) return;
    for (const [at, canvas] of this.#canvases.entries()) {
      canvas.hidden = at >= images.length;
      if (!canvas.hidden) put(canvas, images[at]);
    }
    this.#stack.classList.toggle("sliding", how === "slider");
    [this.sliderRow.firstChild.textContent, this.sliderRow.lastChild.textContent] = names;
    if (how === "blink" && images.length > 1) {
      this.#timer = setInterval(() => this.#canvases[1].hidden = !this.#canvases[1].hidden, BLINK);
    }
    const isOther = this.#size[0] !== first.width || this.#size[1] !== first.height;
    this.#size = [first.width, first.height];
    if (isOther || this.#isFitted) this.fit();
  }

  /** Marks a texel; `undefined` takes the mark away. */
  mark(texel) {
    this.#marker.hidden = texel === undefined || texel.x >= this.#size[0] || texel.y >= this.#size[1];
    if (this.#marker.hidden) return;
    this.#marker.style.setProperty("--x", texel.x);
    this.#marker.style.setProperty("--y", texel.y);
  }

  /** Scrolls until a texel is in sight. */
  reveal({ x, y }) {
    const { clientWidth, clientHeight } = this.element;
    this.element.scrollTo(x * this.#zoom - clientWidth / 2, y * this.#zoom - clientHeight / 2);
  }

  /** Makes the picture as large as its place. */
  fit() {
    const { clientWidth } = this.element, height = parseFloat(getComputedStyle(this.element).maxHeight) || 600;
    if (clientWidth === 0) return;
    const fitting = Math.min(FITTED, (clientWidth - FRAME) / this.#size[0], (height - FRAME) / this.#size[1]);
    this.#apply(fitting >= 1 ? Math.floor(fitting) : fitting);
    this.#isFitted = true;
  }

  /** Makes the picture larger or smaller around a place of the view. */
  zoomBy(factor, x = this.element.clientWidth / 2, y = this.element.clientHeight / 2) {
    const before = this.#zoom, { scrollLeft, scrollTop } = this.element;
    this.#apply(before * factor);
    const share = this.#zoom / before;
    this.element.scrollTo((scrollLeft + x) * share - x, (scrollTop + y) * share - y);
  }

  /** Shows each texel as one pixel. */
  showWhole() {
    this.#apply(1);
  }

  #apply(zoom) {
    this.#isFitted = false;
    this.#zoom = Math.max(SMALLEST, Math.min(LARGEST, zoom));
    this.#stack.style.setProperty("--zoom", this.#zoom);
    this.#stack.style.setProperty("--width", this.#size[0]);
    this.#stack.style.setProperty("--height", this.#size[1]);
  }

  #texelAt({ clientX, clientY }) {
    const { left, top } = this.#stack.getBoundingClientRect();
    const x = Math.floor((clientX - left) / this.#zoom), y = Math.floor((clientY - top) / this.#zoom);
    return x >= 0 && y >= 0 && x < this.#size[0] && y < this.#size[1] ? { x, y } : undefined;
  }
}

function put(canvas, image) {
  if (canvas.width !== image.width) canvas.width = image.width;
  if (canvas.height !== image.height) canvas.height = image.height;
  canvas.getContext("2d").putImageData(image, 0, 0);
}
