// The list of events: a tree that can be folded, searched and filtered.
import { counted, make, part } from "./dom.js";
import { badge, fillRow, makeRow } from "./event_row.js";
import { Rows } from "./rows.js";

/** The kind that is not shown at first: calls that no device carries out. */
const QUIET = "host";
/** The events of a recording, of which one is chosen. `onChoice` gets the number of the chosen one. */
export class Events {
  #table;
  #folded;
  #shown = new Int32Array();
  #query = "";
  #wanted = new Set();
  #rows;
  #onChoice;
  #times = new Map();
  #marks = new Map();
  chosen = -1;
  different = -1;

  constructor(table, gaps, onChoice) {
    this.#table = table;
    this.#folded = new Uint8Array(table.kind.length);
    this.#onChoice = onChoice;
    this.#rows = new Rows(part("list"), {
      make: () => this.#makeRow(),
      fill: (row, at) => this.#fillRow(row, this.#shown[at]),
    });
    for (const { line, sentence } of gaps) this.mark(line, "gap", sentence);
    this.#offerKinds();
    part("search").oninput = ({ target }) => this.search(target.value);
    this.update();
  }

  get count() {
    return this.#table.kind.length;
  }

  kindOf(id) {
    return this.#table.texts[this.#table.kind[id]];
  }

  nameOf(id) {
    return this.#table.texts[this.#table.name[id]];
  }

  briefOf(id) {
    return this.#table.texts[this.#table.brief[id]];
  }

  lineOf(id) {
    return this.#table.line[id];
  }

  timeOf(id) {
    return this.#times.get(id);
  }

  marksOf(id) {
    return this.#marks.get(id) ?? [];
  }

  /** The names of the events around one, from the frame on. */
  pathOf(id) {
    const path = [];
    for (let at = this.#table.parent[id]; at >= 0; at = this.#table.parent[at]) path.unshift(this.nameOf(at));
    return path;
  }

  /** Marks the event of a line, or the last one before: `kind` is `"gap"` or `"message"`. */
  mark(line, kind, text) {
    let id = 0;
    for (let each = 0; each < this.count; each++) {
      const at = this.#table.line[each];
      if (at > 0 && at <= line && at >= this.#table.line[id]) id = each;
    }
    this.#marks.set(id, [...this.marksOf(id), { kind, text, line }]);
    this.#rows?.draw();
  }

  /** Shows how long events took: milliseconds by number. */
  showTimes(times) {
    this.#times = times;
    this.#rows.draw();
  }

  /** Marks the first event after which the drivers differ. */
  showDifference(id) {
    this.different = id;
    this.#rows.draw();
  }

  search(text) {
    this.#query = text.trim().toLowerCase();
    this.update();
    if (this.#query !== "" && this.#placeOf(this.chosen) < 0) part("list").scrollTop = 0;
  }

  /** The event with which a look at the recording begins: the last draw of the first frame with draws, otherwise an action. */
  get first() {
    const { kind, texts, parent, action } = this.#table, count = this.count;
    const isDraw = (id) => texts[kind[id]] === "draw", ids = Array.from({ length: count }, (_, id) => id);
    const start = ids.findIndex(isDraw), end = ids.findIndex((id) => id > start && parent[id] < 0);
    if (start >= 0) return ids.slice(start, end < 0 ? count : end).findLast(isDraw);
    return Math.max(0, action.lastIndexOf(1));
  }

  /** Chooses an event and shows its row. */
  choose(id) {
    if (!(id >= 0 && id < this.count)) return;
    this.chosen = id;
    let isFolded = false;
    for (let at = this.#table.parent[id]; at >= 0; at = this.#table.parent[at]) {
      isFolded ||= this.#folded[at] === 1;
      this.#folded[at] = 0;
    }
    if (isFolded) this.update();
    const at = this.#placeOf(id);
    if (at >= 0) this.#rows.reveal(at);
    this.#rows.draw();
    part("list").setAttribute("aria-activedescendant", at >= 0 ? `event-${id}` : "");
    this.#onChoice(id);
  }

  /** Moves by so many rows. */
  move(steps) {
    if (this.#shown.length === 0) return;
    const at = this.#placeOf(this.chosen), from = at >= 0 ? at : steps > 0 ? -1 : this.#shown.length;
    this.choose(this.#shown[Math.max(0, Math.min(this.#shown.length - 1, from + steps))]);
  }

  /** Moves to the next draw or dispatch; `step` is 1 or -1. */
  moveToWork(step) {
    const { inside } = this.#matches();
    for (let id = this.chosen + step; id >= 0 && id < this.count; id += step) {
      if (this.#isWork(id) && inside(id)) return this.choose(id);
    }
  }

  /** Folds or unfolds the chosen event, or goes to the one around. */
  fold(isFolded) {
    const id = this.chosen;
    if (id < 0) return;
    const { inside, parent } = this.#table;
    if (inside[id] > 0 && (this.#folded[id] === 1) !== isFolded) this.toggle(id);
    else if (isFolded && parent[id] >= 0) this.choose(parent[id]);
    else if (!isFolded && inside[id] > 0) this.move(1);
  }

  toggle(id) {
    this.#folded[id] ^= 1;
    this.update();
  }

  /** Folds all passes and command buffers, or unfolds everything. */
  foldAll(isFolded) {
    for (let id = 0; id < this.count; id++) {
      this.#folded[id] = isFolded && /^(pass|command buffer)$/.test(this.kindOf(id)) ? 1 : 0;
    }
    this.update();
  }

  /** Finds the rows that are to be seen, and shows them. */
  update() {
    const { inside } = this.#table, matches = this.#matches(), shown = [];
    for (let id = 0; id < this.count;) {
      if (matches.around(id)) shown.push(id);
      id += this.#folded[id] === 1 && !matches.isSearch ? inside[id] + 1 : 1;
    }
    this.#shown = Int32Array.from(shown);
    this.#rows.show(shown.length);
    const { most } = this.#rows;
    part("count").textContent = shown.length > most
      ? `the first ${counted(most, "row")} of ${shown.length.toLocaleString("en")}: search or fold to see the others`
      : `${shown.length.toLocaleString("en")} of ${counted(this.count, "event")}`;
    part("nothing").hidden = shown.length > 0;
  }

  /** The events that the search and the filter let through, and those around them. */
  #matches() {
    const { texts, kind, name, brief, line, parent } = this.#table, query = this.#query, number = Number(query || NaN);
    const found = texts.map((text) => query === "" || text.toLowerCase().includes(query));
    const wanted = texts.map((text) => this.#wanted.has(text));
    const hits = new Uint8Array(this.count), around = new Uint8Array(this.count);
    for (let id = this.count - 1; id >= 0; id--) {
      if (wanted[kind[id]] && (found[name[id]] || found[brief[id]] || line[id] === number)) hits[id] = around[id] = 1;
      if (around[id] === 1 && parent[id] >= 0) around[parent[id]] = 1;
    }
    return { isSearch: query !== "", inside: (id) => hits[id] === 1, around: (id) => around[id] === 1 };
  }

  #isWork(id) {
    const kind = this.kindOf(id);
    return kind === "draw" || kind === "dispatch";
  }

  /** The shown numbers grow, so that halving finds one. */
  #placeOf(id) {
    let low = 0, high = this.#shown.length - 1;
    while (low <= high) {
      const middle = low + high >> 1;
      if (this.#shown[middle] === id) return middle;
      if (this.#shown[middle] < id) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  #offerKinds() {
    const { texts, kind } = this.#table, counts = new Map();
    for (const each of kind) counts.set(texts[each], (counts.get(texts[each]) ?? 0) + 1);
    this.#wanted = new Set([...counts.keys()].filter((name) => name !== QUIET || counts.size === 1));
    const showState = () => part("kinds").classList.toggle("some", this.#wanted.size < counts.size);
    const boxes = [...counts].map(([name, count]) => {
      const box = make("input", { type: "checkbox", value: name, checked: this.#wanted.has(name) });
      box.onchange = () => {
        if (box.checked) this.#wanted.add(name);
        else this.#wanted.delete(name);
        showState();
        this.update();
      };
      return make("label", {}, box, badge(name), ` ${name} `, make("small", { text: count.toLocaleString("en") }));
    });
    part("kinds-list").replaceChildren(...boxes);
    showState();
  }

  #makeRow() {
    const row = makeRow();
    row.onclick = ({ target }) => {
      const id = Number(row.dataset.event);
      if (target.className === "twisty" && this.#table.inside[id] > 0) return this.toggle(id);
      this.choose(id);
      part("details").dispatchEvent(new Event("wanted"));
    };
    return row;
  }

  #fillRow(row, id) {
    const { inside, depth } = this.#table;
    fillRow(row, {
      id,
      depth: depth[id],
      isFolded: inside[id] === 0 ? undefined : this.#folded[id] === 1,
      isChosen: id === this.chosen,
      isDifferent: id === this.different,
      kind: this.kindOf(id),
      name: this.nameOf(id),
      brief: this.briefOf(id),
      line: this.lineOf(id),
      marks: this.marksOf(id),
      time: this.timeOf(id),
    });
  }
}
