// The history of a texel: the events that wrote it, with its numbers before and after, on each driver.
import { make, sentence, short } from "./dom.js";
import { badge } from "./event_row.js";
import { ask } from "./source.js";
import { swatchOf } from "./picture_facts.js";

const DRIVERS = ["A", "B"];

/** The panel with the history of the picked texel. */
export class History {
  #app;
  #shown;
  #stop = new AbortController();
  #head = make("div", { class: "toolbar" });
  #body = make("div", { class: "wide steps" });
  #message = make("div", { role: "status" });

  constructor(panel, app) {
    this.#app = app;
    panel.append(this.#head, this.#message, this.#body);
  }

  /** Shows the history of the picked texel, once for each texel. */
  async show() {
    const { texel, drivers } = this.#app;
    this.#mark();
    if (!texel || drivers.length === 0) return this.#showNothing();
    const key = JSON.stringify(texel);
    if (this.#shown === key) return;
    this.#stop.abort();
    const { signal } = this.#stop = new AbortController();
    this.#shown = key;
    const { image, aspect, x, y, level, layer, sample, z } = texel;
    this.#head.replaceChildren(
      make("b", { text: `${image} ${aspect} at ${x}, ${y}` }),
      make("small", {
        text: `level ${level}, layer ${layer}${sample > 0 ? `, sample ${sample}` : ""}${z > 0 ? `, slice ${z}` : ""}`,
      }),
    );
    this.#body.replaceChildren();
    this.#message.replaceChildren(sentence("The drivers replay each event that could write this texel …", "wait"));
    const found = await Promise.allSettled(drivers.map((_, side) => ask("history", { ...texel, side }, signal)));
    if (signal.aborted) return;
    if (found.some(({ reason }) => reason)) this.#shown = undefined;
    this.#message.replaceChildren(
      ...found.flatMap(({ reason, value }, side) =>
        reason
          ? [sentence(`${DRIVERS[side]}: ${reason.message}`, "error")]
          : value.unknown.map((each) => sentence(`${DRIVERS[side]}: ${each}`))
      ),
    );
    this.#draw(found.map(({ value }) => value?.steps));
  }

  #showNothing() {
    this.#shown = undefined;
    this.#head.replaceChildren();
    this.#body.replaceChildren();
    this.#message.replaceChildren(
      sentence(
        this.#app.drivers.length === 0 ? this.#app.whyNoDriver : "Click a texel in Pictures: its history stands here.",
      ),
    );
  }

  #draw(sides) {
    const known = sides.filter(Boolean);
    if (known.length === 0) return;
    const ids = [...new Set(known.flatMap((steps) => steps.map(({ event }) => event)))].sort((one, other) =>
      one - other
    );
    if (ids.length === 0) return this.#message.append(sentence("No event of the recording could write this texel."));
    const range = this.#rangeOf(known), byId = sides.map((steps) => new Map(steps?.map((step) => [step.event, step])));
    const parted = sides.length > 1 && known.length > 1
      ? ids.find((id) => byId[0].get(id)?.after.join() !== byId[1].get(id)?.after.join())
      : undefined;
    const head = make(
      "tr",
      {},
      make("th", { text: "event" }),
      ...sides.map((_, side) =>
        make("th", { text: sides.length > 1 ? `${DRIVERS[side]}: before › after` : "before › after" })
      ),
    );
    const rows = ids.map((id) =>
      make(
        "tr",
        { "data-event": id, class: id === parted ? "parted" : undefined },
        make("td", {}, this.#link(id), id === parted ? make("span", { class: "mark", text: "A ≠ B" }) : ""),
        ...byId.map((steps, side) =>
          make(
            "td",
            { "data-side": sides.length > 1 ? DRIVERS[side] : undefined },
            ...stepParts(steps.get(id), this.#components(steps.get(id)), range),
          )
        ),
      )
    );
    this.#body.replaceChildren(make("table", {}, head, ...rows));
    this.#mark();
  }

  #link(id) {
    const { events } = this.#app;
    return make(
      "button",
      { type: "button", class: "link event", onclick: () => events.choose(id) },
      badge(events.kindOf(id)),
      ` ${events.nameOf(id)} `,
      make("small", { text: `line ${events.lineOf(id)}` }),
    );
  }

  /** Marks the step of the chosen event. */
  #mark() {
    for (const row of this.#body.querySelectorAll("tr[data-event]")) {
      row.classList.toggle("chosen", Number(row.dataset.event) === this.#app.event);
    }
  }

  #components(step) {
    const names = this.#app.texel.aspect === "color"
      ? ["R", "G", "B", "A"]
      : [this.#app.texel.aspect === "depth" ? "D" : "S"];
    return (step?.after ?? []).map((_, at) => ({ name: names[at] ?? "" }));
  }

  /** The numbers that are black and white for the patches: those of the picture where it is known. */
  #rangeOf(known) {
    const { range } = this.#app.pictures;
    if (range) return range;
    const numbers = known.flatMap((steps) => steps.flatMap(({ before, after }) => [...before, ...after])).filter(
      Number.isFinite,
    );
    return [Math.min(0, ...numbers), Math.max(1, ...numbers)];
  }
}

function stepParts(step, components, range) {
  if (!step) return [make("span", { class: "note", text: "not there" })];
  const side = (numbers) => {
    if (numbers.length === 0) return make("span", { class: "side note", text: "no contents" });
    return make("span", { class: "side" }, swatchOf(numbers, components, range), numbers.map(short).join("  "));
  };
  const why = step.changed ? [] : [make("span", { class: "reason", text: step.reason ?? "unchanged" })];
  return [side(step.before), make("span", { class: "arrow", text: "›" }), side(step.after), ...why];
}
