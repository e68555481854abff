/**
 * How many values the queries give for each name, where it isn't one: values,
 * from the state tables of the ES 1.1 and 3.2 specifications. `*` stands for a
 * list of any length.
 */
const TABLE = `
2 0x0B12 GL_SMOOTH_POINT_SIZE_RANGE, GL_POINT_SIZE_RANGE
2 0x0B22 GL_SMOOTH_LINE_WIDTH_RANGE
2 0x0B70 GL_DEPTH_RANGE
2 0x846D GL_ALIASED_POINT_SIZE_RANGE
2 0x846E GL_ALIASED_LINE_WIDTH_RANGE
2 0x0D3A GL_MAX_VIEWPORT_DIMS
2 0x9381 GL_MULTISAMPLE_LINE_WIDTH_RANGE
3 0x0B02 GL_CURRENT_NORMAL
3 0x1204 GL_SPOT_DIRECTION
3 0x8129 GL_POINT_DISTANCE_ATTENUATION
3 0x8267 GL_COMPUTE_WORK_GROUP_SIZE
4 0x0B00 GL_CURRENT_COLOR
4 0x0B03 GL_CURRENT_TEXTURE_COORDS
4 0x0B53 GL_LIGHT_MODEL_AMBIENT
4 0x0B66 GL_FOG_COLOR
4 0x0BA2 GL_VIEWPORT
4 0x0C10 GL_SCISSOR_BOX
4 0x0C22 GL_COLOR_CLEAR_VALUE
4 0x0C23 GL_COLOR_WRITEMASK
4 0x1004 GL_TEXTURE_BORDER_COLOR
4 0x1200 GL_AMBIENT
4 0x1201 GL_DIFFUSE
4 0x1202 GL_SPECULAR
4 0x1203 GL_POSITION
4 0x1600 GL_EMISSION
4 0x2201 GL_TEXTURE_ENV_COLOR
4 0x8005 GL_BLEND_COLOR
4 0x8626 GL_CURRENT_VERTEX_ATTRIB
4 0x8B9D GL_TEXTURE_CROP_RECT_OES
8 0x92BE GL_PRIMITIVE_BOUNDING_BOX
16 0x0BA6 GL_MODELVIEW_MATRIX
16 0x0BA7 GL_PROJECTION_MATRIX
16 0x0BA8 GL_TEXTURE_MATRIX
* 0x86A3 GL_COMPRESSED_TEXTURE_FORMATS
* 0x87FF GL_PROGRAM_BINARY_FORMATS
* 0x8DF8 GL_SHADER_BINARY_FORMATS
* 0x9305 GL_ACTIVE_VARIABLES
`;

let sizes: Map<number, number> | undefined;

/**
 * The number of values that a query of this name gives; 0 for a list of any
 * length; `undefined` for a single value and for unknown names.
 */
export function sizeOfName(pname: number): number | undefined {
  return (sizes ??= parse()).get(pname);
}

function parse(): Map<number, number> {
  const lines = TABLE.trim().split("\n").map((line) => line.split(" "));
  return new Map(lines.map(([size, name]) => [Number(name), size === "*" ? 0 : Number(size)]));
}

/** The names with several values, as literal types. */
export type ManyValued =
  | 0x0B12
  | 0x0B22
  | 0x0B70
  | 0x846D
  | 0x846E
  | 0x0D3A
  | 0x9381
  | 0x0B02
  | 0x1204
  | 0x8129
  | 0x8267
  | 0x0B00
  | 0x0B03
  | 0x0B53
  | 0x0B66
  | 0x0BA2
  | 0x0C10
  | 0x0C22
  | 0x0C23
  | 0x1004
  | 0x1200
  | 0x1201
  | 0x1202
  | 0x1203
  | 0x1600
  | 0x2201
  | 0x8005
  | 0x8626
  | 0x8B9D
  | 0x92BE
  | 0x0BA6
  | 0x0BA7
  | 0x0BA8
  | 0x86A3
  | 0x87FF
  | 0x8DF8;

/** The result of a query for a name: one value, or several values for a name of {@linkcode ManyValued}. */
export type GlQueried<Name extends number, Value> = number extends Name ? Value | Value[]
  : Name extends ManyValued ? Value[]
  : Value;
