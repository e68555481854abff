// Elements. Whatever a recording says becomes text, never markup.

/** Makes an element; `text` is its text, `on…` its listeners, everything else an attribute. Strings among the children are text. */
export function make(name, { text, ...rest } = {}, ...children) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  for (const [key, value] of Object.entries(rest)) {
    if (key.startsWith("on")) element[key] = value;
    else if (value === true) element.setAttribute(key, "");
    else if (value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/** The element of an id. */
export function part(id) {
  return document.getElementById(id);
}

/** A row of buttons of which one is pressed; `choices` are pairs of a value and a label. */
export function choice(label, choices, chosen, onChoice) {
  const buttons = choices.map(([value, text]) =>
    make("button", {
      type: "button",
      text,
      "aria-pressed": `${value === chosen}`,
      "data-value": `${value}`,
      onclick: () => onChoice(value),
    })
  );
  return make("div", { class: "choice", role: "group", "aria-label": label }, ...buttons);
}

/** A selection with a label in front; none where there is nothing to choose. */
export function select(label, choices, chosen, onChoice) {
  if (choices.length < 2) return "";
  const element = make("select", { "aria-label": label, onchange: () => onChoice(element.value) });
  element.append(...choices.map(([value, text]) => new Option(text, value, false, `${value}` === `${chosen}`)));
  return make("label", { class: "field" }, make("span", { text: label }), element);
}

/** A sentence in place of a panel's contents; `kind` is `"note"`, `"wait"` or `"error"`. */
export function sentence(text, kind = "note") {
  return make("p", { class: `sentence ${kind}`, role: kind === "error" ? "alert" : undefined, text });
}

/** Numbers that people compare: six digits, and words for those that are none. */
export function short(value) {
  return Number.isFinite(value) ? `${Number(Number(value).toPrecision(6))}` : `${value}`;
}

/** A count with separators between thousands. */
export function counted(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** Bytes as people read them. */
export function sizeText(bytes) {
  if (bytes < 1024) return counted(bytes, "byte");
  return bytes < 2 ** 20 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
