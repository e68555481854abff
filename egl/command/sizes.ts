import * as g from "../gen/gl_constants_gen.js";

/**
 * The number of values of each query that has several, from the state tables of
 * the specifications of OpenGL ES 1.1 and 3.2. 0 stands for a list of any length.
 */
const SIZES = {
  GL_SMOOTH_POINT_SIZE_RANGE: 2,
  GL_SMOOTH_LINE_WIDTH_RANGE: 2,
  GL_DEPTH_RANGE: 2,
  GL_ALIASED_POINT_SIZE_RANGE: 2,
  GL_ALIASED_LINE_WIDTH_RANGE: 2,
  GL_MAX_VIEWPORT_DIMS: 2,
  GL_MULTISAMPLE_LINE_WIDTH_RANGE: 2,
  GL_CURRENT_NORMAL: 3,
  GL_SPOT_DIRECTION: 3,
  GL_POINT_DISTANCE_ATTENUATION: 3,
  GL_COMPUTE_WORK_GROUP_SIZE: 3,
  GL_CURRENT_COLOR: 4,
  GL_CURRENT_TEXTURE_COORDS: 4,
  GL_LIGHT_MODEL_AMBIENT: 4,
  GL_FOG_COLOR: 4,
  GL_VIEWPORT: 4,
  GL_SCISSOR_BOX: 4,
  GL_COLOR_CLEAR_VALUE: 4,
  GL_COLOR_WRITEMASK: 4,
  GL_TEXTURE_BORDER_COLOR: 4,
  GL_AMBIENT: 4,
  GL_DIFFUSE: 4,
  GL_SPECULAR: 4,
  GL_POSITION: 4,
  GL_EMISSION: 4,
  GL_TEXTURE_ENV_COLOR: 4,
  GL_BLEND_COLOR: 4,
  GL_CURRENT_VERTEX_ATTRIB: 4,
  GL_TEXTURE_CROP_RECT_OES: 4,
  GL_PRIMITIVE_BOUNDING_BOX: 8,
  GL_MODELVIEW_MATRIX: 16,
  GL_PROJECTION_MATRIX: 16,
  GL_TEXTURE_MATRIX: 16,
  GL_COMPRESSED_TEXTURE_FORMATS: 0,
  GL_PROGRAM_BINARY_FORMATS: 0,
  GL_SHADER_BINARY_FORMATS: 0,
  GL_ACTIVE_VARIABLES: 0,
} as const;

let sizes: Map<number, number> | undefined;

/**
 * The number of values that a query of this name gives; 0 for a list of any
 * length; `undefined` for a single value and for unknown names.
 */
export function sizeOfName(pname: number): number | undefined {
  sizes ??= new Map(Object.entries(SIZES).map(([name, size]) => [g[name as keyof typeof SIZES], size]));
  return sizes.get(pname);
}

/** The names with several values, as literal types. */
export type ManyValued = (typeof g)[keyof typeof SIZES];

/** The result of a query for a name: one value, or several values for a name of {@linkcode ManyValued}. */
export type GlQueried<Name extends number, Value> = number extends Name ? Value | Value[]
  : Name extends ManyValued ? Value[]
  : Value;
