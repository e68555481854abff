import { assert, assertEquals } from "@std/assert";
import { ATTRIBUTE } from "../../../../hwc/device_types.ts";
import { ERROR } from "../../../../hwc/types.ts";
import { type Cases, NO_DISPLAY, type Stage } from "../stage.ts";

const NO_CONFIG = 0xffff;

/** Runs for every display with every config it has. */
export async function eachConfig(stage: Stage, run: (display: bigint, config: number) => unknown): Promise<void> {
  let count = 0;
  for (const display of stage.displays) {
    for (const config of await stage.composer.getDisplayConfigs(display)) {
      await run(display, config);
      count++;
    }
  }
  assert(count > stage.displays.length, "there is a display with several configs");
}

/** Displays' configs. */
export const configCases: Cases = {
  GET_DISPLAY_ATTRIBUTE: (stage) =>
    eachConfig(stage, async (display, config) => {
      for (const attribute of [ATTRIBUTE.WIDTH, ATTRIBUTE.HEIGHT, ATTRIBUTE.VSYNC_PERIOD]) {
        assert(await stage.composer.getDisplayAttribute(display, config, attribute) > 0);
      }
    }),

  GET_DISPLAY_ATTRIBUTE_invalid_attribute: (stage) =>
    eachConfig(stage, async (display, config) => {
      for (const attribute of [ATTRIBUTE.INVALID, 6, 99]) {
        assertEquals(await stage.composer.getDisplayAttribute(display, config, attribute), -1);
      }
    }),

  GET_DISPLAY_ATTRIBUTE_bad_display: (stage) =>
    eachConfig(
      stage,
      (_, config) =>
        stage.fails(ERROR.BAD_DISPLAY, () => stage.composer.getDisplayAttribute(NO_DISPLAY, config, ATTRIBUTE.WIDTH)),
    ),

  async GET_DISPLAY_ATTRIBUTE_bad_config(stage) {
    for (const display of stage.displays) {
      await stage.fails(
        ERROR.BAD_CONFIG,
        () => stage.composer.getDisplayAttribute(display, NO_CONFIG, ATTRIBUTE.WIDTH),
      );
    }
  },

  async GET_DISPLAY_CONFIGS({ composer, displays }) {
    for (const display of displays) assert((await composer.getDisplayConfigs(display)).length > 0);
  },

  GET_DISPLAY_CONFIGS_bad_display: (stage) =>
    stage.fails(ERROR.BAD_DISPLAY, () => stage.composer.getDisplayConfigs(NO_DISPLAY)),

  async GET_DISPLAY_CONFIGS_same({ composer, displays }) {
    for (const display of displays) {
      assertEquals(await composer.getDisplayConfigs(display), await composer.getDisplayConfigs(display));
    }
  },

  async GET_DISPLAY_CONFIGS_duplicate({ composer, displays }) {
    for (const display of displays) {
      const configs = await composer.getDisplayConfigs(display);
      assertEquals(new Set(configs).size, configs.length);
    }
  },

  async GET_ACTIVE_CONFIG({ composer, displays }) {
    for (const display of displays) {
      const configs = await composer.getDisplayConfigs(display);
      assert(configs.includes(await composer.getActiveConfig(display)));
    }
  },

  GET_ACTIVE_CONFIG_bad_display: (stage) =>
    stage.fails(ERROR.BAD_DISPLAY, () => stage.composer.getActiveConfig(NO_DISPLAY)),

  /** Without a config set there is a valid one: a display that is connected has a mode. */
  async GET_ACTIVE_CONFIG_bad_config(stage) {
    for (const display of stage.displays) {
      const config = await stage.composer.getActiveConfig(display);
      assert(await stage.composer.getDisplayAttribute(display, config, ATTRIBUTE.WIDTH) > 0);
    }
  },

  SET_ACTIVE_CONFIG: (stage) =>
    eachConfig(stage, async (display, config) => {
      await stage.composer.setActiveConfig(display, config);
      assertEquals(await stage.composer.getActiveConfig(display), config);
    }),

  SET_ACTIVE_CONFIG_bad_display: (stage) =>
    eachConfig(
      stage,
      (_, config) => stage.fails(ERROR.BAD_DISPLAY, () => stage.composer.setActiveConfig(NO_DISPLAY, config)),
    ),

  async SET_ACTIVE_CONFIG_bad_config(stage) {
    for (const display of stage.displays) {
      for (const config of [NO_CONFIG, 0, -1]) {
        await stage.fails(ERROR.BAD_CONFIG, () => stage.composer.setActiveConfig(display, config));
      }
    }
  },
};
