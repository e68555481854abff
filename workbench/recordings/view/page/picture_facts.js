// The facts below a picture: what it is, its range and histogram, how two differ, and the numbers of a texel.
import { counted, make, sentence, short } from "./dom.js";
import { colourOf, heatColour, histogram } from "./texels.js";

/** Size of the histogram in pixels, and the ink of each channel. */
const WIDE = 256, TALL = 48;
const INKS = { R: "#e5484d", G: "#30a46c", B: "#3b82f6" }, GREY = "#8d8d8d";

/** Returns the caption of a picture. `set` gets another range. */
export function captionParts({ piece, view, texels, range: [low, high], set }) {
  const { format, image } = piece,
    facts = [
      `${piece.resource} ${image.aspect}`,
      format.replace(/^VK_FORMAT_/, ""),
      `${image.width} × ${image.height}${image.depth > 1 ? ` × ${image.depth}` : ""}`,
      ...image.samples > 1 ? [counted(image.samples, "sample")] : [],
      ...texels.note ? [texels.note] : [],
    ];
  const limit = (text, value, at) => {
    const input = make("input", { type: "number", step: "any", value: short(value), "aria-label": text });
    input.onchange = () => set({ range: Object.assign([low, high], { [at]: Number(input.value) }) });
    return make("label", { class: "field" }, make("span", { text }), input);
  };
  const button = (text, title, isFitted) =>
    make("button", { type: "button", text, title, onclick: () => set({ range: undefined, isFitted }) });
  const canvas = make("canvas", {
    class: "histogram",
    width: WIDE,
    height: TALL,
    role: "img",
    "aria-label": "histogram",
  });
  drawHistogram(canvas, histogram(texels, view.channels, [low, high]));
  const fits = make(
    "div",
    { class: "choice" },
    button("Fit", "the smallest and the largest number", true),
    button("Usual", "the numbers that the format says", false),
  );
  return [
    make("span", { text: facts.join(" · ") }),
    make("span", { class: "range" }, limit("Black", low, 0), limit("White", high, 1), fits, canvas),
  ];
}

/** Returns the caption of a picture of overdraw. `name` tells the driver where there are two. */
export function overdrawCaption({ readers: [{ array }], count, facts: { draws, unknown } }, name) {
  let sum = 0, covered = 0, most = 0;
  for (const each of array) {
    sum += each;
    if (each > 0) covered++;
    if (each > most) most = each;
  }
  const average = covered > 0 ? `${short(Number((sum / covered).toFixed(2)))} on average where there are some` : "none";
  const told = [
    `${name}${counted(sum, "fragment")} of ${counted(draws, "draw")} since the pass began`,
    `${counted(covered, "texel")} of ${count.toLocaleString("en")} covered`,
    `at most ${counted(most, "fragment")} a texel, ${average}`,
  ];
  return [make("span", { text: told.join(" · ") }), ...unknown.map((text) => sentence(`${text}.`))];
}

/** The colours of counts from 1 to the most. */
export function heatScale(most) {
  if (most < 2) return "";
  const bar = make("i", { class: "heat" }), stops = Array.from({ length: 9 }, (_, at) => 1 + (most - 1) * at / 8);
  bar.style.background = `linear-gradient(to right, ${stops.map((each) => heatColour(each, most)).join(", ")})`;
  return make("span", { class: "range" }, "1", bar, most.toLocaleString("en"));
}

/** Returns a sentence about how two pictures differ; `go` goes to a texel. */
export function differenceText({ count, most, x, y }, { count: all, components }, isOfDrivers, go) {
  const texels = all.toLocaleString("en");
  if (count === 0) {
    const what = isOfDrivers ? "differs between A and B" : "was changed";
    return make("span", { class: "told same", text: `No texel of ${texels} ${what} in the chosen channels.` });
  }
  const { limits } = components[0],
    share = limits ? `, ${short(100 * most / (limits[1] - limits[0]))} % of the range,` : "";
  return make(
    "span",
    { class: "told" },
    `${count.toLocaleString("en")} of ${texels} texels ${
      isOfDrivers ? "differ between A and B" : "were changed"
    }, the most by ${short(most)}${share} at `,
    make("button", { type: "button", class: "link", text: `${x}, ${y}`, onclick: () => go({ x, y }) }),
    ".",
  );
}

/** Returns the numbers of a texel in each picture: `rows` are pairs of a name and texels. */
export function readout(rows, texel, range) {
  const [, first] = rows[0] ?? [];
  if (!first || !texel || texel.x >= first.width || texel.y >= first.height) {
    return sentence("Point at a texel for its numbers; click one for its history.");
  }
  const { x, y } = texel, heads = [`${x}, ${y}`, "", ...first.components.map(({ name }) => name), "bytes"];
  const bytes = rows.map(([, texels]) => texels.hex(x, y));
  const body = rows.map(([name, texels], at) => {
    const numbers = texels.at(x, y).map((value, place) =>
      make("td", { text: numberText(value, texels.components[place]) })
    );
    const swatch = make("td", {}, swatchOf(texels.at(x, y), texels.components, range));
    return make(
      "tr",
      { class: bytes[at] === bytes[0] ? undefined : "differs" },
      make("th", { text: name }),
      swatch,
      ...numbers,
      make("td", { class: "hex", text: bytes[at] }),
    );
  });
  return make("table", {}, make("tr", {}, ...heads.map((text) => make("th", { text }))), ...body);
}

/** A number as it is stored, behind the share of the range that it stands for. */
function numberText(value, { limits }) {
  return limits ? `${Math.max(-1, value / limits[1]).toFixed(4)} (${value})` : short(value);
}

/** A patch of the colour of a texel. */
export function swatchOf(numbers, components, range) {
  const patch = make("i", { class: "swatch" });
  patch.style.background = colourOf(numbers, components, range);
  return patch;
}

/** Bars grow with the logarithm, so that rare numbers are seen. */
function drawHistogram(canvas, channels) {
  const context = canvas.getContext("2d"), most = Math.max(1, ...channels.flatMap(({ counts }) => [...counts]));
  context.globalAlpha = channels.length > 1 ? 0.5 : 0.9;
  for (const { name, counts } of channels) {
    context.fillStyle = INKS[name] ?? GREY;
    for (const [bin, count] of counts.entries()) {
      const height = TALL * Math.log1p(count) / Math.log1p(most), width = WIDE / counts.length;
      context.fillRect(bin * width, TALL - height, width, height);
    }
  }
}
