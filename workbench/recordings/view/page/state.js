// The state at an event: pipeline, shaders, descriptors, push constants, dynamic state, attachments.
import { choice, make, sentence, short } from "./dom.js";
import { parseLayout, rowOf } from "./layout.js";
import { ask } from "./source.js";
import { Thumbnails } from "./thumbnails.js";
import { tree } from "./tree.js";

const LANGUAGES = [["spirv", "SPIR-V"], ["glsl", "GLSL"], ["wgsl", "WGSL"]];

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
      make(
        "div",
        { class: "about" },
        make("b", { text: role }),
        make("span", { text: name || "nothing" }),
        ...go,
        ...name.startsWith("VkImage#") && !piece ? [make("small", { text: "no contents here" })] : [],
      ),
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

/** A shader in the language that was chosen: SPIR-V is at hand, others are asked for. */
function shaderPart({ title, text, facts, stage, of: event }) {
  const body = make("pre", { tabindex: 0 }), tools = make("div", { class: "toolbar" }), fold = folded(title, body);
  body.before(...facts.length > 0 ? [folded("interface", tree(facts, 0))] : [], tools);
  const show = async (language) => {
    tools.replaceChildren(choice("language", LANGUAGES, language, show));
    body.className = "";
    if (language === "spirv") return body.textContent = text;
    body.textContent = "…";
    try {
      body.textContent = await ask("shader", { event, stage, language });
    } catch (error) {
      body.textContent = error.message;
      body.className = "note";
    }
  };
  fold.addEventListener("toggle", () => body.textContent === "" && show("spirv"));
  return fold;
}

/** Push constants by the shader's block, and their bytes by four: as they are, as whole numbers and as floats. */
function pushedPart({ stages, offset, bytes, layout }) {
  const all = new Uint8Array(offset + bytes.length / 2), view = new DataView(all.buffer);
  for (let at = 0; at < bytes.length / 2; at++) all[offset + at] = parseInt(bytes.slice(2 * at, 2 * at + 2), 16);
  const words = Array.from({ length: Math.floor(bytes.length / 8) }, (_, index) => offset + 4 * index);
  const rows = words.map((
    at,
  ) => [at, hexOf(all.subarray(at, at + 4)), view.getInt32(at, true), short(view.getFloat32(at, true))]);
  return make(
    "div",
    { class: "wide" },
    make("p", { class: "note", text: stages }),
    ...layout ? [table(["member", "value"], membersOf(layout, view, offset))] : [],
    folded("bytes", table(["offset", "bytes", "int", "float"], rows)),
  );
}

/** The members that the bytes reach. */
function membersOf(layout, view, first) {
  const { members } = parseLayout(layout), numbers = rowOf({ members, stride: 1 }, view, 0, 0);
  return members.map(({ name, offset }, at) => [name, offset, numbers[at]])
    .filter(([, offset, values]) => offset >= first && values.length > 0)
    .map(([name, , values]) => [name, values.map((each) => typeof each === "bigint" ? each : short(each)).join("  ")]);
}

function table(head, rows) {
  const line = (cells, kind) => make("tr", {}, ...cells.map((text) => make(kind, { text: `${text}` })));
  return make("table", {}, line(head, "th"), ...rows.map((cells) => line(cells, "td")));
}

function hexOf(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
