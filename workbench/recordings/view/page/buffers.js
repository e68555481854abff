// Buffers at an event, as tables by a layout, or as bytes.
import { choice, make, select, sentence, short, sizeText } from "./dom.js";
import { parseLayout, rowCount, rowOf } from "./layout.js";
import { Rows } from "./rows.js";
import { askBytes } from "./source.js";

const DRIVERS = ["A", "B"];
/** Bytes of one answer, and of a row of bytes. */
const PART = 2 ** 20, HEX = { members: [], stride: 16, end: 1 };

/** The panel with buffers. */
export class Buffers {
  #app;
  #stop = new AbortController();
  #buffers = [];
  #unread = [];
  #found = [];
  #rows;
  #tools = make("div", { class: "toolbar" });
  #form = make("form", { class: "layout" });
  #message = make("div", { role: "status" });
  #head = make("div", { class: "cells head" });
  #table = make("div", { class: "table", tabindex: 0, "aria-label": "contents of the buffer" });
  /** The choices of the reader. */
  view = { buffer: undefined, way: 0, when: "after", isHex: false, part: 0, typed: new Map() };

  constructor(panel, app) {
    this.#app = app;
    panel.append(this.#tools, this.#form, this.#message, this.#table);
    this.#table.append(this.#head);
    this.#rows = new Rows(this.#table, {
      make: () => make("div", { class: "cells" }),
      fill: (row, at) => this.#fill(row, at),
    });
    this.#form.onsubmit = (event) => {
      event.preventDefault();
      this.#type(new FormData(this.#form).get("layout"));
    };
  }

  /** Shows the buffers of an event. */
  show(facts) {
    const pieces = new Map(facts.pieces.filter(({ image }) => !image).map((piece) => [piece.resource, piece]));
    this.#buffers = [...pieces.values()].map((piece) => {
      const bound = facts.layouts[piece.resource] ?? [];
      return { ...piece, ways: bound.length > 0 ? bound : [{ role: "written", layout: "vec4 value;", offset: 0 }] };
    });
    this.#buffers.sort((one, other) => rankOf(one) - rankOf(other));
    this.#unread = facts.unread.filter(([name]) => name.startsWith("VkBuffer#"));
    if (!this.buffer) Object.assign(this.view, { buffer: this.#buffers[0]?.resource, way: 0, part: 0 });
    this.#reload();
  }

  /** Chooses before or after. */
  choose(when) {
    this.view.when = when;
    this.#reload();
  }

  get buffer() {
    return this.#buffers.find(({ resource }) => resource === this.view.buffer);
  }

  get #way() {
    return this.buffer.ways[this.view.way] ?? this.buffer.ways[0];
  }

  /** The layout that is used: the typed one of this role, otherwise that of the state. */
  get #text() {
    return this.view.typed.get(this.#way.role) ?? this.#way.layout;
  }

  #set(changes) {
    Object.assign(this.view, changes);
    this.#reload();
  }

  #type(text) {
    this.view.typed.set(this.#way.role, `${text}`);
    this.view.isHex = false;
    this.#draw();
  }

  async #reload() {
    this.#stop.abort();
    const { signal } = this.#stop = new AbortController(), { buffer } = this, { drivers, event } = this.#app;
    this.#showTools();
    this.#table.hidden = this.#form.hidden = !buffer || drivers.length === 0;
    if (this.#table.hidden) return this.#showNothing();
    const late = setTimeout(
      () => this.#message.replaceChildren(sentence("The drivers replay up to this event …", "wait")),
      150,
    );
    const found = await Promise.allSettled(
      drivers.map((_, side) =>
        askBytes("bytes", {
          event,
          side,
          before: this.view.when === "before" ? 1 : 0,
          piece: buffer.name,
          offset: this.view.part * PART,
          size: PART,
        }, signal)
      ),
    );
    clearTimeout(late);
    if (signal.aborted) return;
    this.#found = found.map(({ value }) =>
      value && { ...value, view: new DataView(value.bytes.buffer, value.bytes.byteOffset, value.bytes.byteLength) }
    );
    this.#message.replaceChildren(
      ...found.flatMap(({ reason }, side) => reason ? [sentence(`${DRIVERS[side]}: ${reason.message}`, "error")] : []),
    );
    this.#draw();
  }

  #showNothing() {
    const text = this.#app.drivers.length === 0
      ? this.#app.whyNoDriver
      : "No buffer is written or bound here. Choose a draw, a dispatch or a copy.";
    this.#message.replaceChildren(
      sentence(text),
      ...this.#unread.map(([name, reason]) => sentence(`${name} cannot be shown: ${reason}.`)),
    );
  }

  #showTools() {
    const { buffer, view } = this;
    if (!buffer || this.#app.drivers.length === 0) return this.#tools.replaceChildren();
    const named = this.#buffers.map((
      { resource, ways },
    ) => [resource, `${ways.map(({ role }) => role).join(", ")}: ${resource}`]);
    const all = this.#found.find(Boolean)?.all ?? 0, parts = Math.ceil(all / PART);
    this.#tools.replaceChildren(
      named.length > 1
        ? select("Buffer", named, view.buffer, (name) => this.#set({ buffer: name, way: 0, part: 0 }))
        : make("b", { text: named[0][1] }),
      select("As", buffer.ways.map(({ role }, at) => [at, role]), view.way, (way) => this.#set({ way: Number(way) })),
      choice("when", [["before", "Before"], ["after", "After"]], view.when, (when) => this.choose(when)),
      choice("how", [[false, "Table"], [true, "Bytes"]], view.isHex, (isHex) => this.#set({ isHex })),
      parts > 1
        ? select(
          "MiB",
          Array.from({ length: parts }, (_, at) => [at, at]),
          view.part,
          (part) => this.#set({ part: Number(part) }),
        )
        : "",
      make("small", { text: all > 0 ? sizeText(all) : "" }),
    );
    this.#form.replaceChildren(
      make("label", { for: "layout-text", text: "Layout" }),
      make("input", { id: "layout-text", name: "layout", value: this.#text, spellcheck: "false", autocomplete: "off" }),
      make("button", { type: "submit", text: "Apply" }),
      make("button", {
        type: "button",
        text: "Reset",
        onclick: () => {
          view.typed.delete(this.#way.role);
          this.#reload();
        },
      }),
    );
  }

  /** Shows the rows of the layout. */
  #draw() {
    this.#showTools();
    try {
      this.layout = this.view.isHex ? HEX : parseLayout(this.#text);
    } catch (error) {
      this.#message.replaceChildren(sentence(`The layout cannot be used: ${error.message}.`, "error"));
      return this.#rows.show(0);
    }
    const { offset, size = Infinity } = this.view.isHex ? { offset: 0 } : this.#way,
      [first] = this.#found.filter(Boolean);
    this.offset = Math.max(0, offset - this.view.part * PART);
    const bytes = first ? Math.min(first.size, this.offset + size) : 0;
    const all = rowCount(this.layout, bytes, this.offset),
      isOnce = !this.view.isHex && this.#way.isOnce && !this.view.typed.has(this.#way.role);
    this.count = isOnce ? Math.min(1, all) : all;
    if (this.#message.childElementCount === 0 || this.count > 0) {
      this.#message.querySelector(".error:not([role])")?.remove();
    }
    if (first && this.count === 0) {
      this.#message.replaceChildren(sentence("The buffer has no whole row of this layout."));
    } else if (first) this.#message.replaceChildren();
    const names = this.view.isHex ? ["bytes", "as text"] : this.layout.members.map(({ name }) => name);
    const sides = this.#found.length > 1 ? DRIVERS : [""];
    this.#table.style.setProperty("--columns", names.length * sides.length + 1);
    this.#table.classList.toggle("hex", this.view.isHex);
    this.#head.replaceChildren(
      make("span", { text: this.view.isHex ? "offset" : "row" }),
      ...sides.flatMap((side) => names.map((name) => make("span", { text: side ? `${side} ${name}` : name }))),
    );
    this.#rows.show(this.count);
  }

  #fill(row, at) {
    const cells = this.#found.map((each) =>
      each ? this.#cellsOf(each, at) : this.#head.childElementCount > 1 ? ["–"] : []
    );
    const marked = (cell, side, place) =>
      make("span", { text: cell, class: side > 0 && cells[0]?.[place] !== cell ? "differs" : undefined, title: cell });
    const label = this.view.isHex ? `${this.view.part * PART + at * 16}` : `${at}`;
    row.replaceChildren(
      make("span", { text: label }),
      ...cells.flatMap((each, side) => each.map((cell, place) => marked(cell, side, place))),
    );
  }

  #cellsOf({ view, bytes }, at) {
    if (!this.view.isHex) {
      return rowOf(this.layout, view, this.offset, at).map((numbers) =>
        numbers.map((each) => typeof each === "bigint" ? `${each}` : short(each)).join("  ")
      );
    }
    const part = [...bytes.subarray(at * 16, at * 16 + 16)];
    const words = part.map((byte, index) => byte.toString(16).padStart(2, "0") + (index % 4 === 3 ? " " : "")).join("");
    return [words, part.map((byte) => byte > 31 && byte < 127 ? String.fromCharCode(byte) : "·").join("")];
  }
}

/** Vertices stand first, then indices, then everything else. */
function rankOf({ ways: [{ role }] }) {
  return role.startsWith("vertex") ? 0 : role.startsWith("index") ? 1 : 2;
}
