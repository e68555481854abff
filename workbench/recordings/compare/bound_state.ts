import {
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_PIPELINE_BIND_POINT_GRAPHICS,
} from "../../../loader/gen/enums_core_gen.js";
import type { Recording } from "../replay/recording_file.ts";
import { assemblyOf } from "./spirv.ts";
import { coreName } from "../record/commands.ts";
import type { Descriptor, Descriptors, DescriptorTable } from "../state_tracker/descriptors.ts";
import { isDispatch, isDraw, tablesOf, viewsOf, type Write } from "../state_tracker/effects.ts";
import type { Fields } from "../record/line.ts";
import type { DynamicOffsets } from "../state_tracker/state.ts";
import type { Executed, StateTracker } from "../state_tracker/state_tracker.ts";
import type { Resources } from "../state_tracker/resources.ts";

/** A shader of the pipeline that a command used. */
export interface ShaderInHand {
  /** VkShaderStageFlagBits. */
  readonly stage: number;
  /** The shader's entry point. */
  readonly entry: string;
  /** The shader module's name. */
  readonly module: string;
  /** The SPIR-V, as the recording has it: `{ bytes }` or `{ data }`. */
  readonly code: unknown;
  /** The lines of `spirv-dis`; none where there is no such program, or where the program does not know the shader. */
  readonly assembly: readonly string[];
}

/** A buffer or image that a command had in hand. */
export interface BoundResource {
  /** The resource's role, such as `"set 0 binding 2"`, `"index buffer"` or `"attachment 1"`. */
  readonly role: string;
  /** The name of the buffer or image. */
  readonly name: string;
  /** The facts of the resource's creation, and the part that is meant. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Everything that decides what a command does, besides its arguments. */
export interface BoundState {
  /** The pipeline's name. */
  readonly pipeline?: string;
  /** The create info of the pipeline. */
  readonly state?: Readonly<Record<string, unknown>>;
  /** The pipeline's shaders. */
  readonly shaders: readonly ShaderInHand[];
  /** Buffers and images. */
  readonly resources: readonly BoundResource[];
  /** The latest calls that set state in the command buffer: arguments by command. */
  readonly dynamic: Readonly<Record<string, unknown>>;
  /** The call that began the render pass or dynamic rendering. */
  readonly pass?: { readonly command: string; readonly args: Readonly<Record<string, unknown>> };
}

/** Returns the contents that a command had in hand, each once: of images the first level that is meant. */
export function contentsIn({ resources }: BoundState): Write[] {
  const writes = resources.flatMap(({ name, facts }): Write[] => {
    if (name.startsWith("VkBuffer#")) return [{ buffer: name }];
    if (!name.startsWith("VkImage#")) return [];
    const { baseMipLevel = 0 } = facts as { baseMipLevel?: number };
    return [{ image: name, aspectMask: ~0, baseMipLevel, levelCount: 1, baseArrayLayer: 0, layerCount: 1 }];
  });
  return [...new Map(writes.map((each) => [JSON.stringify(each), each])).values()];
}

/** Returns what a command had in hand. `shaderOf` tells of the shader of a VkPipelineShaderStageCreateInfo. */
export function boundStateOf(
  executed: Executed,
  tracker: Pick<StateTracker, "resources" | "descriptors">,
  shaderOf: (stage: Fields) => ShaderInHand,
): BoundState {
  const { call: { command, args }, scene: { state } } = executed, { resources, descriptors } = tracker;
  const point = pointOf(command), bound = point === undefined ? undefined : state.at(point);
  const info = resources.info(bound?.pipeline), tables = bound ? tablesOf(bound, descriptors) : [];
  const isGraphics = point === VK_PIPELINE_BIND_POINT_GRAPHICS;
  return {
    pipeline: bound?.pipeline,
    state: info,
    shaders: stagesOf(info).map(shaderOf),
    resources: [
      ...tables.flatMap(([set, table]) => {
        const offsets = offsetsOf(table, bound?.offsets.get(set), descriptors);
        return [...table.values()].flatMap((each) => described(set, each, resources, offsets.get(each)));
      }),
      ...isGraphics ? inputsOf(executed, resources) : [],
      ...attachmentsOf(executed, resources),
      ...["srcBuffer", "srcImage", "dstBuffer", "dstImage", "buffer", "image"].flatMap((role) =>
        resourceOf(role, [args, ...Object.values(args)].find((each) => Object(each)[role])?.[role], resources)
      ),
    ],
    dynamic: point === undefined ? {} : Object.fromEntries([...state.dynamic].map(([key, each]) => [key.trim(), each])),
    ...state.pass && { pass: { command: state.pass.begin.command, args: state.pass.begin.args } },
  };
}

function pointOf(command: string): number | undefined {
  const core = coreName(command);
  if (isDraw(core)) return VK_PIPELINE_BIND_POINT_GRAPHICS;
  return isDispatch(core) ? VK_PIPELINE_BIND_POINT_COMPUTE : undefined;
}

/** Returns the VkPipelineShaderStageCreateInfo of a pipeline, from its create info. */
export function stagesOf(info: Fields | undefined): Fields[] {
  return info?.pStages ?? (info?.stage ? [info.stage] : []);
}

/** Returns the shader of a stage. `codeOf` returns the code of a module, `data` the bytes of a hash. */
export function shaderInHand(
  { stage, pName, module, pNext = [] }: Fields,
  codeOf: (module: string) => unknown,
  data: Recording["data"],
): ShaderInHand {
  // Since Vulkan 1.4 a stage may have its code with it.
  const inline = pNext.find(({ sType }: Fields) => sType === "VkShaderModuleCreateInfo");
  const code = inline?.pCode ?? codeOf(module), words = wordsOf(code, data);
  return { stage, entry: pName, module: module ?? "", code, assembly: words ? assemblyOf(words) : [] };
}

/** Returns the bytes of a shader, as the recording has them. */
export function wordsOf(code: unknown, data: Recording["data"]): Uint8Array<ArrayBuffer> | undefined {
  const { bytes, data: hash } = Object(code);
  return typeof bytes === "string" ? Uint8Array.fromHex(bytes) : hash && data(hash);
}

/** Returns the dynamic offset of each descriptor that has one. */
function offsetsOf(
  table: DescriptorTable,
  offsets: DynamicOffsets | undefined,
  descriptors: Descriptors,
): Map<Descriptor, number> {
  const before = (offsets?.before ?? []).reduce((sum, set) => sum + dynamicIn(descriptors.of(set)).length, 0);
  return new Map(dynamicIn(table).map((each, index) => [each, offsets?.all[before + index] ?? 0]));
}

/** The descriptors with dynamic offsets, in the order of the offsets. */
function dynamicIn(table: DescriptorTable): Descriptor[] {
  return [...table.values()].filter(({ type }) => DYNAMIC.includes(type))
    .sort((one, other) => one.binding - other.binding || one.element - other.element);
}

const DYNAMIC: readonly number[] = [
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
];

function described(set: number, descriptor: Descriptor, resources: Resources, dynamicOffset?: number): BoundResource[] {
  const { binding, element, type, buffer, view, bufferView, sampler, layout } = descriptor;
  const role = `set ${set} binding ${binding}${element > 0 ? ` element ${element}` : ""}`;
  const name = buffer?.name ?? resources.view(view)?.image ?? resources.info(bufferView)?.buffer;
  const part = {
    type,
    ...buffer,
    ...dynamicOffset !== undefined && { dynamicOffset },
    ...view && { view, ...resources.view(view), layout },
  };
  const sampling = sampler ? { sampler, ...resources.info(sampler) } : {};
  return [{ role, name: name ?? sampler ?? "", facts: { ...resources.info(name), ...part, ...sampling } }];
}

function inputsOf({ scene: { state } }: Executed, resources: Resources): BoundResource[] {
  const vertices = [...state.vertexBuffers].flatMap(([binding, { buffer, offset }]) =>
    resourceOf(`vertex buffer ${binding}`, buffer, resources, { offset })
  );
  const { buffer, ...index } = state.indexBuffer ?? {};
  return [...vertices, ...resourceOf("index buffer", buffer, resources, index)];
}

function attachmentsOf({ call, scene: { state } }: Executed, resources: Resources): BoundResource[] {
  const { pRenderPassBegin, pRenderingInfo } = call.args, begins = pRenderPassBegin ?? pRenderingInfo;
  const pass = begins ? { begin: call, isDynamic: pRenderingInfo !== undefined, subpass: 0 } : state.pass;
  const views = pass ? viewsOf(pass, resources) : [];
  return views.flatMap((view, index) => {
    const part = resources.view(view);
    return part ? resourceOf(`attachment ${index}`, part.image, resources, { ...part }) : [];
  });
}

function resourceOf(role: string, name: unknown, resources: Resources, part: object = {}): BoundResource[] {
  return typeof name === "string" ? [{ role, name, facts: { ...resources.info(name), ...part } }] : [];
}
