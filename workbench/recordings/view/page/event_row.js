// One row of the list of events.
import { make } from "./dom.js";

/** Pixels of a step of the tree, and the steps that are shown at most. */
const STEP = 12, STEPS = 10;
/** Letters in front of a row, by kind. */
const LETTERS = {
  frame: "F",
  submission: "S",
  "command buffer": "B",
  pass: "P",
  label: "L",
  draw: "D",
  dispatch: "C",
  copy: "T",
  clear: "X",
  barrier: "|",
  state: "s",
  host: "h",
  present: "W",
};

/** Makes an empty row. */
export function makeRow() {
  return make(
    "div",
    { class: "row", role: "treeitem" },
    make("span", { class: "twisty", "aria-hidden": "true" }),
    badge(""),
    ...["title", "brief", "mark", "time", "line"].map((name) => make("span", { class: name })),
  );
}

/** Writes an event into a row. */
export function fillRow(row, { id, depth, isFolded, isChosen, isDifferent, kind, name, brief, line, marks, time }) {
  const [, sign, title, short, mark, took, number] = row.children;
  row.id = `event-${id}`;
  row.dataset.event = id;
  row.dataset.kind = kind;
  row.setAttribute("aria-level", depth + 1);
  row.setAttribute("aria-selected", `${isChosen}`);
  row.classList.toggle("different", isDifferent);
  row.style.setProperty("--indent", `${Math.min(depth, STEPS) * STEP}px`);
  if (isFolded === undefined) row.removeAttribute("aria-expanded");
  else row.setAttribute("aria-expanded", `${!isFolded}`);
  showKind(sign, kind);
  title.textContent = kind !== "label" && name.startsWith("vk") ? name.slice(2) : name;
  title.title = name;
  short.textContent = brief;
  short.title = brief;
  showMarks(mark, isDifferent, marks);
  took.textContent = time === undefined ? "" : `${time < 10 ? time.toFixed(2) : time.toFixed(1)} ms`;
  number.textContent = line > 0 ? line : "";
}

function showMarks(mark, isDifferent, marks) {
  mark.hidden = marks.length === 0 && !isDifferent;
  mark.textContent = isDifferent ? "A ≠ B" : marks.some(({ kind }) => kind === "message") ? "error" : "gap";
  const first = isDifferent ? ["the first event after which the drivers differ"] : [];
  mark.title = [...first, ...marks.map(({ text }) => text)].join("\n");
}

/** The sign of a kind. */
export function badge(kind) {
  const sign = make("span", { class: "kind", "aria-hidden": "true" });
  showKind(sign, kind);
  return sign;
}

function showKind(sign, kind) {
  sign.textContent = LETTERS[kind] ?? "";
  sign.dataset.kind = kind;
  sign.title = kind;
}
