/**
 * The demo's picture: islands of layered pumice that float over an evening sea.
 * This module says what is to be drawn, with no graphics API in it; the demo
 * does the drawing. Everything is deterministic: the same options give the
 * same picture, within rounding, on every Vulkan 1.0 driver.
 *
 * ## Resources
 *
 * | resource | format | extent | usage |
 * |---|---|---|---|
 * | vertices | `columnMesh().vertices` | 84 × 32 bytes | vertex buffer, binding 0, stride 32, per vertex |
 * | instances | `worldInstances()` | N × 64 bytes | vertex buffer, binding 1, stride 64, per instance |
 * | indices | `columnMesh().indices` | 132 × `UINT16` | index buffer |
 * | frame | `frameUniforms()` | 272 bytes | uniform buffer |
 * | picture | RGBA, 8 bits each, rows of `width` from the top, no padding | 4 · width · height bytes | storage buffer, read by the host |
 * | rock | `R8G8B8A8_UNORM` | as {@linkcode rockSize} says | storage, sampled |
 * | shadow | `D32_SFLOAT` | as {@linkcode shadowSize} says | depth attachment, sampled |
 * | light | `R16G16B16A16_SFLOAT` | width · k × height · k | colour attachment, sampled |
 * | depth | `D32_SFLOAT` | as light | depth attachment |
 * | glow | `R16G16B16A16_SFLOAT` | {@linkcode GLOW_SIZE} | storage, sampled |
 *
 * k is {@linkcode OVERSAMPLING}: four pixels are rendered for each one of the
 * picture, and there is no multisampling. All images are 2D with one level and
 * one layer.
 *
 * ## Descriptors: one set, one layout, for all pipelines
 *
 * | binding | type | what | layout when used | sampler | stages |
 * |---|---|---|---|---|---|
 * | 0 | uniform buffer | frame | | | vertex, fragment, compute |
 * | 1 | combined image sampler | rock | `SHADER_READ_ONLY_OPTIMAL` | linear, repeat | vertex, fragment, compute |
 * | 2 | combined image sampler | shadow | `DEPTH_STENCIL_READ_ONLY_OPTIMAL` | nearest, clamp to edge | fragment |
 * | 3 | combined image sampler | light | `SHADER_READ_ONLY_OPTIMAL` | linear, clamp to edge | compute |
 * | 4 | combined image sampler | glow | `SHADER_READ_ONLY_OPTIMAL` | linear, clamp to edge | compute |
 * | 5 | storage image | rock | `GENERAL` | | compute |
 * | 6 | storage image | glow | `GENERAL` | | compute |
 * | 7 | storage buffer | picture | | | compute |
 *
 * Push constants: one float for vertex and fragment at offset 0, used by the
 * column pipeline alone: 1 draws the world, -1 its mirror image in the sea.
 *
 * ## Vertex attributes (all `R32G32B32A32_SFLOAT`)
 *
 * | location | binding | offset | meaning |
 * |---|---|---|---|
 * | 0 | 0 | 0 | shape: x, y, z, rim |
 * | 1 | 0 | 16 | normal of the face |
 * | 2 | 1 | 0 | centre of the foot, radius |
 * | 3 | 1 | 16 | height, head, foot, turn |
 * | 4 | 1 | 32 | colour, glow |
 * | 5 | 1 | 48 | lean to x and z, share of strata, bobbing |
 *
 * ## Passes, in order
 *
 * 1. **rock** (once): `rock.comp`, {@linkcode groupsFor} of rock's extent; it
 *    writes binding 5. Then rock goes from `GENERAL` to `SHADER_READ_ONLY_OPTIMAL`
 *    for fragment and compute shaders.
 * 2. **shadow**: a render pass with the shadow image alone, cleared to depth 1;
 *    final layout `DEPTH_STENCIL_READ_ONLY_OPTIMAL`. `shadow.vert`, no fragment
 *    shader, depth test `LESS_OR_EQUAL`, depth bias with slope factor
 *    {@linkcode SHADOW_SLOPE_BIAS}, constant factor 0. One indexed draw of all
 *    instances.
 * 3. **scene**: colour `light` (load `DONT_CARE`: every pixel is drawn; final
 *    layout `SHADER_READ_ONLY_OPTIMAL`), depth cleared to 1 and not stored.
 *    Depth test `LESS_OR_EQUAL`, no blending, no culling (the mirror image has
 *    the other winding).
 *    1. `column.vert` + `column.frag`, depth writes on, push constant 1: indexed draw of all instances.
 *    2. The same with push constant -1.
 *    3. `backdrop.vert` + `backdrop.frag`, depth writes off, no vertex input: 3 vertices.
 * 4. **glow**: `glow.comp`, groups for glow's extent; light to glow. Then glow
 *    goes from `GENERAL` to `SHADER_READ_ONLY_OPTIMAL` for compute shaders.
 * 5. **develop**: `develop.comp`, groups for the picture's extent; light and
 *    glow to picture. Then a barrier from shader writes to host reads.
 *
 * Each render pass has a dependency from `EXTERNAL` (its attachments were read
 * by shaders) and one to `EXTERNAL` (shaders read them next). Front faces,
 * specialization constants, dynamic state and queries are not used. Each
 * compute shader works in groups of 8 × 8.
 *
 * @module
 */

export { columnMesh, type Mesh } from "./column.ts";
export { FRAME_BYTES, type FrameOptions, frameUniforms } from "./frame.ts";
export { FLOATS_PER_COLUMN } from "./instances.ts";
export {
  backdropFrag,
  backdropVert,
  columnFrag,
  columnVert,
  developComp,
  glowComp,
  rockComp,
  shadowVert,
} from "./shaders_gen.ts";
export { worldInstances } from "./world.ts";

/** Pixels rendered for one pixel of the picture, along each side. */
export const OVERSAMPLING = 2;

/** The least and the most texels along a side of the shadow map. */
const SHADOW_SIZES = [256, 2048] as const;

/**
 * Width and height of the shadow map for a picture of some width, in texels: the next power of two, from 256 to 2048. A
 * small picture shows no more of a larger map, which takes longer to draw than the picture itself.
 *
 * @example A small picture and the picture of the demo
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals([64, 640, 1280, 4096].map(shadowSize), [256, 1024, 2048, 2048]);
 * ```
 */
export function shadowSize(width: number): number {
  const [least, most] = SHADOW_SIZES;
  return Math.min(Math.max(2 ** Math.ceil(Math.log2(width)), least), most);
}

/** Width and height of the noise image for a picture of some width, in texels: a quarter of the shadow map's. */
export function rockSize(width: number): number {
  return shadowSize(width) / 4;
}

/** Slope factor of the shadow pass's depth bias. */
export const SHADOW_SLOPE_BIAS = 1.5;

/** Extent of the glow image, in texels, whatever the picture's size. */
export const GLOW_SIZE = { width: 160, height: 90 } as const;

/** Bytes from one vertex to the next. */
export const VERTEX_STRIDE = 32;

/** Bytes from one instance to the next. */
export const INSTANCE_STRIDE = 64;

/**
 * Work groups that cover `width` × `height` texels with groups of 8 × 8.
 *
 * @example The picture of the demo
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(groupsFor(1280, 720), [160, 90, 1]);
 * ```
 */
export function groupsFor(width: number, height: number): [x: number, y: number, z: number] {
  return [Math.ceil(width / 8), Math.ceil(height / 8), 1];
}
