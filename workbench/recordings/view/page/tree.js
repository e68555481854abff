// Parameters and members as a table that can be folded.
import { make } from "./dom.js";

/** Structs with more members are folded at first. */
const OPEN = 12;

/** Returns parameters with what is inside; `depth` is the number of structs around. */
export function tree(parameters, depth = 0) {
  if (parameters.length === 0) return make("p", { class: "sentence note", text: "none" });
  return make("div", { class: "tree" }, ...parameters.map((each) => nodeOf(each, depth)));
}

function nodeOf({ name, type, text, inside }, depth) {
  const label = make("span", { class: "key", text: name, title: type });
  if (!inside) return make("div", { class: "leaf" }, label, valueOf(text));
  const isList = inside.every((each, at) => each.name === `${at}`);
  const told = inside.length === 0 ? "empty" : isList ? `${type || "list"} [${inside.length}]` : type;
  if (isList && inside.every((each) => each.text !== undefined) && inside.length <= 4) {
    return make("div", { class: "leaf" }, label, valueOf(inside.map((each) => each.text).join(", ")));
  }
  const fold = make(
    "details",
    { open: depth < 2 && inside.length <= OPEN },
    make("summary", {}, label, make("small", { text: told })),
  );
  const fill = () => fold.childElementCount === 1 && inside.length > 0 && fold.append(tree(inside, depth + 1));
  if (fold.open) fill();
  fold.addEventListener("toggle", fill);
  return fold;
}

/** Flags are read best one below the other. */
function valueOf(text) {
  const flags = text.startsWith("VK_") ? text.split(" | ") : [text];
  return make("span", { class: "value" }, ...flags.map((each) => make("span", { text: each })));
}
