// The state at an event: pipeline, shaders, descriptors, push constants, dynamic state, attachments.
import { make, sentence } from "./dom.js";
import { Thumbnails } from "./thumbnails.js";
import { tree } from "./tree.js";

/** The panel with the state. */
export class State {
  #app;
  #thumbnails = new Thumbnails();
  #body = make("div", { class: "sections" });

  constructor(panel, app) {
    this.#app = app;
    panel.append(this.#body);
  }

  /** Shows the state at an event. */
  show(facts) {
    this.#thumbnails.stop();
    const { pipeline, shaders, resources, dynamic, pushed, pass } = facts;
    const isInput = ({ role }) => /^(vertex|index) buffer/.test(role),
      isAttachment = ({ role }) => role.startsWith("attachment");
    const isDescriptor = ({ role }) => role.startsWith("set ");
    const groups = [
      ["Descriptors", resources.filter(isDescriptor)],
      ["Vertex input", resources.filter(isInput)],
      ["Attachments", resources.filter(isAttachment)],
      ["In the command", resources.filter((each) => !isInput(each) && !isAttachment(each) && !isDescriptor(each))],
    ];
    const cards = groups.filter(([, list]) => list.length > 0).map(([title, list]) =>
      section(title, "", make("div", { class: "cards" }, ...list.map((each) => this.#card(each, facts))))
    );
    const sections = [
      ...shaders.length > 0 ? [section("Shaders", "", ...shaders.map(shaderPart))] : [],
      ...cards,
      ...pushed.length > 0 ? [section("Push constants", "", ...pushed.map(pushedPart))] : [],
      ...dynamic.length > 0
        ? [
          section(
            "State that commands set",
            "",
            ...dynamic.map((each) => folded(each.command, tree(each.parameters, 1))),
          ),
        ]
        : [],
      ...pass ? [section("Pass", pass.command, tree(pass.parameters, 1))] : [],
      ...pipeline ? [section("Pipeline", pipeline.name, tree(pipeline.facts, 1))] : [],
    ];
    this.#body.replaceChildren(
      ...sections.length > 0 ? sections : [sentence("Nothing is bound at this event. Choose a draw or a dispatch.")],
    );
    void this.#thumbnails.load();
  }

  #card({ role, name, facts }, { pieces }) {
    const piece = pieces.find(({ resource, image }) => resource === name && image),
      isBuffer = name.startsWith("VkBuffer#");
    const picture = piece && this.#app.drivers.length > 0
      ? [
        this.#thumbnails.of({
          event: this.#app.event,
          side: 0,
          before: 0,
          piece: piece.name,
          layer: piece.image.layers[0],
          sample: 0,
          z: 0,
        }),
      ]
      : [];
    const go = piece || isBuffer
      ? [
        make("button", {
          type: "button",
          class: "link",
          text: "show",
          "aria-label": `show ${name}`,
          onclick: () => this.#app.open(piece ? "pictures" : "buffers", piece ?? name),
        }),
      ]
      : [];
    return make(
      "div",
      { class: "card" },
      ...picture,
      make("div", { class: "about" }, make("b", { text: role }), make("span", { text: name || "nothing" }), ...go),
      folded("made from", tree(facts, 1)),
    );
  }
}

function section(title, note, ...parts) {
  return make("section", {}, make("h3", {}, title, " ", make("small", { text: note })), ...parts);
}

function folded(title, content) {
  return make("details", {}, make("summary", { text: title }), content);
}

function shaderPart({ title, text }) {
  const body = make("pre", { tabindex: 0 }), fold = folded(title, body);
  fold.addEventListener("toggle", () => body.textContent ||= text);
  return fold;
}

/** Bytes of push constants by four: as they are, as whole numbers and as floats. */
function pushedPart({ stages, offset, bytes }) {
  const words = bytes.match(/.{8}/g) ?? [], view = new DataView(new ArrayBuffer(4));
  const rows = words.map((word, at) => {
    view.setUint32(0, parseInt(word, 16), false);
    return make(
      "tr",
      {},
      ...[offset + 4 * at, word, view.getInt32(0, true), Number(view.getFloat32(0, true).toPrecision(6))].map((each) =>
        make("td", { text: `${each}` })
      ),
    );
  });
  return make(
    "div",
    { class: "wide" },
    make("p", { class: "note", text: stages }),
    make(
      "table",
      {},
      make("tr", {}, ...["offset", "bytes", "int", "float"].map((text) => make("th", { text }))),
      ...rows,
    ),
  );
}
