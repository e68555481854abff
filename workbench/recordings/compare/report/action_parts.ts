import { TextWriter } from "../../../../loader/layers/shipped/trace/text_writer.ts";
import type { DifferingAction } from "../finding.ts";
import type { Fields } from "../../state_tracker/fields.ts";
import type { ShaderInHand } from "../bound_state.ts";
import { resourceParts } from "./bound_state_parts.ts";
import { indented } from "./indented.ts";
import { escaped, folded, pre } from "../../../pages/page_parts.ts";

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

/** Returns the parts of a page about a command and everything that the command had in hand. */
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
    ...hand.length > 0 ? [section("In hand", "contents before the command, as both drivers have them"), ...hand] : [],
  ].join("\n");
}

/** A call that sets state, with the bytes of push constants. */
function stateText(writer: TextWriter, command: string, args: Fields): string {
  const text = indented(writer.recorded(command, args)), bytes = args.pValues?.bytes;
  return typeof bytes === "string" ? text.replace(/<\d+ bytes>/, bytes.replace(/(.{8})(?!$)/g, "$1 ")) : text;
}

/** The recording keeps long code beside the call, under the code's checksum. */
function shaderParts({ stage, entry, module, code, assembly }: ShaderInHand): string {
  const { bytes, data } = Object(code), size = typeof bytes === "string" ? `, ${bytes.length / 8} words` : "";
  const title = `${STAGES[stage] ?? `stage ${stage}`}: ${module} ${entry}()${size}`;
  if (assembly.length > 0) return folded(title, assembly.join("\n"));
  return pre(`${title}\n${data ? `SPIR-V ${data}` : size ? "spirv-dis is not there" : "no code in the recording"}`);
}

function section(title: string, note = ""): string {
  return `<h2>${title}</h2>${note && `<p class="note">${escaped(note)}</p>`}`;
}
