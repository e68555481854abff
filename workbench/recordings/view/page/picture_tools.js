// The choices above a picture: what is shown of which driver, which channels, level, layer, slice and sample.
import { choice, make, select } from "./dom.js";

/** Places that a selection offers. */
const FEW = 64;
const TIMES = [["before", "Before"], ["after", "After"], ["change", "Change"]];
const FRAGMENTS = [["all", "All fragments"], ["tested", "Passed tests"]];
const OF_TWO = [["one", "A"], ["B", "B"], ["slider", "A | B"], ["blink", "Blink"], ["heat", "A − B"], [
  "overdraw",
  "Overdraw",
]];
const OF_ONE = [["one", "Picture"], ["slider", "Slider"], ["blink", "Blink"], ["overdraw", "Overdraw"]];

/** Returns the choices for a piece. `levels` are all levels of its image; `set` gets what the reader chose. */
export function pictureTools({ view, piece, levels, names, isPair, stage, set }) {
  const { layers, samples, depth } = piece.image, shows = isPair ? OF_TWO : OF_ONE;
  const showChoice = choice("show", shows, view.show, (show) => set({ show }));
  if (view.show === "overdraw") {
    return [
      showChoice,
      choice("fragments", FRAGMENTS, view.fragments, (fragments) => set({ fragments })),
      zoomChoice(stage),
    ];
  }
  return [
    choice("when", TIMES, view.when, (when) => set({ when })),
    showChoice,
    names.length > 1 ? channelChoice(names, view.channels, (channels) => set({ channels })) : "",
    select("Level", levels.map((level) => [level, level]), view.level, (level) => set({ level: Number(level) })),
    select("Layer", layers.map((layer) => [layer, layer]), view.layer, (layer) => set({ layer: Number(layer) })),
    place("Slice", depth, view.z, (z) => set({ z })),
    place("Sample", samples, view.sample, (sample) => set({ sample })),
    zoomChoice(stage),
  ];
}

/** Chooses one of a few places, or types the number of one among many. */
function place(label, count, chosen, onChoice) {
  if (count <= FEW) {
    const choices = Array.from({ length: count }, (_, at) => [at, at]);
    return select(label, choices, chosen, (at) => onChoice(Number(at)));
  }
  const input = make("input", { type: "number", min: 0, max: count - 1, step: 1, value: chosen, "aria-label": label });
  input.onchange = () => onChoice(Math.max(0, Math.min(count - 1, Math.floor(Number(input.value) || 0))));
  return make("label", { class: "field" }, make("span", { text: label }), input);
}

function channelChoice(names, chosen, onChoice) {
  const toggled = (name) => {
    const channels = new Set(chosen);
    if (!channels.delete(name)) channels.add(name);
    return channels.size > 0 ? channels : new Set([name]);
  };
  const buttons = names.map((name) =>
    make("button", {
      type: "button",
      text: name,
      title: `${name}; a double click shows it alone`,
      "data-value": name,
      "aria-pressed": `${chosen.has(name)}`,
      onclick: () => onChoice(toggled(name)),
      ondblclick: () => onChoice(new Set([name])),
    })
  );
  return make("div", { class: "choice channels", role: "group", "aria-label": "channels" }, ...buttons);
}

function zoomChoice(stage) {
  const buttons = [
    ["−", "smaller", () => stage.zoomBy(0.5)],
    ["Fit", "fit into the page", () => stage.fit()],
    ["1:1", "one pixel a texel", () => stage.showWhole()],
    ["+", "larger", () => stage.zoomBy(2)],
  ].map(([text, label, onclick]) =>
    make("button", { type: "button", text, "aria-label": label, title: label, onclick })
  );
  return make("div", { class: "choice", role: "group", "aria-label": "zoom" }, ...buttons);
}
