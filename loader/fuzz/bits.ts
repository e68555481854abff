/** VkFormatFeatureFlagBits. */
export const FEATURE = {
  sampled: 0x1,
  storage: 0x2,
  color: 0x80,
  blend: 0x100,
  depthStencil: 0x200,
  blitSrc: 0x400,
  blitDst: 0x800,
  transferSrc: 0x4000,
  transferDst: 0x8000,
} as const;

/** VkImageUsageFlagBits and VkBufferUsageFlagBits. */
export const USAGE = {
  transfers: 0x3,
  sampled: 0x4,
  storage: 0x8,
  color: 0x10,
  depthStencil: 0x20,
  /** Transfers, uniform, storage, index, vertex and indirect buffers. */
  anyBuffer: 0x1f3,
} as const;

/** VkPipelineStageFlagBits. */
export const STAGE = {
  indirect: 0x2,
  vertexInput: 0x4,
  vertexShader: 0x8,
  fragmentShader: 0x80,
  depth: 0x100 | 0x200,
  color: 0x400,
  compute: 0x800,
  transfer: 0x1000,
  host: 0x4000,
  all: 0x1_0000,
} as const;

/** VkAccessFlagBits. */
export const ACCESS = {
  indirectRead: 0x1,
  indexRead: 0x2,
  vertexRead: 0x4,
  shaderRead: 0x20,
  shaderWrite: 0x40,
  color: 0x80 | 0x100,
  depth: 0x200 | 0x400,
  transferRead: 0x800,
  transferWrite: 0x1000,
  hostRead: 0x2000,
  memory: 0x8000 | 0x1_0000,
} as const;

/** VkImageLayout. */
export const LAYOUT = {
  undefined: 0,
  general: 1,
  color: 2,
  depth: 3,
  shaderRead: 5,
  transferSrc: 6,
  transferDst: 7,
} as const;
