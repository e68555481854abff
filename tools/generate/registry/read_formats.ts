import type { TexelFormat } from "./model.ts";
import { attribute, type Element, elements } from "./xml.ts";

/** Reads what the registry tells of each format: the bytes of a block, its texels, and its components. */
export function readFormats(roots: readonly Element[]): TexelFormat[] {
  return roots.flatMap((root) => elements(root, "formats")).flatMap((list) => elements(list, "format")).map(read);
}

function read(element: Element): TexelFormat {
  const { name, blockSize, blockExtent = "1,1,1", packed, chroma } = element.attributes;
  return {
    name,
    blockSize: Number(blockSize),
    blockExtent: blockExtent.split(",").map(Number),
    packed: Number(packed ?? 0),
    isMultiPlanar: chroma !== undefined || elements(element, "plane").length > 0,
    components: elements(element, "component").map((each) => ({
      name: attribute(each, "name")!,
      bits: Number(each.attributes.bits) || 0,
      numericFormat: attribute(each, "numericFormat")!,
    })),
  };
}
