// Pictures at an event: attachments and bound images, before and after, on each driver.
import { make, sentence } from "./dom.js";
import { captionParts, differenceText, heatScale, overdrawCaption, readout } from "./picture_facts.js";
import { pictureTools } from "./picture_tools.js";
import { askBytes } from "./source.js";
import { Stage } from "./stage.js";
import { difference, heatOf, paint, rangeOf, Texels } from "./texels.js";
import { Thumbnails } from "./thumbnails.js";

const DRIVERS = ["A", "B"];
/** Pictures that are kept, and milliseconds after which the page says that it waits. */
const KEPT = 8, PATIENCE = 150;

/** The panel with pictures. `app` has the chosen event, the drivers and the picked texel. */
export class Pictures {
  #app;
  #thumbnails = new Thumbnails();
  #stop = new AbortController();
  #loaded = new Map();
  #unread = [];
  #pieces = [];
  #stage = new Stage({ onPoint: (texel) => this.#point(texel), onPick: (texel) => this.#pick(texel) });
  #strip = make("div", { class: "strip-row", role: "listbox", "aria-label": "images" });
  #tools = make("div", { class: "toolbar" });
  #caption = make("p", { class: "caption" });
  #message = make("div", { role: "status" });
  #readout = make("div", { class: "wide readout" });
  /** The numbers that are black and white. */
  range = [0, 1];
  /** The choices of the reader, kept from event to event. */
  view = {
    image: undefined,
    aspect: undefined,
    level: 0,
    layer: 0,
    sample: 0,
    z: 0,
    when: "after",
    show: "one",
    fragments: "all",
    channels: new Set(["R", "G", "B"]),
    range: undefined,
    isFitted: false,
  };

  constructor(panel, app) {
    this.#app = app;
    const { element, sliderRow } = this.#stage;
    panel.append(this.#strip, this.#tools, this.#message, sliderRow, element, this.#caption, this.#readout);
    element.addEventListener("keydown", (event) => this.#moveTexel(event));
  }

  /** Shows the pictures of an event. */
  show({ pieces, unread }) {
    this.#unread = unread;
    this.#pieces = pieces.filter(({ image }) => image);
    this.#thumbnails.stop();
    const kept = this.#pieces.find((each) => this.#isChosen(each));
    const usual = this.#pieces.find(({ roles }) => roles.some((role) => role.startsWith("attachment")));
    this.#choose(kept ?? usual ?? this.#pieces[0], kept !== undefined);
    this.#showStrip();
    this.#reload();
  }

  /** Chooses before or after. */
  choose(when) {
    this.#set({ when });
  }

  /** The piece that is seen. */
  get piece() {
    const all = this.#pieces.filter((each) => this.#isChosen(each));
    return all.find(({ image }) => image.level === this.view.level) ?? all[0];
  }

  get #isPair() {
    return this.#app.drivers.length > 1;
  }

  #isChosen({ resource, image }) {
    return resource === this.view.image && image.aspect === this.view.aspect;
  }

  #choose(piece, isSame) {
    if (!piece) return;
    const { resource, image } = piece, [layer] = image.layers;
    Object.assign(this.view, { image: resource, aspect: image.aspect });
    if (!image.layers.includes(this.view.layer)) this.view.layer = layer;
    if (isSame) return;
    Object.assign(this.view, { level: image.level, layer, sample: 0, z: 0, range: undefined, isFitted: false });
    this.#app.texel = undefined;
  }

  #set(changes) {
    Object.assign(this.view, changes);
    this.#reload();
  }

  /** One small picture for each image and aspect. */
  #showStrip() {
    const seen = new Map(this.#pieces.toReversed().map((piece) => [`${piece.resource} ${piece.image.aspect}`, piece]));
    const first = [...seen.values()].reverse();
    this.#strip.replaceChildren(...first.map((piece) => this.#stripPart(piece, first)));
    this.#strip.hidden = first.length === 0;
  }

  #stripPart(piece, all) {
    const { resource, image: { aspect, width, height, layers }, roles } = piece, { event, drivers } = this.#app;
    const canvas = drivers.length > 0
      ? this.#thumbnails.of({ event, side: 0, before: 0, piece: piece.name, layer: layers[0], sample: 0, z: 0 })
      : make("canvas", { class: "thumbnail empty", width: 1, height: 1 });
    const names = make(
      "span",
      { class: "names" },
      make("b", { text: roles.join(", ") || "written" }),
      make("span", { text: `${resource}${aspect === "color" ? "" : ` ${aspect}`}` }),
      make("small", { text: `${width} × ${height}` }),
    );
    const onclick = () => {
      this.#choose(piece, false);
      for (const [at, each] of all.entries()) {
        this.#strip.children[at].setAttribute("aria-selected", `${this.#isChosen(each)}`);
      }
      this.#reload();
    };
    const isChosen = `${this.#isChosen(piece)}`;
    return make(
      "button",
      { type: "button", class: "image", role: "option", title: piece.name, "aria-selected": isChosen, onclick },
      canvas,
      names,
    );
  }

  /** Loads what the view needs, and shows it. A later call makes an earlier one stop. */
  async #reload() {
    this.#stop.abort();
    const { signal } = this.#stop = new AbortController();
    this.#showTools();
    if (!this.piece || this.#app.drivers.length === 0) return this.#showNothing();
    const wait = sentence("The drivers replay up to this event …", "wait");
    const late = setTimeout(() => this.#message.replaceChildren(wait), PATIENCE);
    const wanted = this.#wanted(), found = await Promise.allSettled(wanted.map((each) => this.#load(each, signal)));
    clearTimeout(late);
    if (signal.aborted) return;
    const errors = found.flatMap(({ reason }, at) => reason ? [`${this.#nameOf(wanted[at])}: ${reason.message}`] : []);
    this.#message.replaceChildren(...errors.map((text) => sentence(text, "error")));
    this.#draw();
    void this.#thumbnails.load();
  }

  #showNothing() {
    const nothing = "No image is written or bound here. Choose a draw, a dispatch, a copy, a clear, or a pass.";
    const reasons = this.#unread.map(([name, reason]) => `${name} cannot be shown: ${reason}.`);
    const all = [this.#app.drivers.length === 0 ? this.#app.whyNoDriver : nothing, ...reasons];
    this.#message.replaceChildren(...all.map((text) => sentence(text)));
    this.#stage.show([], "one");
    this.#caption.replaceChildren();
    this.#readout.replaceChildren();
  }

  /** The contents that the view needs, as pairs of a driver and a time. */
  #wanted() {
    const { when, show } = this.view, { drivers } = this.#app;
    if (show === "overdraw") return drivers.map((_, side) => ({ side, when: "overdraw" }));
    const times = when === "change" ? ["before", "after"] : [when];
    if (!this.#isPair) return (show === "one" ? times : ["before", "after"]).map((each) => ({ side: 0, when: each }));
    const sides = show === "one" ? [0] : show === "B" ? [1] : [0, 1], seen = show === "heat" ? times.slice(-1) : times;
    return sides.flatMap((side) => seen.map((each) => ({ side, when: each })));
  }

  #membersOf({ side, when }) {
    const { layer, sample, z, fragments } = this.view, { event } = this.#app;
    if (when === "overdraw") return { event, side, tested: fragments === "tested" ? 1 : 0 };
    return {
      event,
      side,
      before: when === "before" ? 1 : 0,
      piece: this.piece.name,
      layer,
      sample,
      z,
    };
  }

  async #load(place, signal) {
    const members = this.#membersOf(place), key = JSON.stringify(members);
    if (this.#loaded.has(key)) return;
    const texels = new Texels(await askBytes(place.when === "overdraw" ? place.when : "picture", members, signal));
    if (this.#loaded.size >= KEPT) this.#loaded.delete(this.#loaded.keys().next().value);
    this.#loaded.set(key, texels);
  }

  #texels(place) {
    return this.#loaded.get(JSON.stringify(this.#membersOf(place)));
  }

  /** The loaded pictures that the view needs, with their names. */
  get #rows() {
    return this.#wanted().map((each) => [this.#nameOf(each), this.#texels(each)]).filter(([, texels]) => texels);
  }

  #nameOf({ side, when }) {
    return this.#isPair ? `${DRIVERS[side]} ${when}` : when;
  }

  #showTools() {
    const { view, piece } = this;
    if (!piece || this.#app.drivers.length === 0) return this.#tools.replaceChildren();
    const levels = this.#pieces.filter((each) => this.#isChosen(each)).map(({ image }) => image.level);
    const names = this.#rows[0]?.[1].components.map(({ name }) => name) ??
      (view.aspect === "color" ? ["R", "G", "B", "A"] : []);
    const set = (changes) => this.#set(changes);
    this.#tools.replaceChildren(
      ...pictureTools({ view, piece, levels, names, isPair: this.#isPair, stage: this.#stage, set }),
    );
  }

  /** Paints what is loaded. */
  #draw() {
    const { view, piece } = this, pictures = this.#rows.map(([, texels]) => texels);
    this.#caption.replaceChildren();
    this.#readout.replaceChildren();
    if (pictures.length === 0) return this.#stage.show([], "one");
    const range = this.range = view.range ?? rangeOf(pictures, view.channels, view.isFitted), [texels] = pictures;
    if (view.show === "overdraw") return this.#drawOverdraw(pictures);
    const { images, names, how, told } = this.#images();
    this.#stage.show(images, how, names);
    this.#stage.mark(this.#app.texel);
    this.#showTools();
    const go = (texel) => {
      this.#pick(texel);
      this.#stage.reveal(texel);
    };
    this.#caption.replaceChildren(
      ...captionParts({ piece, view, texels, range, set: (changes) => this.#set(changes) }),
      ...told ? [differenceText(told, texels, view.show === "heat", go)] : [],
    );
    this.#point();
  }

  /** Paints how many fragments each texel got, of both drivers with one scale. */
  #drawOverdraw(pictures) {
    let most = 0;
    for (const { readers: [{ array }] } of pictures) for (const each of array) most = Math.max(most, each);
    this.range = [0, most];
    this.#stage.show(pictures.map((each) => heatOf(each, most)), pictures.length > 1 ? "slider" : "one", DRIVERS);
    this.#stage.mark(this.#app.texel);
    this.#showTools();
    const name = (at) => this.#isPair ? `${DRIVERS[at]}: ` : "";
    this.#caption.replaceChildren(
      heatScale(most),
      ...pictures.flatMap((each, at) => overdrawCaption(each, name(at))),
    );
    this.#point();
  }

  /** The pictures that are seen, with how they differ. */
  #images() {
    const { when, show, channels } = this.view, at = (side, time) => this.#texels({ side, when: time });
    const painted = (texels) => texels && paint(texels, channels, this.range);
    const apart = (one, other) => one && other ? difference(one, other, channels) : undefined;
    if (!this.#isPair && show !== "one") {
      return {
        images: [painted(at(0, "before")), painted(at(0, "after"))].filter(Boolean),
        how: show,
        names: ["before", "after"],
      };
    }
    const time = when === "change" ? "after" : when;
    if (show === "heat") {
      const told = apart(at(0, time), at(1, time));
      return { images: told ? [told.image] : [], how: "one", told };
    }
    const sides = show === "one" ? [0] : show === "B" ? [1] : [0, 1];
    const changes = when === "change" ? sides.map((side) => apart(at(side, "before"), at(side, "after"))) : [];
    const images = when === "change"
      ? changes.map((each) => each?.image)
      : sides.map((side) => painted(at(side, when)));
    return { images: images.filter(Boolean), how: show === "B" ? "one" : show, names: DRIVERS, told: changes[0] };
  }

  #pick(texel) {
    const { image, aspect, layer, sample, z } = this.view;
    this.#app.texel = { ...texel, image, aspect, level: this.piece.image.level, layer, sample, z };
    this.#stage.mark(this.#app.texel);
    this.#point();
  }

  #moveTexel(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const [, texels] = this.#rows[0] ?? [], { texel } = this.#app;
    if (!step || !texels || !texel) return;
    event.preventDefault();
    event.stopPropagation();
    const within = (value, size) => Math.max(0, Math.min(size - 1, value));
    this.#pick({ x: within(texel.x + step[0], texels.width), y: within(texel.y + step[1], texels.height) });
  }

  /** Writes the numbers of the texel under the pointer, otherwise those of the picked one. */
  #point(texel = this.#app.texel) {
    if (this.piece) this.#readout.replaceChildren(readout(this.#rows, texel, this.range));
  }
}
