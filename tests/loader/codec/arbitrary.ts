/** Random objects for every struct of the registry, as a script could write them. */
import * as fc from "fast-check";
import { arraysCountedBy, formOf, lengthOf } from "../../../loader/codec/layout/form.ts";
import { type Field, type Kind, type Layout, layoutOf } from "../../../loader/codec/layout/layout.ts";
import { countThatAsks, isRequiredAlone } from "../../../loader/codec/closures/put.ts";
import type { StructObject } from "../../../loader/codec/values/convert.ts";
import { anyText } from "../../support/any_text.ts";

/** Pointers are followed this deep; below, only what is required is given. */
const DEEPEST = 2;
const memo = new Map<string, fc.Arbitrary<StructObject>>();

/** Objects of a struct or, for a union, with one member of it. */
export function structs(name: string, depth = 0): fc.Arbitrary<StructObject> {
  const key = `${name} ${Math.min(depth, DEEPEST)}`;
  let found = memo.get(key);
  if (found === undefined) memo.set(key, found = make(layoutOf(name), depth));
  return found;
}

function make(layout: Layout, depth: number): fc.Arbitrary<StructObject> {
  if (layout.union) {
    return fc.oneof(
      ...layout.fields.map((field) => member(layout, field, 2, depth).map((value) => ({ [field.name]: value }))),
    );
  }
  return fc.nat({ max: 3 }).chain((length) =>
    fc.record(membersOf(layout, length, depth), { requiredKeys: requiredOf(layout, depth) })
  )
    .map((object) => consistent(layout, object));
}

/** One arbitrary per member. All arrays of an object are equally long: some share a count. */
function membersOf(layout: Layout, length: number, depth: number): Record<string, fc.Arbitrary<unknown>> {
  const members: Record<string, fc.Arbitrary<unknown>> = {};
  for (const field of layout.fields) {
    const counter = arraysCountedBy(layout, field).length > 0 || isSelector(layout, field);
    const implied = field.name === "sType" || field.kind === "chain" || counter;
    const tooDeep = depth >= DEEPEST && field.stars > 0 && field.kind === "struct" && !isAsked(layout, field);
    if (!implied && !tooDeep) members[field.name] = member(layout, field, length, depth);
  }
  return members;
}

function requiredOf(layout: Layout, depth: number): string[] {
  return layout.fields.filter((field) => {
    const inner = field.kind === "struct" && field.stars === 0 || field.selector !== "";
    return field.name !== "sType" && field.kind !== "chain" && arraysCountedBy(layout, field).length === 0 &&
      !isSelector(layout, field) &&
      (inner || field.required && (field.kind !== "struct" || depth < DEEPEST || isAsked(layout, field)));
  }).map((field) => field.name);
}

/** Whether a member may not be left out, however deep the object is. */
function isAsked(layout: Layout, field: Field): boolean {
  return isRequiredAlone(layout, field) || countThatAsks(layout, field) !== undefined;
}

function isSelector(layout: Layout, field: Field): boolean {
  return layout.fields.some((other) => other.selector === field.name);
}

function member(layout: Layout, field: Field, length: number, depth: number): fc.Arbitrary<unknown> {
  const element = elements(field, depth);
  const size = sizeOf(layout, field, length);
  const array = fc.array(element, { minLength: size, maxLength: size });
  switch (formOf(layout, field)) {
    case "bits":
      return fc.integer({ min: 0, max: 2 ** field.bits - 1 });
    case "chars":
      return text(Math.floor((field.size - 1) / 4));
    case "string":
      return text(12);
    case "strings":
      return fc.array(text(12), { minLength: size, maxLength: size });
    case "list":
      return fc.array(element, { maxLength: field.dims[0] });
    case "grid":
      return fc.array(fc.array(element, { maxLength: field.dims[1] }), { maxLength: field.dims[0] });
    case "many":
    case "pointers":
      return array;
    case "bytes":
      return field.kind === "u32"
        ? fc.uint32Array({ minLength: size, maxLength: size })
        : fc.uint8Array({ minLength: size, maxLength: size });
    case "address":
      return addresses();
    default:
      return isRequiredAlone(layout, field) && field.kind !== "struct" && field.stars === 0 ? addresses() : element;
  }
}

function sizeOf(layout: Layout, field: Field, length: number): number {
  const known = lengthOf(layout, field);
  if (known === undefined) return length;
  // (rasterizationSamples + 31) / 32 words: up to 64 samples.
  return known.constant >= 0 ? known.constant : known.count || known.bytes ? length : 2;
}

function elements(field: Field, depth: number): fc.Arbitrary<unknown> {
  if (field.kind !== "struct") return scalars(field.kind);
  if (field.selector === "") return structs(field.type, field.stars > 0 ? depth + 1 : depth);
  const union = layoutOf(field.type);
  const choices = union.fields.filter((inner) =>
    inner.selection.length > 0 && (depth < DEEPEST || inner.stars === 0 || inner.required)
  );
  return fc.constantFrom(...choices).chain((inner) =>
    fc.tuple(member(union, inner, 2, depth + 1), fc.constantFrom(...inner.selection)).map(([value, selected]) =>
      new Chosen(inner.name, value, selected)
    )
  );
}

/** A union's member together with the selector value that chooses it, until the parent takes it apart. */
class Chosen {
  constructor(readonly name: string, readonly value: unknown, readonly selected: number) {}
}

function scalars(kind: Kind): fc.Arbitrary<unknown> {
  switch (kind) {
    case "u8":
      return fc.integer({ min: 0, max: 0xff });
    case "i8":
      return fc.integer({ min: -0x80, max: 0x7f });
    case "u16":
      return fc.integer({ min: 0, max: 0xffff });
    case "i16":
      return fc.integer({ min: -0x8000, max: 0x7fff });
    case "u32":
      return fc.integer({ min: 0, max: 0xffff_ffff });
    case "i32":
      return fc.integer({ min: -0x8000_0000, max: 0x7fff_ffff });
    case "i64":
      return fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n });
    case "usize":
      return fc.nat();
    case "f32":
      return fc.float();
    case "f64":
      return fc.double();
    case "bool":
      return fc.boolean();
    case "h":
    case "p":
      return addresses();
    default:
      return fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
  }
}

/** No address that anything is at: whoever follows one of these crashes. */
function addresses(): fc.Arbitrary<bigint> {
  return fc.bigInt({ min: 1n, max: 0xfff_ffffn }).map((page) => 0xdead_0000_0000_0000n + page);
}

function text(maxLength: number): fc.Arbitrary<string> {
  return anyText({ maxLength }).map((value) => value.replaceAll("\0", "0"));
}

/** Makes the members agree: selectors with unions, conditions with the pointers they guard. */
function consistent(layout: Layout, object: StructObject): StructObject {
  for (const { name, selector } of layout.fields) {
    const value = object[name];
    if (!(value instanceof Chosen)) continue;
    object[selector] = value.selected;
    object[name] = { [value.name]: value.value };
  }
  const sharing = layout.fields.find((field) => field.type === "VkSharingMode");
  if (sharing && object.pQueueFamilyIndices !== undefined) object[sharing.name] = 1;
  FIXES[layout.name]?.(object);
  return object;
}

const FIXES: Record<string, (object: StructObject) => void> = {
  VkWriteDescriptorSet(object) {
    object.descriptorType = 6;
    delete object.pImageInfo;
    delete object.pTexelBufferView;
  },
  VkDescriptorSetLayoutBinding: (object) => object.descriptorType = 1,
  VkFramebufferCreateInfo: (object) => object.flags = 0,
  VkPipelineMultisampleStateCreateInfo: (object) => object.rasterizationSamples = 64,
  VkPipelineRasterizationStateCreateInfo: (object) => object.rasterizerDiscardEnable = false,
  VkPipelineShaderStageCreateInfo: (object) => object.stage = 6,
  VkGraphicsPipelineCreateInfo(object) {
    delete object.pDynamicState;
    if (!(object.pStages as unknown[] | undefined)?.length) delete object.pTessellationState;
  },
  VkGraphicsShaderGroupCreateInfoNV(object) {
    if (!(object.pStages as unknown[] | undefined)?.length) delete object.pTessellationState;
  },
  VkCommandBufferBeginInfo: (object) => object.flags = 2,
  VkCommandBufferInheritanceInfo: (object) => delete object.renderPass,
  VkCommandBufferInheritanceViewportScissorInfoNV: (object) => object.viewportScissor2D = true,
  VkImageCompressionControlEXT: (object) => object.flags = 2,
  VkPipelineCoverageModulationStateCreateInfoNV: (object) => object.coverageModulationTableEnable = true,
  VkPipelineSampleLocationsStateCreateInfoEXT: (object) => object.sampleLocationsEnable = true,
};
