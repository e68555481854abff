// Pictures at an event: attachments and bound images, before and after, on each driver.
import { choice, counted, make, select, sentence, short } from "./dom.js";
import { askBytes } from "./source.js";
import { Stage } from "./stage.js";
import { colourOf, difference, histogram, paint, rangeOf, Texels } from "./texels.js";
import { Thumbnails } from "./thumbnails.js";

const DRIVERS = ["A", "B"];
/** Size of the histogram in pixels. */
const WIDE = 256, TALL = 48;
const INKS = { R: "#e5484d", G: "#30a46c", B: "#3b82f6", A: "#8d8d8d", D: "#8d8d8d", S: "#8d8d8d" };

/** The panel with pictures. `app` has the chosen event, the drivers and the picked texel. */
export class Pictures {
  #app;
  #thumbnails = new Thumbnails();
  #stop = new AbortController();
  #loaded = new Map();
  #facts;
  #pieces = [];
  #stage = new Stage({ onPoint: (texel) => this.#point(texel), onPick: (texel) => this.#pick(texel) });
  #strip = make("div", { class: "strip-row", role: "listbox", "aria-label": "images" });
  #tools = make("div", { class: "toolbar" });
  #caption = make("p", { class: "caption" });
  #message = make("div", { role: "status" });
  #readout = make("div", { class: "wide readout" });
  #histogram = make("canvas", {
    class: "histogram",
    width: WIDE,
    height: TALL,
    role: "img",
    "aria-label": "histogram",
  });
  /** What the reader chose; kept from event to event. */
  view = {
    image: undefined,
    aspect: undefined,
    level: 0,
    layer: undefined,
    sample: 0,
    z: 0,
    when: "after",
    show: "one",
    channels: new Set(["R", "G", "B"]),
    range: undefined,
    isFitted: false,
  };

  constructor(panel, app) {
    this.#app = app;
    panel.append(
      this.#strip,
      this.#tools,
      this.#message,
      this.#stage.sliderRow,
      this.#stage.element,
      this.#caption,
      this.#readout,
    );
    this.#stage.element.addEventListener("keydown", (event) => this.#moveTexel(event));
  }

  /** Shows the pictures of an event. */
  show(facts) {
    this.#facts = facts;
    this.#pieces = facts.pieces.filter(({ image }) => image);
    this.#thumbnails.stop();
    const kept = this.#pieces.find((each) =>
      each.resource === this.view.image && each.image.aspect === this.view.aspect
    );
    this.#choose(
      kept ?? this.#pieces.find(({ roles }) => roles.some((role) => role.startsWith("attachment"))) ?? this.#pieces[0],
      kept !== undefined,
    );
    this.#showStrip();
    this.#reload();
  }

  /** Chooses before or after. */
  choose(when) {
    this.#set({ when });
  }

  /** The piece that is seen, with the place of its slice. */
  get piece() {
    const { image, aspect, level } = this.view;
    const all = this.#pieces.filter((each) => each.resource === image && each.image.aspect === aspect);
    return all.find((each) => each.image.level === level) ?? all[0];
  }

  #choose(piece, isSame) {
    if (!piece) return;
    const { resource, image } = piece;
    Object.assign(this.view, { image: resource, aspect: image.aspect });
    if (!isSame) {
      Object.assign(this.view, {
        level: image.level,
        layer: image.layers[0],
        sample: 0,
        z: 0,
        range: undefined,
        isFitted: false,
      });
    }
    if (!image.layers.includes(this.view.layer)) this.view.layer = image.layers[0];
    if (!isSame) this.#app.texel = undefined;
  }

  #set(changes) {
    Object.assign(this.view, changes);
    this.#reload();
  }

  #showStrip() {
    const groups = new Map(), { event } = this.#app;
    for (const piece of this.#pieces) {
      const key = `${piece.resource} ${piece.image.aspect}`;
      if (!groups.has(key)) groups.set(key, piece);
    }
    this.#strip.replaceChildren(...[...groups.values()].map((piece) => {
      const { resource, image: { aspect, width, height, layers }, roles } = piece;
      const canvas = this.#app.drivers.length > 0
        ? this.#thumbnails.of({ event, side: 0, before: 0, piece: piece.name, layer: layers[0], sample: 0, z: 0 })
        : make("canvas", { class: "thumbnail empty", width: 1, height: 1 });
      return make(
        "button",
        {
          type: "button",
          class: "image",
          role: "option",
          "data-image": `${resource} ${aspect}`,
          "aria-selected": `${resource === this.view.image && aspect === this.view.aspect}`,
          onclick: () => {
            this.#choose(piece, false);
            for (const each of this.#strip.children) {
              each.setAttribute("aria-selected", `${each.dataset.image === `${resource} ${aspect}`}`);
            }
            this.#reload();
          },
        },
        canvas,
        make(
          "span",
          { class: "names" },
          make("b", { text: roles.join(", ") || "written" }),
          make("span", { text: `${resource}${aspect === "color" ? "" : ` ${aspect}`}` }),
          make("small", { text: `${width} × ${height}` }),
        ),
      );
    }));
    this.#strip.hidden = groups.size === 0;
  }

  /** Loads what the view needs, and shows it. A later call makes an earlier one stop. */
  async #reload() {
    this.#stop.abort();
    const { signal } = this.#stop = new AbortController(), { piece } = this;
    this.#showTools();
    if (!piece || this.#app.drivers.length === 0) return this.#showNothing();
    const late = setTimeout(
      () => this.#message.replaceChildren(sentence("The drivers replay up to this event …", "wait")),
      150,
    );
    const wanted = this.#wanted();
    const found = await Promise.allSettled(wanted.map((each) => this.#load(each, signal)));
    clearTimeout(late);
    if (signal.aborted) return;
    this.#message.replaceChildren(
      ...found.flatMap(({ reason }, at) =>
        reason ? [sentence(`${this.#nameOf(wanted[at])}: ${reason.message}`, "error")] : []
      ),
    );
    this.#draw(wanted.filter((_, at) => found[at].status === "fulfilled"));
    void this.#thumbnails.load();
  }

  #showNothing() {
    const { unread } = this.#facts,
      text = this.#app.drivers.length === 0
        ? this.#app.whyNoDriver
        : "No image is written or bound here. Choose a draw, a dispatch, a copy, a clear, or a pass.";
    this.#message.replaceChildren(
      sentence(text),
      ...unread.map(([name, reason]) => sentence(`${name} cannot be shown: ${reason}.`)),
    );
    this.#stage.show([], "one");
    this.#caption.replaceChildren();
    this.#readout.replaceChildren();
  }

  /** The contents that the view needs, as pairs of a driver and a time. */
  #wanted() {
    const { when, show } = this.view, isPair = this.#app.drivers.length > 1;
    if (!isPair) {
      const times = show === "one" && when !== "change" ? [when] : ["before", "after"];
      return times.map((each) => ({ side: 0, when: each }));
    }
    const sides = show === "one" ? [0] : show === "B" ? [1] : [0, 1],
      times = when === "change" ? ["before", "after"] : [when];
    return sides.flatMap((side) => times.map((each) => ({ side, when: each })));
  }

  async #load({ side, when }, signal) {
    const { layer, sample, z } = this.view, { event } = this.#app;
    const members = { event, side, before: when === "before" ? 1 : 0, piece: this.piece.name, layer, sample, z };
    const key = JSON.stringify(members);
    if (this.#loaded.has(key)) return;
    const texels = new Texels(await askBytes("picture", members, signal));
    if (this.#loaded.size >= 8) this.#loaded.delete(this.#loaded.keys().next().value);
    this.#loaded.set(key, texels);
  }

  #texels({ side, when }) {
    const { layer, sample, z } = this.view, { event } = this.#app;
    return this.#loaded.get(
      JSON.stringify({ event, side, before: when === "before" ? 1 : 0, piece: this.piece.name, layer, sample, z }),
    );
  }

  #nameOf({ side, when }) {
    return this.#app.drivers.length > 1 ? `${DRIVERS[side]} ${when}` : when;
  }

  #showTools() {
    const { view, piece } = this, { drivers } = this.#app, isPair = drivers.length > 1;
    if (!piece || drivers.length === 0) return this.#tools.replaceChildren();
    const { layers, samples, depth } = piece.image,
      numbers = (count) => Array.from({ length: count }, (_, at) => [at, at]);
    const levels = this.#pieces.filter((each) => each.resource === view.image && each.image.aspect === view.aspect);
    const shows = isPair
      ? [["one", "A"], ["B", "B"], ["slider", "A | B"], ["blink", "Blink"], ["heat", "A − B"]]
      : [["one", "Picture"], ["slider", "Slider"], ["blink", "Blink"]];
    const names = this.#channelNames();
    this.#tools.replaceChildren(
      choice(
        "when",
        [["before", "Before"], ["after", "After"], ["change", "Change"]],
        view.when,
        (when) => this.#set({ when }),
      ),
      choice("show", shows, view.show, (show) => this.#set({ show })),
      names.length > 1 ? this.#channelChoice(names) : "",
      select(
        "Level",
        levels.map(({ image }) => [image.level, image.level]),
        view.level,
        (level) => this.#set({ level: Number(level) }),
      ),
      select(
        "Layer",
        layers.map((layer) => [layer, layer]),
        view.layer,
        (layer) => this.#set({ layer: Number(layer) }),
      ),
      select("Slice", numbers(depth), view.z, (z) => this.#set({ z: Number(z) })),
      select("Sample", numbers(samples), view.sample, (sample) => this.#set({ sample: Number(sample) })),
      make(
        "div",
        { class: "choice", role: "group", "aria-label": "zoom" },
        ...[
          ["−", "smaller", () => this.#stage.zoomBy(0.5)],
          ["Fit", "fit into the page", () => this.#stage.fit()],
          ["1:1", "one pixel a texel", () => this.#stage.showWhole()],
          ["+", "larger", () => this.#stage.zoomBy(2)],
        ].map(([text, label, onclick]) =>
          make("button", { type: "button", text, "aria-label": label, title: label, onclick })
        ),
      ),
    );
  }

  #channelNames() {
    const loaded = this.#wanted().map((each) => this.#texels(each)).find(Boolean);
    if (loaded) return loaded.components.map(({ name }) => name);
    return this.piece.image.aspect === "color" ? ["R", "G", "B", "A"] : [];
  }

  #channelChoice(names) {
    const buttons = names.map((name) =>
      make("button", {
        type: "button",
        text: name,
        "data-value": name,
        "aria-pressed": `${this.view.channels.has(name)}`,
        onclick: () => {
          const channels = new Set(this.view.channels);
          if (!channels.delete(name)) channels.add(name);
          this.#set({ channels: channels.size > 0 ? channels : new Set([name]), range: this.view.range });
        },
        ondblclick: () => this.#set({ channels: new Set([name]) }),
        title: `${name}; a double click shows it alone`,
      })
    );
    return make("div", { class: "choice channels", role: "group", "aria-label": "channels" }, ...buttons);
  }

  /** Paints what is loaded. */
  #draw(found) {
    const { view } = this, pictures = found.map((each) => this.#texels(each)).filter(Boolean);
    if (pictures.length === 0) {
      this.#stage.show([], "one");
      return this.#caption.replaceChildren();
    }
    const range = view.range ?? rangeOf(pictures, view.channels, view.isFitted);
    this.range = range;
    const { images, names, how, told } = this.#images(found, range);
    this.#stage.show(images, how, names);
    this.#stage.mark(this.#app.texel);
    this.#showTools();
    this.#showCaption(pictures[0], range, told);
    this.#point(undefined);
  }

  /** The pictures that are seen, with a sentence about how they differ. */
  #images(found, range) {
    const { when, show, channels } = this.view, isPair = this.#app.drivers.length > 1;
    const at = (side, time) => this.#texels({ side, when: time }),
      single = (side) => {
        if (when !== "change" || (!isPair && show !== "one")) {
          return {
            image: at(side, when === "change" ? "after" : when) &&
              paint(at(side, when === "change" ? "after" : when), channels, range),
          };
        }
        const before = at(side, "before"), after = at(side, "after");
        return before && after ? difference(before, after, channels) : {};
      };
    if (!isPair && show !== "one") {
      const both = ["before", "after"].map((time) => at(0, time)).filter(Boolean).map((texels) =>
        paint(texels, channels, range)
      );
      return { images: both, how: show, names: ["before", "after"] };
    }
    if (show === "heat") {
      const time = when === "before" ? "before" : "after", [one, other] = [at(0, time), at(1, time)];
      const apart = one && other ? difference(one, other, channels) : undefined;
      return { images: apart ? [apart.image] : [], how: "one", told: apart };
    }
    const sides = show === "one" ? [0] : show === "B" ? [1] : [0, 1],
      each = sides.map(single).filter(({ image }) => image);
    return {
      images: each.map(({ image }) => image),
      how: show === "B" ? "one" : show,
      names: DRIVERS,
      told: each[0]?.count === undefined ? undefined : each[0],
    };
  }

  #showCaption(texels, [low, high], told) {
    const { piece, view } = this, { format, image } = piece;
    const limit = (text, value, at) => {
      const input = make("input", { type: "number", step: "any", value: short(value), "aria-label": text });
      input.onchange = () => this.#set({ range: Object.assign([low, high], { [at]: Number(input.value) }) });
      return make("label", { class: "field" }, make("span", { text }), input);
    };
    const facts = [
      `${view.image} ${image.aspect}`,
      format.replace(/^VK_FORMAT_/, ""),
      `${image.width} × ${image.height}${image.depth > 1 ? ` × ${image.depth}` : ""}`,
      ...image.samples > 1 ? [counted(image.samples, "sample")] : [],
      ...texels.width < image.width ? [`blocks: ${texels.width} × ${texels.height}`] : [],
      ...texels.note ? [texels.note] : [],
    ];
    this.#caption.replaceChildren(
      make("span", { text: facts.join(" · ") }),
      make(
        "span",
        { class: "range" },
        limit("Black", low, 0),
        limit("White", high, 1),
        make("button", {
          type: "button",
          text: "Fit",
          title: "the smallest and the largest number",
          onclick: () => this.#set({ range: undefined, isFitted: true }),
        }),
        make("button", {
          type: "button",
          text: "Usual",
          title: "the numbers that the format says",
          onclick: () => this.#set({ range: undefined, isFitted: false }),
        }),
        this.#histogram,
      ),
      ...told ? [this.#differenceText(told, texels)] : [],
    );
    drawHistogram(this.#histogram, histogram(texels, view.channels, [low, high]));
  }

  #differenceText({ count, most, x, y }, { count: all, components }) {
    const what = this.view.show === "heat" ? "differ between A and B" : "were changed";
    if (count === 0) {
      return make("span", {
        class: "told",
        text: `No texel of ${all.toLocaleString("en")} ${
          this.view.show === "heat" ? "differs between A and B" : "was changed"
        } in the chosen channels.`,
      });
    }
    const limits = components[0].limits,
      share = limits ? ` (${short(most / (limits[1] - limits[0]))} of the range)` : "";
    return make(
      "span",
      { class: "told" },
      `${count.toLocaleString("en")} of ${counted(all, "texel")} ${what}, the most by ${short(most)}${share} at `,
      make("button", {
        type: "button",
        class: "link",
        text: `${x}, ${y}`,
        onclick: () => {
          this.#pick({ x, y });
          this.#stage.reveal({ x, y });
        },
      }),
      ".",
    );
  }

  #pick(texel) {
    const { image, aspect, layer, sample, z } = this.view;
    this.#app.texel = { ...texel, image, aspect, level: this.piece.image.level, layer, sample, z };
    this.#stage.mark(this.#app.texel);
    this.#point(undefined);
  }

  #moveTexel(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const loaded = this.#wanted().map((each) => this.#texels(each)).find(Boolean);
    if (!step || !loaded || !this.#app.texel) return;
    event.preventDefault();
    event.stopPropagation();
    const { x, y } = this.#app.texel, cut = (value, size) => Math.max(0, Math.min(size - 1, value));
    this.#pick({ x: cut(x + step[0], loaded.width), y: cut(y + step[1], loaded.height) });
  }

  /** Writes the numbers of the texel under the pointer, otherwise those of the picked one. */
  #point(texel = this.#app.texel) {
    const rows = this.#wanted().map((each) => [each, this.#texels(each)]).filter(([, texels]) => texels),
      [, first] = rows[0] ?? [];
    if (!first || !texel || texel.x >= first.width || texel.y >= first.height) {
      return this.#readout.replaceChildren(sentence("Point at a texel for its numbers; click one for its history."));
    }
    const { x, y } = texel, all = rows.map(([, texels]) => texels.at(x, y).join());
    const head = make(
      "tr",
      {},
      make("th", { text: `${x}, ${y}` }),
      make("th"),
      ...first.components.map(({ name }) => make("th", { text: name })),
      make("th", { text: "bytes" }),
    );
    const body = rows.map(([each, texels], at) =>
      make(
        "tr",
        { class: at > 0 && all[at] !== all[0] ? "differs" : undefined },
        make("th", { text: this.#nameOf(each) }),
        make("td", {}, swatch(texels.at(x, y), texels.components, this.range)),
        ...texels.at(x, y).map((value, place) => make("td", { text: numberText(value, texels.components[place]) })),
        make("td", { class: "hex", text: texels.hex(x, y) }),
      )
    );
    this.#readout.replaceChildren(make("table", {}, head, ...body));
  }
}

/** A number with its share of the range, where the format has one. */
export function numberText(value, { limits, meaning }) {
  if (!limits || meaning === "UINT" || meaning === "SINT") return short(value);
  return `${(value / limits[1]).toFixed(4)} (${value})`;
}

/** A patch of a colour. */
export function swatch(numbers, components, range) {
  const patch = make("i", { class: "swatch" });
  patch.style.background = colourOf(numbers, components, range);
  return patch;
}

function drawHistogram(canvas, channels) {
  const context = canvas.getContext("2d"),
    most = Math.max(1, ...channels.flatMap(({ counts }) => [...counts].map((count) => Math.log1p(count))));
  context.clearRect(0, 0, WIDE, TALL);
  context.globalCompositeOperation = "source-over";
  for (const { name, counts } of channels) {
    context.fillStyle = INKS[name] ?? "#8d8d8d";
    context.globalAlpha = channels.length > 1 ? 0.5 : 0.9;
    for (const [bin, count] of counts.entries()) {
      const height = TALL * Math.log1p(count) / most, width = WIDE / counts.length;
      context.fillRect(bin * width, TALL - height, width, height);
    }
  }
  context.globalAlpha = 1;
}
