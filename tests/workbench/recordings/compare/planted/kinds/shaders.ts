import { type Args, type Change, type Kind, setting } from "../fault.ts";

const OP_TYPE_FLOAT = 22, OP_CONSTANT = 43, HEADER = 5, MODULES = ["vkCreateShaderModule"];
const CREATE = ["vkCreateGraphicsPipelines", "vkCreateComputePipelines"];

/** Changes the last float among a shader's constants. */
function otherFloat(code: Uint8Array | Uint32Array): Uint8Array | Uint32Array | undefined {
  const copy = code.slice(), words = new Uint32Array(copy.buffer, copy.byteOffset, copy.byteLength / 4);
  const floats = new Set<number>();
  let found = 0;
  for (let at = HEADER; at < words.length; at += words[at] >>> 16) {
    const operation = words[at] & 0xffff;
    if (operation === OP_TYPE_FLOAT) floats.add(words[at + 1]);
    if (operation === OP_CONSTANT && floats.has(words[at + 1])) found = at + 3;
  }
  if (found === 0) return undefined;
  words[found] ^= 0x40_0000; // the highest bit of the mantissa
  return copy;
}

function otherSpecialization({ pCreateInfos: [info] }: Args): Change {
  const stages: Args[] = info.pStages ?? [info.stage];
  const found = stages.find(({ pSpecializationInfo }) => pSpecializationInfo?.pData);
  return found
    ? setting("pSpecializationInfo.pData", (data: Uint8Array) => data.map((byte, at) => at === 0 ? byte ^ 1 : byte))(
      found,
    )
    : "unsuitable";
}

/** Faults of shaders. */
export const SHADERS: readonly Kind[] = [
  { name: "another word of a shader", commands: MODULES, change: setting("pCreateInfo.pCode", otherFloat) },
  { name: "another specialization constant", commands: CREATE, change: otherSpecialization },
];
