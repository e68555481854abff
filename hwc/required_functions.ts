/** The functions of hwcomposer2.h that every device must have: the descriptor number by name (Hwc2Test's list). */
const REQUIRED: Readonly<Record<string, number>> = {
  ACCEPT_DISPLAY_CHANGES: 1,
  CREATE_LAYER: 2,
  CREATE_VIRTUAL_DISPLAY: 3,
  DESTROY_LAYER: 4,
  DESTROY_VIRTUAL_DISPLAY: 5,
  DUMP: 6,
  GET_ACTIVE_CONFIG: 7,
  GET_CHANGED_COMPOSITION_TYPES: 8,
  GET_CLIENT_TARGET_SUPPORT: 9,
  GET_COLOR_MODES: 10,
  GET_DISPLAY_ATTRIBUTE: 11,
  GET_DISPLAY_CONFIGS: 12,
  GET_DISPLAY_NAME: 13,
  GET_DISPLAY_REQUESTS: 14,
  GET_DISPLAY_TYPE: 15,
  GET_DOZE_SUPPORT: 16,
  GET_HDR_CAPABILITIES: 17,
  GET_MAX_VIRTUAL_DISPLAY_COUNT: 18,
  GET_RELEASE_FENCES: 19,
  PRESENT_DISPLAY: 20,
  REGISTER_CALLBACK: 21,
  SET_ACTIVE_CONFIG: 22,
  SET_CLIENT_TARGET: 23,
  SET_COLOR_MODE: 24,
  SET_COLOR_TRANSFORM: 25,
  SET_CURSOR_POSITION: 26,
  SET_LAYER_BLEND_MODE: 27,
  SET_LAYER_BUFFER: 28,
  SET_LAYER_COLOR: 29,
  SET_LAYER_COMPOSITION_TYPE: 30,
  SET_LAYER_DATASPACE: 31,
  SET_LAYER_DISPLAY_FRAME: 32,
  SET_LAYER_PLANE_ALPHA: 33,
  SET_LAYER_SOURCE_CROP: 35,
  SET_LAYER_SURFACE_DAMAGE: 36,
  SET_LAYER_TRANSFORM: 37,
  SET_LAYER_VISIBLE_REGION: 38,
  SET_LAYER_Z_ORDER: 39,
  SET_OUTPUT_BUFFER: 40,
  SET_POWER_MODE: 41,
  SET_VSYNC_ENABLED: 42,
  VALIDATE_DISPLAY: 43,
};

/**
 * Returns the required functions that a hwcomposer2 device lacks. `has` is called with each HWC2_FUNCTION descriptor,
 * like getFunction.
 *
 * @example
 * ```ts
 * import { missingFunctions } from "@pumice/gfx/hwc";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(missingFunctions((descriptor) => descriptor !== 43), ["VALIDATE_DISPLAY"]);
 * ```
 */
export function missingFunctions(has: (descriptor: number) => boolean): string[] {
  return Object.entries(REQUIRED).filter(([, descriptor]) => !has(descriptor)).map(([name]) => name);
}
