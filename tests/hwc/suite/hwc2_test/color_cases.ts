import { assert, assertEquals } from "@std/assert";
import { COLOR_MODE, COLOR_TRANSFORM } from "../../../../hwc/device_types.ts";
import { ERROR } from "../../../../hwc/types.ts";
import { type Cases, NO_DISPLAY } from "../stage.ts";

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** Colour modes, HDR, colour transforms. */
export const colorCases: Cases = {
  async GET_COLOR_MODES({ composer, displays }) {
    for (const display of displays) assert((await composer.getColorModes(display)).includes(COLOR_MODE.NATIVE));
    assert((await composer.getColorModes(displays[0])).length > 2);
  },

  GET_COLOR_MODES_bad_display: (stage) =>
    stage.fails(ERROR.BAD_DISPLAY, () => stage.composer.getColorModes(NO_DISPLAY)),

  async SET_COLOR_MODES({ composer, displays }) {
    for (const display of displays) {
      for (const mode of await composer.getColorModes(display)) await composer.setColorMode(display, mode);
    }
  },

  SET_COLOR_MODES_bad_display: (stage) =>
    stage.fails(ERROR.BAD_DISPLAY, () => stage.composer.setColorMode(NO_DISPLAY, COLOR_MODE.NATIVE)),

  async SET_COLOR_MODES_bad_parameter(stage) {
    for (const mode of [-1, 14]) {
      await stage.fails(ERROR.BAD_PARAMETER, () => stage.composer.setColorMode(stage.display, mode));
    }
  },

  async SET_COLOR_MODES_unsupported(stage) {
    for (const display of stage.displays) {
      const known = await stage.composer.getColorModes(display);
      for (let mode = 1; mode <= 9; mode++) {
        const wanted = known.includes(mode) ? ERROR.NONE : ERROR.UNSUPPORTED;
        await stage.fails(wanted, () => stage.composer.setColorMode(display, mode));
      }
    }
  },

  async GET_HDR_CAPABILITIES({ composer, displays }) {
    const [rich, plain] = [
      await composer.getHdrCapabilities(displays[0]),
      await composer.getHdrCapabilities(displays[1]),
    ];
    assertEquals([rich.types.length, plain.types.length], [2, 0]);
    assert(rich.maxLuminance >= rich.maxAverageLuminance && rich.maxAverageLuminance >= rich.minLuminance);
  },

  GET_HDR_CAPABILITIES_bad_display: (stage) =>
    stage.fails(ERROR.BAD_DISPLAY, () => stage.composer.getHdrCapabilities(NO_DISPLAY)),

  async SET_COLOR_TRANSFORM({ composer, displays }) {
    for (const display of displays) await composer.setColorTransform(display, IDENTITY, COLOR_TRANSFORM.IDENTITY);
  },

  SET_COLOR_TRANSFORM_bad_display: (stage) =>
    stage.fails(ERROR.BAD_DISPLAY, () => stage.composer.setColorTransform(NO_DISPLAY, IDENTITY, 0)),

  async SET_COLOR_TRANSFORM_bad_parameter(stage) {
    for (const hint of [-1, 7]) {
      await stage.fails(ERROR.BAD_PARAMETER, () => stage.composer.setColorTransform(stage.display, IDENTITY, hint));
    }
    await stage.fails(ERROR.BAD_PARAMETER, () => stage.composer.setColorTransform(stage.display, [1, 0, 0], 1));
  },

  async SET_COLOR_TRANSFORM_arbitrary_matrix({ composer, displays }) {
    for (const scale of [0, 0.5, 1, 2, -1]) {
      const matrix = IDENTITY.map((value, at) => value * (at < 15 ? scale : 1));
      for (const display of displays) {
        await composer.setColorTransform(display, matrix, COLOR_TRANSFORM.ARBITRARY_MATRIX);
      }
    }
  },
};
