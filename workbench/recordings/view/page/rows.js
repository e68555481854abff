// A list of which only the rows in sight are elements: ten thousands of rows stay fluid.

/** Rows above and below the ones in sight. */
const SPARE = 8;
/** Pixels that browsers give an element at most, with a reserve. */
const TALLEST = 12_000_000;

/** Rows of one height inside an element that scrolls. `make` returns an empty row, `fill` writes the row of a place. */
export class Rows {
  #place;
  #space = document.createElement("div");
  #pool = [];
  #make;
  #fill;
  #due = false;
  /** The row that was revealed last, and the height in which rows were seen by then. */
  #revealed = -1;
  #tall = 0;
  count = 0;

  constructor(place, { make, fill }) {
    this.#place = place;
    this.#make = make;
    this.#fill = fill;
    this.#space.className = "rows";
    place.append(this.#space);
    place.addEventListener("scroll", () => this.#soon(), { passive: true });
    new ResizeObserver(() => this.#resized()).observe(place);
  }

  /** The height of a row in pixels, which the style decides. */
  get height() {
    return parseFloat(getComputedStyle(this.#place).getPropertyValue("--row")) || 26;
  }

  /** Rows beyond this number cannot be scrolled to. */
  get most() {
    return Math.floor(TALLEST / this.height);
  }

  /** Shows another number of rows, each anew. */
  show(count) {
    this.count = count;
    this.#space.style.height = `${Math.min(count, this.most) * this.height}px`;
    this.draw();
  }

  /** Writes the rows in sight anew. */
  draw() {
    const { height } = this, { scrollTop, clientHeight } = this.#place;
    const first = Math.max(0, Math.floor(scrollTop / height) - SPARE);
    const end = Math.min(this.count, this.most, Math.ceil((scrollTop + clientHeight) / height) + SPARE);
    while (this.#pool.length < end - first) this.#pool.push(this.#space.appendChild(this.#make()));
    const size = this.#pool.length, spare = new Set(this.#pool);
    for (let at = first; at < end; at++) {
      const row = this.#pool[at % size]; // keeps its place while it is in sight, so that a click begins and ends on it
      spare.delete(row);
      row.hidden = false;
      row.style.transform = `translateY(${at * height}px)`;
      this.#fill(row, at);
    }
    for (const row of spare) {
      row.hidden = true;
      row.removeAttribute("id"); // which another row may have now
    }
  }

  /** The row that was revealed last stays in sight when there is less room, as when a notice comes above. */
  #resized() {
    const { height } = this, { scrollTop, clientHeight } = this.#place, top = this.#revealed * height;
    const wasSeen = this.#tall === 0 || top >= scrollTop && top < scrollTop + this.#tall;
    this.#tall = clientHeight;
    if (wasSeen && this.#revealed >= 0 && clientHeight > 0) this.reveal(this.#revealed);
    this.#soon();
  }

  /** Scrolls as little as is needed for a row to be seen. */
  reveal(at) {
    this.#revealed = at;
    const { height } = this, top = at * height, { scrollTop, clientHeight } = this.#place;
    if (top < scrollTop) this.#place.scrollTop = Math.max(0, top - height);
    else if (top + height > scrollTop + clientHeight) this.#place.scrollTop = top + 2 * height - clientHeight;
  }

  #soon() {
    if (this.#due) return;
    this.#due = true;
    requestAnimationFrame(() => {
      this.#due = false;
      this.draw();
    });
  }
}
