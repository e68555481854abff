import { layoutOf } from "../../../loader/codec/layout/layout.ts";
import { peek64 } from "../../../ffi/machine.ts";
import { bytesAt } from "../../../ffi/arena.ts";
import { structAt } from "../../../loader/codec/codec.ts";
import { type Style, traceStruct } from "../../../loader/layers/shipped/trace/value.ts";
import type { Arguments } from "../../../loader/layers/shipped/trace/arguments.ts";
import { dropIgnored } from "./ignored.ts";
import type { RecordedCall } from "./line.ts";
import {
  VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR,
  VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_NV,
  VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK,
  VK_PIPELINE_BIND_POINT_GRAPHICS,
} from "../../../loader/gen/native_gen.ts";

/** An entry of a VkDescriptorUpdateTemplate, as a recording has it. */
interface Entry {
  readonly dstBinding: number;
  readonly dstArrayElement: number;
  readonly descriptorCount: number;
  readonly descriptorType: number;
  readonly offset: string;
  readonly stride: string;
}

/** VkDescriptorType values whose data differs from that of their neighbours. */
const TEXEL_BUFFERS = [4, 5], BUFFERS = [6, 7, 8, 9], INLINE_UNIFORM_BLOCK = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
const ACCELERATION_STRUCTURES = [
  VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR,
  VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_NV,
];

/** The arguments of vkCreateDescriptorUpdateTemplate. */
interface Template {
  readonly pDescriptorUpdateEntries: readonly Entry[];
  readonly pipelineBindPoint: number;
}

/** The descriptor update templates of a program. Calls with a template can be recorded without the template. */
export class Templates {
  readonly #templates = new Map<string, Template>();
  readonly #style: Style;

  /** Writes values in a style. */
  constructor(style: Style) {
    this.#style = style;
  }

  /** Remembers a new template. */
  note(core: string, { args, out }: RecordedCall): void {
    if (core === "vkCreateDescriptorUpdateTemplate") {
      this.#templates.set(out!.pDescriptorUpdateTemplate, args.pCreateInfo);
    }
  }

  /** Replaces a call with a template by an equal call without it. Returns other calls unchanged. */
  rewrite(core: string, call: RecordedCall, raw: Arguments): RecordedCall {
    if (!core.endsWith("WithTemplate")) return call;
    const { descriptorUpdateTemplate, descriptorSet, pData: _, ...args } = call.args;
    const { pDescriptorUpdateEntries: entries, pipelineBindPoint } = this.#templates.get(descriptorUpdateTemplate) ??
      NONE;
    args.pDescriptorWrites = writesOf(entries, raw.at(-1) as bigint, descriptorSet, this.#style);
    dropIgnored(args);
    if (core === "vkUpdateDescriptorSetWithTemplate") return { command: "vkUpdateDescriptorSets", args };
    return { command: call.command.replace("WithTemplate", ""), args: { ...args, pipelineBindPoint } };
  }
}

const NONE: Template = { pDescriptorUpdateEntries: [], pipelineBindPoint: VK_PIPELINE_BIND_POINT_GRAPHICS };

/** Decodes the data of an update template, by its entries, as descriptor writes. */
function writesOf(entries: readonly Entry[], data: bigint, dstSet: string | undefined, style: Style) {
  return entries.map(({ offset, stride, ...place }) => {
    const at = data + BigInt(offset), { descriptorType, descriptorCount } = place;
    const items = (read: (address: bigint) => unknown) =>
      Array.from({ length: descriptorCount }, (_, index) => read(at + BigInt(stride) * BigInt(index)));
    return {
      ...dstSet === undefined ? {} : { dstSet },
      ...place,
      ...contentOf(descriptorType, items, at, place, style),
    };
  });
}

function contentOf(
  type: number,
  items: (read: (address: bigint) => unknown) => unknown[],
  at: bigint,
  { descriptorCount }: { descriptorCount: number },
  style: Style,
) {
  const structs = (name: string) => items((address) => traceStruct(layoutOf(name), structAt(name, address), style));
  const handles = (name: string) => items((address) => style.handle(name, peek64(address)));
  if (BUFFERS.includes(type)) return { pBufferInfo: structs("VkDescriptorBufferInfo") };
  if (TEXEL_BUFFERS.includes(type)) return { pTexelBufferView: handles("VkBufferView") };
  if (type === INLINE_UNIFORM_BLOCK) {
    const pData = style.payload(bytesAt(at, descriptorCount));
    return { pNext: [{ sType: "VkWriteDescriptorSetInlineUniformBlock", pData }] };
  }
  if (!ACCELERATION_STRUCTURES.includes(type)) return { pImageInfo: structs("VkDescriptorImageInfo") };
  const ours = type === ACCELERATION_STRUCTURES[0], suffix = ours ? "KHR" : "NV";
  const pAccelerationStructures = handles(`VkAccelerationStructure${suffix}`);
  return { pNext: [{ sType: `VkWriteDescriptorSetAccelerationStructure${suffix}`, pAccelerationStructures }] };
}
