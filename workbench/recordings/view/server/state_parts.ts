import type { BoundResource } from "../../compare/bound_state.ts";
import type { Fields } from "../../record/line.ts";
import type { EventShader, EventState, OpenRecording } from "../types.ts";
import type { ShaderReflection, ShaderVariable } from "../reflection.ts";
import { blockLayout } from "./block_layout.ts";
import { type BufferLayout, layoutsOf } from "./buffer_layouts.ts";
import { type Mesh, meshOf } from "./mesh.ts";
import type { Parameter, Parameters } from "./parameters.ts";

/** Everything that a page shows about an event without a driver. */
export interface EventFacts {
  readonly parameters: readonly Parameter[];
  readonly answers: readonly Parameter[];
  /** The names of the objects that the command has in hand, with their facts. */
  readonly resources: readonly { readonly role: string; readonly name: string; readonly facts: readonly Parameter[] }[];
  readonly pipeline?: { readonly name: string; readonly facts: readonly Parameter[] };
  readonly shaders: readonly {
    readonly stage: number;
    /** The event that was asked for first among those with this shader: it is asked for the shader's texts. */
    readonly of: number;
    readonly title: string;
    readonly text: string;
    readonly facts: readonly Parameter[];
  }[];
  /** The latest calls that set state. */
  readonly dynamic: readonly { readonly command: string; readonly parameters: readonly Parameter[] }[];
  readonly pass?: { readonly command: string; readonly parameters: readonly Parameter[] };
  /** Bytes of push constants in hexadecimal digits, with their place and the stages that see them. */
  readonly pushed: readonly {
    readonly stages: string;
    readonly offset: number;
    readonly bytes: string;
    readonly layout?: string;
  }[];
  /** The vertices of a draw. */
  readonly mesh?: Mesh;
  /** The pieces whose contents can be asked, with the role that the command gives them. */
  readonly pieces: readonly Fields[];
  /** The reasons why others cannot. */
  readonly unread: readonly (readonly [name: string, reason: string])[];
  /** By the buffer's name, the ways to read a buffer. */
  readonly layouts: Readonly<Record<string, readonly BufferLayout[]>>;
}

/**
 * Returns the facts of an event, in the words of the registry. `shaders` has the events that were asked for their shaders
 * first.
 */
export function eventFacts(
  recording: OpenRecording,
  id: number,
  parameters: Parameters,
  shaders: Map<string, number>,
): EventFacts {
  const { call } = recording.events[id], state = recording.state(id), { readable, unread } = recording.pieces(id);
  const roles = Map.groupBy(state.resources, ({ name }) => name);
  return {
    parameters: call ? parameters.ofCall(call.command, call.args) : [],
    answers: call ? answersOf(call, parameters) : [],
    resources: state.resources.map(({ role, name, facts }) => ({ role, name, facts: parameters.ofFacts(facts) })),
    ...state.pipeline !== undefined && { pipeline: pipelineOf(state, parameters) },
    shaders: state.shaders.map((each) => ({ ...shaderOf(each, parameters), of: firstWith(each, id, shaders) })),
    ...dynamicOf(state, parameters),
    ...state.pass &&
      { pass: { command: state.pass.command, parameters: parameters.ofCall(state.pass.command, state.pass.args) } },
    mesh: call && meshOf(call, state),
    pieces: readable.map((piece) => ({
      ...piece,
      ...piece.image && { format: parameters.named("VkFormat", piece.image.format) },
      roles: (roles.get(piece.resource) ?? []).map(({ role }) => role),
    })),
    unread: [...unread],
    layouts: Object.fromEntries(
      [...roles].filter(([name]) => name.startsWith("VkBuffer#")).map(([name, each]) => [
        name,
        each.map((resource: BoundResource) =>
          layoutsOf(resource, state, call?.command ?? "", (call?.args ?? {}) as Fields)
        ),
      ]),
    ),
  };
}

/** The event that was the first one with a shader. */
function firstWith({ stage, entry, module, code }: EventShader, event: number, shaders: Map<string, number>): number {
  const key = JSON.stringify([stage, entry, module, code]), first = shaders.get(key) ?? event;
  shaders.set(key, first);
  return first;
}

function answersOf({ out = {}, result, command }: Fields, parameters: Parameters): Parameter[] {
  const written = parameters.ofCall(command, out);
  return result === undefined
    ? written
    : [...written, { name: "result", type: "VkResult", text: parameters.named("VkResult", result) }];
}

function pipelineOf({ pipeline, state }: EventState, parameters: Parameters) {
  const struct = (state as Fields)?.pStages ? "VkGraphicsPipelineCreateInfo" : "VkComputePipelineCreateInfo";
  return { name: pipeline!, facts: parameters.ofStruct(struct, state ?? {}) };
}

function shaderOf({ stage, entry, module, code, assembly, reflection }: EventShader, parameters: Parameters) {
  const { bytes, data } = Object(code), size = typeof bytes === "string" ? `, ${bytes.length / 8} words` : "";
  const name = parameters.named("VkShaderStageFlagBits", stage).replace(/^VK_SHADER_STAGE_|_BIT$/g, "").toLowerCase();
  const without = data ? "spirv-dis is not installed, or does not know this shader" : "the recording has no code";
  return {
    stage,
    title: `${name.replaceAll("_", " ")}: ${entry}() of ${module || "inline code"}${size}`,
    text: assembly.length > 0
      ? assembly.join("\n")
      : bytes
      ? `SPIR-V words:\n${bytes.replace(/(.{8})/g, "$1 ")}`
      : without,
    facts: reflection ? interfaceOf(reflection) : [],
  };
}

/** The variables of a shader's interface, with their places. */
function interfaceOf({ inputs, outputs, descriptors, pushConstants }: ShaderReflection): Parameter[] {
  const place = ({ location, offset }: ShaderVariable) =>
    location !== undefined ? `location ${location}` : offset !== undefined ? `at byte ${offset}` : "";
  const variable = (each: ShaderVariable): Parameter => ({
    name: each.name || "unnamed",
    type: each.type,
    text: [each.type, place(each)].filter(Boolean).join(", "),
  });
  const group = (name: string, inside: Parameter[]) => inside.length > 0 ? [{ name, type: "", inside }] : [];
  const bound = descriptors.map(({ set, binding, members, name, type }): Parameter =>
    members.length > 0
      ? { name: `set ${set} binding ${binding}`, type: name || type, inside: members.map(variable) }
      : { name: `set ${set} binding ${binding}`, type, text: [type, name].filter(Boolean).join(" ") }
  );
  return [
    ...group("inputs", inputs.map(variable)),
    ...group("outputs", outputs.map(variable)),
    ...group("descriptors", bound),
    ...group("push constants", pushConstants.map(variable)),
  ];
}

function dynamicOf({ dynamic, shaders }: EventState, parameters: Parameters): Pick<EventFacts, "dynamic" | "pushed"> {
  const calls = Object.entries(dynamic).map(([key, args]) => ({
    command: key.split(" ")[0],
    args: Object(args) as Fields,
  }));
  const pushed = shaders.map(({ reflection }) => blockLayout(reflection?.pushConstants ?? [])).find(Boolean);
  const constants = calls.filter(({ command }) => command.startsWith("vkCmdPushConstants"));
  return {
    dynamic: calls.map(({ command, args }) => ({ command, parameters: parameters.ofCall(command, args) })),
    pushed: constants.map(({ args }) => args.pPushConstantsInfo ?? args).flatMap(({ stageFlags, offset, pValues }) =>
      typeof pValues?.bytes === "string"
        ? [{
          stages: parameters.named("VkShaderStageFlags", stageFlags),
          offset,
          bytes: pValues.bytes,
          ...pushed && { layout: pushed.layout },
        }]
        : []
    ),
  };
}
