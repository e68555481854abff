import { layoutOf } from "../../../codec/layout/layout.ts";
import type { StructObject } from "../../../codec/values/convert.ts";
import { bytesAt } from "../../../../ffi/arena.ts";
import { VK_SHADER_CODE_TYPE_SPIRV_EXT } from "../../../gen/native_gen.ts";

/** A place in a decoded struct that holds SPIR-V. */
export interface CodePlace {
  /** The words. */
  readonly words: Uint32Array;
  /** Replaces the words. */
  put(words: Uint32Array): void;
}

/** Returns the SPIR-V in a decoded struct, in structs inside it and in their chains. */
export function codeIn(value: unknown): CodePlace[] {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return [];
  const object = value as StructObject, isModule = object.sType === layoutOf("VkShaderModuleCreateInfo").sType;
  const isShader = object.sType === layoutOf("VkShaderCreateInfoEXT").sType;
  const own = isModule || isShader && object.codeType === VK_SHADER_CODE_TYPE_SPIRV_EXT ? [placeIn(object)] : [];
  return [...own, ...Object.values(object).flatMap(codeIn)];
}

function placeIn(object: StructObject): CodePlace {
  const bytes = bytesOf(object);
  return {
    words: new Uint32Array(bytes.buffer, 0, bytes.length >> 2),
    put(words) {
      object.codeSize = words.byteLength;
      object.pCode = words;
    },
  };
}

/** Data that is too large for the codec to copy was decoded to its address. */
function bytesOf({ pCode, codeSize }: StructObject): Uint8Array<ArrayBuffer> {
  if (typeof pCode === "bigint") return bytesAt(pCode, codeSize as number);
  const { buffer, byteOffset, byteLength } = pCode as Uint8Array<ArrayBuffer>;
  return new Uint8Array(buffer.slice(byteOffset, byteOffset + byteLength));
}
