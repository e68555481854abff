import { adding, type Args, type Kind, plus, setting } from "../fault.ts";

/** Types of descriptors of buffers. */
const BUFFERS = [6, 7, 8, 9];

/** Changes the first write of a descriptor of a buffer that has something to change. */
function bufferWrite(change: (info: Args) => boolean): Kind["change"] {
  return ({ pDescriptorWrites = [] }) => {
    const infos: Args[] = (pDescriptorWrites ?? []).filter(({ descriptorType }: Args) =>
      BUFFERS.includes(descriptorType)
    )
      .flatMap(({ pBufferInfo }: Args) => pBufferInfo ?? []);
    return infos.some(change) ? "changed" : "unsuitable";
  };
}

/** Exchanges the first two views of images. */
function viewsExchanged({ pDescriptorWrites }: Args): "changed" | "unsuitable" {
  const infos: Args[] = (pDescriptorWrites ?? []).flatMap(({ pImageInfo }: Args) => pImageInfo ?? []);
  const [one, other] = infos.filter(({ imageView }) => imageView);
  if (!other || one.imageView === other.imageView) return "unsuitable";
  [one.imageView, other.imageView] = [other.imageView, one.imageView];
  return "changed";
}

/** Bytes behind the first that differ, so that what is a float becomes another float. */
function otherByte(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.length === 0) return undefined;
  const copy = bytes.slice(), at = Math.min(2, copy.length - 1);
  copy[at] ^= 0x10;
  return copy;
}

/** Faults of what is bound: vertices, indices, descriptors, push constants. */
export const BINDINGS: readonly Kind[] = [
  {
    name: "another index buffer offset",
    commands: ["vkCmdBindIndexBuffer"],
    change: setting(
      "offset",
      (offset, { indexType }) => plus(offset, (indexType === 1 ? 4 : 2) * (Number(offset) > 4 ? -1 : 1)),
    ),
  },
  { name: "another vertex buffer offset", commands: ["vkCmdBindVertexBuffers"], change: adding("pOffsets.0", 4) },
  { name: "another push constant", commands: ["vkCmdPushConstants"], change: setting("pValues", otherByte) },
  {
    name: "another dynamic offset",
    commands: ["vkCmdBindDescriptorSets"],
    change: setting("pDynamicOffsets.0", (value) => value >= 256 ? value - 256 : value + 256),
  },
  {
    name: "another descriptor's offset",
    commands: ["vkUpdateDescriptorSets"],
    // The rest of a buffer may be shorter than the step: behind its end a shader writes into memory of the process.
    change: bufferWrite((info) => {
      const range = BigInt(info.range ?? 0), isRest = range >= 1n << 63n;
      if (isRest || range <= 256n) return false;
      info.offset = plus(info.offset ?? 0n, 256);
      info.range = plus(info.range, -256);
      return true;
    }),
  },
  {
    name: "a descriptor's smaller range",
    commands: ["vkUpdateDescriptorSets"],
    change: bufferWrite((info) => {
      if (BigInt(info.range ?? 0) >= 1n << 63n || BigInt(info.range ?? 0) <= 16n) return false;
      info.range = plus(info.range, -16);
      return true;
    }),
  },
  { name: "two views exchanged", commands: ["vkUpdateDescriptorSets"], change: viewsExchanged },
];
