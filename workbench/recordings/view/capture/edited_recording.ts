import {
  VK_API_VERSION_1_1,
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_PIPELINE_BIND_POINT_GRAPHICS,
  VK_SHADER_STAGE_ALL_GRAPHICS,
} from "../../../../loader/gen/enums_core_gen.js";
import { temporaryFolder } from "../../../../loader/temporary_folder.ts";
import { isSubmission, renamed } from "../../compare/driver_process/cut.ts";
import type { Cut } from "../../compare/driver_process/protocol.ts";
import type { Fields, RecordedCall, RecordedLine } from "../../record/line.ts";
import { StateTracker } from "../../state_tracker/state_tracker.ts";
import type { ReplaySource } from "../answers.ts";
import { bufferLines, OWN, writeLines } from "../own_objects.ts";

/** The buffer that draws write in the place of others. */
export const CAPTURED = `VkBuffer#${OWN}`;
const SET = `VkDescriptorSet#${OWN}`, SET_LAYOUT = `VkDescriptorSetLayout#${OWN}`, POOL = `VkDescriptorPool#${OWN}`;

/** A pipeline that is made with another one, while the shaders, the layout and the pass of that one are alive. */
export interface OwnPipeline {
  /** The pipeline of the recording. */
  readonly like: string;
  readonly name: string;
  /** The create info, with the names of the modules. */
  readonly info: Fields;
  readonly modules: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}

/** A recording whose last submission writes a buffer. */
export interface Edit {
  readonly cut: Cut;
  readonly device: string;
  /** By the index of a line in the last submission's command buffers, the commands in its place. */
  readonly replaced: ReadonlyMap<number, readonly RecordedCall[]>;
  readonly pipelines: readonly OwnPipeline[];
  /** Pipeline layouts that get the buffer as a further set, with the names of those that are made. */
  readonly layouts: ReadonlyMap<string, string>;
  /** The number of the set of those layouts that has the buffer. */
  readonly set: number;
  /** Bytes of the buffer, which is zero at the beginning. */
  readonly size: number;
  /** The feature that the device needs: one of VkPhysicalDeviceFeatures, or transform feedback. */
  readonly feature: "transformFeedback" | "vertexPipelineStoresAndAtomics" | "fragmentStoresAndAtomics";
}

/** Returns the command that binds the buffer as a set for the next draw. */
export function bindingOf(commandBuffer: string, layout: string, firstSet: number): RecordedCall {
  return {
    command: "vkCmdBindDescriptorSets",
    args: {
      commandBuffer,
      pipelineBindPoint: VK_PIPELINE_BIND_POINT_GRAPHICS,
      layout,
      firstSet,
      pDescriptorSets: [SET],
      pDynamicOffsets: [],
    },
  };
}

/** Returns the number of sets of a pipeline layout, which may have been destroyed since. */
export function setsOf(layout: string | null | undefined, lines: readonly RecordedLine[]): number {
  return layoutInfo(layout, lines).pSetLayouts?.length ?? 0;
}

function layoutInfo(layout: string | null | undefined, lines: readonly RecordedLine[]): Fields {
  for (const line of lines) {
    if ("command" in line && line.command === "vkCreatePipelineLayout" && line.out?.pPipelineLayout === layout) {
      return line.args.pCreateInfo;
    }
  }
  throw new TypeError("the pipeline has no layout of its own");
}

/** Replays an edited recording, and returns the bytes of the buffer. */
export async function capturedBytes(
  { path, lines, replays }: ReplaySource,
  edit: Edit,
): Promise<Uint8Array<ArrayBuffer>> {
  using folder = temporaryFolder("capture");
  const recording = `${folder.path}/capture.jsonl`;
  writeLines(recording, path, editedLines(lines, edit));
  const [found] = await replays.contents({ recording, cut: edit.cut, parts: [{ buffer: CAPTURED }] });
  if (!found) throw new TypeError("the replay has no answer");
  return found.bytes;
}

function editedLines(lines: readonly RecordedLine[], edit: Edit): RecordedLine[] {
  const tracker = new StateTracker(), edited: RecordedLine[] = [];
  let submission = 0;
  for (const [index, line] of lines.entries()) {
    if (isSubmission(line) && submission++ === edit.cut.submission) {
      return [...edited, ...bufferOf(lines, edit), ...submitted(tracker, line, edit)];
    }
    tracker.note(index, line);
    if (isSubmission(line)) tracker.submit(line);
    edited.push(...around(line, edit));
  }
  throw new TypeError(`There is no submission ${edit.cut.submission}`);
}

/** A line with the objects that are made beside its own. */
function around(line: RecordedLine, edit: Edit): RecordedLine[] {
  if (!("command" in line)) return [line];
  switch (line.command) {
    case "vkCreateInstance":
      return [edit.feature === "transformFeedback" ? newer(line) : line];
    case "vkCreateDevice":
      return [line.out!.pDevice === edit.device ? enabling(line, edit.feature) : line];
    case "vkCreatePipelineLayout":
      return [line, ...layoutsLike(line, edit)];
    case "vkCreateGraphicsPipelines":
      return pipelinesLike(line, edit);
    default:
      return [line];
  }
}

/** Features of extensions are asked for by a command of Vulkan 1.1. */
function newer(call: RecordedCall): RecordedCall {
  const { pApplicationInfo } = call.args.pCreateInfo, version = pApplicationInfo?.apiVersion ?? 0;
  const apiVersion = Math.max(version, VK_API_VERSION_1_1);
  const pCreateInfo = { ...call.args.pCreateInfo, pApplicationInfo: { ...pApplicationInfo, apiVersion } };
  return { ...call, args: { ...call.args, pCreateInfo } };
}

function enabling(call: RecordedCall, feature: Edit["feature"]): RecordedCall {
  if (feature === "transformFeedback") {
    const { pCreateInfo } = call.args, chain: Fields[] = pCreateInfo.pNext ?? [];
    const sType = "VkPhysicalDeviceTransformFeedbackFeaturesEXT", name = "VK_EXT_transform_feedback";
    const ppEnabledExtensionNames = [...new Set([...pCreateInfo.ppEnabledExtensionNames ?? [], name])];
    const pNext = [...chain.filter((each) => each.sType !== sType), { sType, transformFeedback: true }];
    const changed = { ...pCreateInfo, ppEnabledExtensionNames, pNext };
    return withFeatures({ ...call, args: { ...call.args, pCreateInfo: changed } }, {});
  }
  return withFeatures(call, { [feature]: true });
}

/**
 * Enables core features. `robustBufferAccess`, which each driver has, goes with them: a range of vertices may have some that
 * no index names, and SwiftShader now and then fetches beyond the buffers of a line, which ends its process.
 */
function withFeatures(call: RecordedCall, features: Fields): RecordedCall {
  const { pCreateInfo } = call.args, chain: Fields[] = pCreateInfo.pNext ?? [];
  const all = (own: Fields | undefined) => ({ ...own, robustBufferAccess: true, ...features });
  const changed = chain.some(({ features }) => features)
    ? { pNext: chain.map((each) => each.features ? { ...each, features: all(each.features) } : each) }
    : { pEnabledFeatures: all(pCreateInfo.pEnabledFeatures) };
  return { ...call, args: { ...call.args, pCreateInfo: { ...pCreateInfo, ...changed } } };
}

function layoutsLike({ args, out }: RecordedCall, { layouts, set }: Edit): RecordedCall[] {
  const name = layouts.get(out!.pPipelineLayout), { device, pCreateInfo } = args;
  if (!name) return [];
  const own = `${SET_LAYOUT}${name.slice(name.indexOf("#") + 1)}`, empty = `${own}0`;
  const sets = pCreateInfo.pSetLayouts ?? [], gap = Array.from({ length: set - sets.length }, () => empty);
  return [
    setLayout(device, own),
    ...gap.length > 0 ? [setLayout(device, empty, [])] : [],
    {
      command: "vkCreatePipelineLayout",
      args: { device, pCreateInfo: { ...pCreateInfo, pSetLayouts: [...sets, ...gap, own] } },
      out: { pPipelineLayout: name },
    },
  ];
}

const BINDING = {
  binding: 0,
  descriptorType: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  descriptorCount: 1,
  stageFlags: VK_SHADER_STAGE_ALL_GRAPHICS,
};

function setLayout(device: string, pSetLayout: string, pBindings: readonly Fields[] = [BINDING]): RecordedCall {
  return {
    command: "vkCreateDescriptorSetLayout",
    args: { device, pCreateInfo: { flags: 0, pBindings } },
    out: { pSetLayout },
  };
}

function pipelinesLike(call: RecordedCall, { pipelines, device }: Edit): RecordedCall[] {
  const own = pipelines.filter(({ like }) => call.out!.pPipelines.includes(like));
  if (own.length === 0) return [call];
  const modules = own.flatMap(({ modules }) => modules).map(({ name, bytes }): RecordedCall => ({
    command: "vkCreateShaderModule",
    args: { device, pCreateInfo: { flags: 0, pCode: { bytes: bytes.toHex() } } },
    out: { pShaderModule: name },
  }));
  const pCreateInfos = [...call.args.pCreateInfos, ...own.map(({ info }) => info)];
  const pPipelines = [...call.out!.pPipelines, ...own.map(({ name }) => name)];
  return [...modules, { ...call, args: { ...call.args, pCreateInfos }, out: { ...call.out, pPipelines } }];
}

/** The buffer, and a set that has it. */
function bufferOf(lines: readonly RecordedLine[], { device, size, layouts, feature }: Edit): RecordedCall[] {
  const isFed = feature === "transformFeedback";
  const usage = isFed ? VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT : VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  const made = bufferLines({ device, buffer: CAPTURED, size, usage }, lines);
  if (layouts.size === 0) return made;
  const descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    pBufferInfo = [{ buffer: CAPTURED, offset: "0", range: `${size}` }];
  return [
    ...made,
    setLayout(device, SET_LAYOUT),
    {
      command: "vkCreateDescriptorPool",
      args: {
        device,
        pCreateInfo: { flags: 0, maxSets: 1, pPoolSizes: [{ type: descriptorType, descriptorCount: 1 }] },
      },
      out: { pDescriptorPool: POOL },
    },
    {
      command: "vkAllocateDescriptorSets",
      args: { device, pAllocateInfo: { descriptorPool: POOL, pSetLayouts: [SET_LAYOUT] } },
      out: { pDescriptorSets: [SET] },
    },
    {
      command: "vkUpdateDescriptorSets",
      args: {
        device,
        pDescriptorWrites: [{ dstSet: SET, dstBinding: 0, dstArrayElement: 0, descriptorType, pBufferInfo }],
      },
    },
  ];
}

/** The submission with command buffers of its own: those of the recording may belong to earlier submissions, too. */
function submitted(tracker: StateTracker, call: RecordedCall, { replaced }: Edit): RecordedLine[] {
  const all = [...new Set(tracker.buffersOf(call))];
  const names = new Map(all.map((name, at) => [name, `VkCommandBuffer#${OWN + at}`]));
  const made = all.map((name): RecordedCall => {
    const { command, args } = tracker.resources.call(name)!;
    const pAllocateInfo = { ...args.pAllocateInfo, commandBufferCount: 1 };
    return { command, args: { ...args, pAllocateInfo }, out: { pCommandBuffers: [names.get(name)!] } };
  });
  // A command buffer is executed by others only once it is recorded: the order of the recording holds.
  const steps = all.flatMap((name) => tracker.lists.get(name)?.steps ?? []).sort((one, other) =>
    one.index - other.index
  );
  const commands = steps.flatMap(({ index, call }) => replaced.get(index) ?? [call]);
  return [...made, ...commands.map((each) => renamed(each, names)), renamed(call, names)];
}
