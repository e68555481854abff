import { adding, all, type Args, type Change, type Kind, leavingOut, plus, setting, swapping } from "../fault.ts";

const TEXELS = ["vkCmdCopyBufferToImage", "vkCmdCopyImageToBuffer"],
  BOTH_IMAGES = ["vkCmdCopyImage", "vkCmdBlitImage", "vkCmdResolveImage"];
const REGION = "pRegions.0";

/** Leaves out the last of several regions, or a copy with one. */
function regionLess({ pRegions }: Args): Change {
  if (pRegions.length < 2) return "left out";
  pRegions.pop();
  return "changed";
}

/** The lowest bit of a component of a clear colour, whatever its type. */
function otherColor({ pColor }: Args): Change {
  const numbers = pColor.uint32 ?? pColor.int32 ?? pColor.float32;
  numbers[0] = pColor.float32 ? (numbers[0] === 0 ? 1 : 0) : numbers[0] ^ 1;
  return "changed";
}

/** Faults of copies, blits, resolves, fills and clears. */
export const TRANSFERS: readonly Kind[] = [
  { name: "a copy left out", commands: ["vkCmdCopyBuffer", ...TEXELS, ...BOTH_IMAGES], change: regionLess },
  {
    name: "another source offset of a copy",
    commands: ["vkCmdCopyBuffer"],
    change: all(adding(`${REGION}.srcOffset`, 4), adding(`${REGION}.size`, -4, 1)),
  },
  {
    name: "another destination offset of a copy",
    commands: ["vkCmdCopyBuffer"],
    change: all(adding(`${REGION}.dstOffset`, 4), adding(`${REGION}.size`, -4, 1)),
  },
  { name: "a smaller copy", commands: ["vkCmdCopyBuffer"], change: adding(`${REGION}.size`, -1, 1) },
  {
    name: "another buffer offset of texels",
    commands: TEXELS,
    change: setting(`${REGION}.bufferOffset`, (value) => Number(value) >= 16 ? plus(value, -16) : undefined),
  },
  {
    name: "texels of a shorter row",
    commands: TEXELS,
    change: all(
      adding(`${REGION}.imageExtent.width`, -1, 1),
      setting(REGION, (region) => {
        // The rows in the buffer stay as long as they were.
        region.bufferRowLength ||= region.imageExtent.width + 1;
        return region;
      }),
    ),
  },
  {
    name: "another texel offset of an image",
    commands: ["vkCmdCopyImage"],
    change: all(adding(`${REGION}.srcOffset.x`, 1), adding(`${REGION}.extent.width`, -1, 1)),
  },
  {
    name: "fewer rows of an image",
    commands: ["vkCmdCopyImage", "vkCmdResolveImage"],
    change: adding(`${REGION}.extent.height`, -1, 1),
  },
  {
    name: "another layer of an image",
    commands: BOTH_IMAGES,
    change: setting(`${REGION}.srcSubresource.baseArrayLayer`, (value) => value > 0 ? value - 1 : undefined),
  },
  {
    name: "another layer written",
    commands: [...BOTH_IMAGES],
    change: setting(`${REGION}.dstSubresource.baseArrayLayer`, (value) => value > 0 ? value - 1 : undefined),
  },
  { name: "another filter of a blit", commands: ["vkCmdBlitImage"], change: swapping("filter", 0, 1) },
  {
    name: "another region of a blit",
    commands: ["vkCmdBlitImage"],
    change: setting(`${REGION}.srcOffsets.1.x`, (value, owner) => value - 1 > 0 && owner ? value - 1 : undefined),
  },
  { name: "another fill value", commands: ["vkCmdFillBuffer"], change: setting("data", (value) => (value ^ 1) >>> 0) },
  {
    name: "a later fill",
    commands: ["vkCmdFillBuffer"],
    change: all(
      adding("dstOffset", 4),
      setting("size", (size) => BigInt(size) >= 1n << 63n ? size : Number(size) > 4 ? plus(size, -4) : undefined),
    ),
  },
  {
    name: "other data of an update",
    commands: ["vkCmdUpdateBuffer"],
    change: setting("pData", (data: Uint8Array) => data.map((byte, at) => at === data.length - 1 ? byte ^ 1 : byte)),
  },
  {
    name: "another offset of query results",
    commands: ["vkCmdCopyQueryPoolResults"],
    change: setting("dstOffset", (value) => Number(value) >= 8 ? plus(value, -8) : plus(value, 8)),
  },
  { name: "another clear color", commands: ["vkCmdClearColorImage"], change: otherColor },
  {
    name: "another clear depth",
    commands: ["vkCmdClearDepthStencilImage"],
    change: setting("pDepthStencil.depth", (value) => value === 0 ? 1 : value / 2),
  },
  {
    name: "a smaller clear of attachments",
    commands: ["vkCmdClearAttachments"],
    change: adding("pRects.0.rect.extent.width", -1, 1),
  },
  {
    name: "a clear left out",
    commands: [
      "vkCmdClearColorImage",
      "vkCmdClearDepthStencilImage",
      "vkCmdClearAttachments",
      "vkCmdFillBuffer",
      "vkCmdUpdateBuffer",
    ],
    change: leavingOut,
  },
];
