import * as g from "../gen/gl_constants_gen.js";

/** The names of queries with several values, as literal types. */
export type ManyValued =
  | typeof g.GL_SMOOTH_POINT_SIZE_RANGE
  | typeof g.GL_SMOOTH_LINE_WIDTH_RANGE
  | typeof g.GL_DEPTH_RANGE
  | typeof g.GL_ALIASED_POINT_SIZE_RANGE
  | typeof g.GL_ALIASED_LINE_WIDTH_RANGE
  | typeof g.GL_MAX_VIEWPORT_DIMS
  | typeof g.GL_MULTISAMPLE_LINE_WIDTH_RANGE
  | typeof g.GL_CURRENT_NORMAL
  | typeof g.GL_SPOT_DIRECTION
  | typeof g.GL_POINT_DISTANCE_ATTENUATION
  | typeof g.GL_COMPUTE_WORK_GROUP_SIZE
  | typeof g.GL_CURRENT_COLOR
  | typeof g.GL_CURRENT_TEXTURE_COORDS
  | typeof g.GL_LIGHT_MODEL_AMBIENT
  | typeof g.GL_FOG_COLOR
  | typeof g.GL_VIEWPORT
  | typeof g.GL_SCISSOR_BOX
  | typeof g.GL_COLOR_CLEAR_VALUE
  | typeof g.GL_COLOR_WRITEMASK
  | typeof g.GL_TEXTURE_BORDER_COLOR
  | typeof g.GL_AMBIENT
  | typeof g.GL_DIFFUSE
  | typeof g.GL_SPECULAR
  | typeof g.GL_POSITION
  | typeof g.GL_EMISSION
  | typeof g.GL_TEXTURE_ENV_COLOR
  | typeof g.GL_BLEND_COLOR
  | typeof g.GL_CURRENT_VERTEX_ATTRIB
  | typeof g.GL_TEXTURE_CROP_RECT_OES
  | typeof g.GL_PRIMITIVE_BOUNDING_BOX
  | typeof g.GL_MODELVIEW_MATRIX
  | typeof g.GL_PROJECTION_MATRIX
  | typeof g.GL_TEXTURE_MATRIX
  | typeof g.GL_COMPRESSED_TEXTURE_FORMATS
  | typeof g.GL_PROGRAM_BINARY_FORMATS
  | typeof g.GL_SHADER_BINARY_FORMATS
  | typeof g.GL_ACTIVE_VARIABLES;

/**
 * The number of values of each such query, from the state tables of the
 * specifications of OpenGL ES 1.1 and 3.2. 0 stands for a list of any length.
 */
const SIZES: Readonly<Record<ManyValued, number>> = {
  [g.GL_SMOOTH_POINT_SIZE_RANGE]: 2,
  [g.GL_SMOOTH_LINE_WIDTH_RANGE]: 2,
  [g.GL_DEPTH_RANGE]: 2,
  [g.GL_ALIASED_POINT_SIZE_RANGE]: 2,
  [g.GL_ALIASED_LINE_WIDTH_RANGE]: 2,
  [g.GL_MAX_VIEWPORT_DIMS]: 2,
  [g.GL_MULTISAMPLE_LINE_WIDTH_RANGE]: 2,
  [g.GL_CURRENT_NORMAL]: 3,
  [g.GL_SPOT_DIRECTION]: 3,
  [g.GL_POINT_DISTANCE_ATTENUATION]: 3,
  [g.GL_COMPUTE_WORK_GROUP_SIZE]: 3,
  [g.GL_CURRENT_COLOR]: 4,
  [g.GL_CURRENT_TEXTURE_COORDS]: 4,
  [g.GL_LIGHT_MODEL_AMBIENT]: 4,
  [g.GL_FOG_COLOR]: 4,
  [g.GL_VIEWPORT]: 4,
  [g.GL_SCISSOR_BOX]: 4,
  [g.GL_COLOR_CLEAR_VALUE]: 4,
  [g.GL_COLOR_WRITEMASK]: 4,
  [g.GL_TEXTURE_BORDER_COLOR]: 4,
  [g.GL_AMBIENT]: 4,
  [g.GL_DIFFUSE]: 4,
  [g.GL_SPECULAR]: 4,
  [g.GL_POSITION]: 4,
  [g.GL_EMISSION]: 4,
  [g.GL_TEXTURE_ENV_COLOR]: 4,
  [g.GL_BLEND_COLOR]: 4,
  [g.GL_CURRENT_VERTEX_ATTRIB]: 4,
  [g.GL_TEXTURE_CROP_RECT_OES]: 4,
  [g.GL_PRIMITIVE_BOUNDING_BOX]: 8,
  [g.GL_MODELVIEW_MATRIX]: 16,
  [g.GL_PROJECTION_MATRIX]: 16,
  [g.GL_TEXTURE_MATRIX]: 16,
  [g.GL_COMPRESSED_TEXTURE_FORMATS]: 0,
  [g.GL_PROGRAM_BINARY_FORMATS]: 0,
  [g.GL_SHADER_BINARY_FORMATS]: 0,
  [g.GL_ACTIVE_VARIABLES]: 0,
};

/**
 * The number of values that a query of this name gives; 0 for a list of any
 * length; `undefined` for a single value and for unknown names.
 */
export function sizeOfName(pname: number): number | undefined {
  return SIZES[pname as ManyValued];
}

/** The result of a query for a name: one value, or several values for a name of {@linkcode ManyValued}. */
export type GlQueried<Name extends number, Value> = number extends Name ? Value | Value[]
  : Name extends ManyValued ? Value[]
  : Value;
