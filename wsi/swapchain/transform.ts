/** VkSurfaceTransformFlagBitsKHR by NATIVE_WINDOW_TRANSFORM_… bits (FLIP_H 1, FLIP_V 2, ROT_90 4). */
const SURFACE_TRANSFORMS: Readonly<Record<number, number>> = {
  0: 0x1, // IDENTITY
  4: 0x2, // ROTATE_90
  3: 0x4, // ROTATE_180
  7: 0x8, // ROTATE_270
  1: 0x10, // HORIZONTAL_MIRROR
  5: 0x20, // HORIZONTAL_MIRROR_ROTATE_90
  2: 0x40, // HORIZONTAL_MIRROR_ROTATE_180
  6: 0x80, // HORIZONTAL_MIRROR_ROTATE_270
};
const IDENTITY = 0x1, ROTATE_90 = 0x2, ROTATE_270 = 0x8, NATIVE_ROT_90 = 4, NATIVE_ROT_270 = 7;

/** The VkSurfaceTransformFlagBitsKHR of a window's transform hint; what Vulkan does not know counts as none. */
export function surfaceTransform(native: number): number {
  return SURFACE_TRANSFORMS[native] ?? IDENTITY;
}

/** What a window must do to its buffers when they were drawn as a VkSurfaceTransformFlagBitsKHR wants it: the inverse. */
export function inverseTransform(preTransform: number): number {
  if (preTransform === ROTATE_90) return NATIVE_ROT_270;
  if (preTransform === ROTATE_270) return NATIVE_ROT_90;
  const found = Object.entries(SURFACE_TRANSFORMS).find(([, surface]) => surface === preTransform);
  return found ? Number(found[0]) : 0;
}
