import { TextWriter } from "../../../../loader/layers/shipped/trace/text_writer.ts";
import type { DifferingAction, PieceContents, PieceDifference } from "../finding.ts";
import type { Fields } from "../../record/line.ts";
import type { BoundResource, BoundShader } from "../bound_state.ts";
import { escaped, folded, imageOf, pre } from "../../../pages/page_parts.ts";
import { picturesOf } from "./pictures.ts";
import { indexTable, type Table, tableText, vertexTable, wordTable } from "./tables.ts";
import { DRIVERS } from "./text.ts";

/** Characters of a line that is not broken. */
const WIDTH = 100;
const PAIRS: Readonly<Record<string, string>> = { "(": ")", "{": "}", "[": "]" };

/**
 * Breaks a text with brackets, such as a call, so that a person can read the
 * text: what does not fit into a line has a line for each member.
 */
export function indented(text: string, indent = ""): string {
  if (indent.length + text.length <= WIDTH) return text;
  const open = openOf(text), end = open < 0 ? -1 : endOf(text, open);
  if (end < 0) return text;
  const inner = `${indent}  `, items = itemsOf(text.slice(open + 1, end));
  if (items.length === 0) return text;
  const lines = items.map((item) => `${inner}${indented(item, inner)}`);
  return `${text.slice(0, open + 1)}\n${lines.join(",\n")}\n${indent}${indented(text.slice(end), indent)}`;
}

/** The first bracket with something in it. */
function openOf(text: string): number {
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') at = quoteEnd(text, at);
    else if (text[at] in PAIRS && text[at + 1] !== PAIRS[text[at]]) return at;
  }
  return -1;
}

function endOf(text: string, open: number): number {
  for (let at = open, depth = 0; at < text.length; at++) {
    if (text[at] === '"') at = quoteEnd(text, at);
    else if (text[at] in PAIRS) depth++;
    else if (")}]".includes(text[at]) && --depth === 0) return at;
  }
  return -1;
}

/** The members between brackets, which commas part. */
function itemsOf(text: string): string[] {
  const items: string[] = [];
  let start = 0, depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') at = quoteEnd(text, at);
    else if (text[at] in PAIRS) depth++;
    else if (")}]".includes(text[at])) depth--;
    else if (text[at] === "," && depth === 0) {
      items.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...items, text.slice(start).trim()];
}

function quoteEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

/** VK_WHOLE_SIZE as recordings have it. */
const WHOLE = `${2n ** 64n - 1n}`;

/** Returns a part of a page for each buffer and image that a command had bound. */
function resourceParts(action: DifferingAction): string[] {
  return action.boundState.resources.map((each) => {
    const { role, name, facts } = each, pieces = action.before.filter(({ piece }) => piece.resource === name);
    return `<div class="hand"><h3>${escaped(role)} <span>${escaped(name)}</span></h3>${
      pieces.map((piece) => piece.piece.image ? picture(piece, facts) : tableText(tableOf(each, piece, action))).join(
        "",
      )
    }${folded(`what ${name} was made from`, JSON.stringify(facts, undefined, 1))}</div>`;
  });
}

/** Both pictures only where rounding made them differ before. */
function picture({ piece, contents }: PieceContents, { baseArrayLayer = 0 }: Fields): string {
  const layers = piece.image!.layers, layer = layers.includes(baseArrayLayer) ? baseArrayLayer : layers[0];
  const { pictures, notes } = picturesOf({ piece, at: { x: 0, y: 0, z: 0, layer } } as PieceDifference, contents);
  const isSame = pictures[0].data.every((byte, index) => byte === pictures[1].data[index]);
  const figures = pictures.slice(0, isSame ? 1 : 2).map((each, index) =>
    `<figure><figcaption>${
      isSame ? `${piece.image!.aspect}, ${each.width} × ${each.height}` : DRIVERS[index]
    }</figcaption>${imageOf(each, escaped(piece.name))}</figure>`
  );
  return `${notes.map((each) => `<p class="note">${each}</p>`).join("")}<div class="pictures">${
    figures.join("")
  }</div>`;
}

function tableOf(
  { role, facts }: BoundResource,
  { contents: [bytes] }: PieceContents,
  { args, boundState }: DifferingAction,
): Table {
  const { offset = "0", range, size, indexType } = facts as Fields, start = Number(offset);
  if (role === "index buffer") {
    const { firstIndex = 0, indexCount = Infinity } = args as Fields;
    return indexTable(indexType, bytes, start, firstIndex, indexCount);
  }
  const binding = /^vertex buffer (\d+)$/.exec(role)?.[1];
  const vertices = binding === undefined ? undefined : vertexTable(boundState.state, Number(binding), bytes, start);
  return vertices ?? wordTable(bytes, start, range === undefined || range === WHOLE ? Number(size) : Number(range));
}

/** Names of VkShaderStageFlagBits. */
const STAGES: Readonly<Record<number, string>> = {
  0x1: "vertex",
  0x2: "tessellation control",
  0x4: "tessellation evaluation",
  0x8: "geometry",
  0x10: "fragment",
  0x20: "compute",
  0x40: "task",
  0x80: "mesh",
};

/** Returns the parts of a page about a command and everything that the command had bound. */
export function actionParts(action: DifferingAction): string {
  const { command, args, line, index, of, boundState } = action,
    { pass, pipeline, state, shaders, dynamic } = boundState;
  const writer = new TextWriter(),
    call = (name: string, args: object) => pre(indented(writer.recorded(name, { ...args })));
  const struct = state?.pStages ? "VkGraphicsPipelineCreateInfo" : "VkComputePipelineCreateInfo";
  const latest = Object.entries(dynamic).map(([key, args]) => stateText(writer, key.split(" ")[0], Object(args)));
  const hand = resourceParts(action);
  return [
    section("The call", `line ${line} of the recording, action ${index + 1} of ${of} of the submission`),
    call(command, args),
    ...pass ? [section("The pass"), call(pass.command, pass.args)] : [],
    ...pipeline
      ? [
        section("The pipeline", pipeline),
        ...state ? [folded("what the pipeline was made from", indented(writer.members(struct, state)))] : [],
      ]
      : [],
    ...shaders.length > 0 ? [section("Shaders"), ...shaders.map(shaderParts)] : [],
    ...latest.length > 0 ? [section("State that calls set"), pre(latest.join("\n"))] : [],
    ...hand.length > 0 ? [section("Bound", "contents before the command, as both drivers have them"), ...hand] : [],
  ].join("\n");
}

/** A call that sets state, with the bytes of push constants. */
function stateText(writer: TextWriter, command: string, args: Fields): string {
  const text = indented(writer.recorded(command, args)), bytes = args.pValues?.bytes;
  return typeof bytes === "string" ? text.replace(/<\d+ bytes>/, bytes.replace(/(.{8})(?!$)/g, "$1 ")) : text;
}

/** The recording keeps long code beside the call, under the code's checksum. */
function shaderParts({ stage, entry, module, code, assembly }: BoundShader): string {
  const { bytes, data } = Object(code), size = typeof bytes === "string" ? `, ${bytes.length / 8} words` : "";
  const title = `${STAGES[stage] ?? `stage ${stage}`}: ${module} ${entry}()${size}`;
  if (assembly.length > 0) return folded(title, assembly.join("\n"));
  return pre(`${title}\n${data ? `SPIR-V ${data}` : size ? "spirv-dis is not there" : "no code in the recording"}`);
}

function section(title: string, note = ""): string {
  return `<h2>${title}</h2>${note && `<p class="note">${escaped(note)}</p>`}`;
}
