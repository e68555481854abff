import { assert, assertEquals } from "@std/assert";
import { POWER_MODE, VSYNC } from "../../../../hwc/device_types.ts";
import { ERROR } from "../../../../hwc/types.ts";
import { type Cases, NO_DISPLAY, SECOND, type Stage } from "../stage.ts";

const MODES = Object.values(POWER_MODE);

/** Sets a mode; one that dozes may be unsupported, and then has to be. */
async function setMode(stage: Stage, display: bigint, mode: number): Promise<void> {
  const dozes = mode === POWER_MODE.DOZE || mode === POWER_MODE.DOZE_SUSPEND;
  const can = !dozes || await stage.composer.getDozeSupport(display);
  await stage.fails(can ? ERROR.NONE : ERROR.UNSUPPORTED, () => stage.composer.setPowerMode(display, mode));
}

/** Power, vsync and names. */
export const powerCases: Cases = {
  async GET_DOZE_SUPPORT({ composer, displays }) {
    const found = [];
    for (const display of displays) found.push(await composer.getDozeSupport(display));
    assertEquals(found, [true, false]);
  },

  GET_DOZE_SUPPORT_bad_display: (stage) =>
    stage.fails(ERROR.BAD_DISPLAY, () => stage.composer.getDozeSupport(NO_DISPLAY)),

  async SET_POWER_MODE(stage) {
    for (const display of stage.displays) {
      for (const mode of [POWER_MODE.ON, POWER_MODE.OFF]) await stage.composer.setPowerMode(display, mode);
      for (const mode of MODES) await setMode(stage, display, mode);
    }
  },

  async SET_POWER_MODE_bad_display(stage) {
    for (const mode of MODES) await stage.fails(ERROR.BAD_DISPLAY, () => stage.composer.setPowerMode(NO_DISPLAY, mode));
  },

  async SET_POWER_MODE_bad_parameter(stage) {
    for (const mode of [4, 5, -1]) {
      await stage.fails(ERROR.BAD_PARAMETER, () => stage.composer.setPowerMode(stage.display, mode));
    }
  },

  async SET_POWER_MODE_unsupported(stage) {
    const [, plain] = stage.displays;
    for (const mode of [POWER_MODE.DOZE, POWER_MODE.DOZE_SUSPEND]) {
      await stage.fails(ERROR.UNSUPPORTED, () => stage.composer.setPowerMode(plain, mode));
    }
  },

  async SET_POWER_MODE_stress(stage) {
    for (const display of stage.displays) {
      for (let turn = 0; turn < 40; turn++) await setMode(stage, display, MODES[(turn * 7) % MODES.length]);
      await stage.composer.setPowerMode(display, POWER_MODE.OFF);
    }
  },

  async SET_VSYNC_ENABLED(stage) {
    for (const display of stage.displays) {
      await stage.powerOn(display);
      await stage.setVsync(true, display);
      await stage.setVsync(false, display);
    }
  },

  async SET_VSYNC_ENABLED_callback(stage) {
    for (const display of stage.displays) {
      await stage.powerOn(display);
      await stage.setVsync(true, display);
      await stage.passVsyncs(3, display);
      const seen = stage.vsyncs.splice(0);
      await stage.setVsync(false, display);
      assertEquals(seen.map((vsync) => vsync.display), [display, display, display]);
      const period = await stage.composer.getDisplayVsyncPeriod(display);
      assertEquals(seen[1].timestamp - seen[0].timestamp, BigInt(period));
      assertEquals(seen[2].period, period);
    }
  },

  async SET_VSYNC_ENABLED_bad_display(stage) {
    for (const setting of [VSYNC.ENABLE, VSYNC.DISABLE]) {
      await stage.fails(ERROR.BAD_DISPLAY, () => stage.composer.setVsyncEnabled(NO_DISPLAY, setting));
    }
  },

  async SET_VSYNC_ENABLED_bad_parameter(stage) {
    for (const setting of [VSYNC.INVALID, 3, -1]) {
      await stage.fails(ERROR.BAD_PARAMETER, () => stage.composer.setVsyncEnabled(stage.display, setting));
    }
  },

  async SET_VSYNC_ENABLED_stress(stage) {
    await stage.powerOn();
    for (let turn = 0; turn < 50; turn++) await stage.setVsync(turn % 3 !== 0);
    await stage.setVsync(false);
  },

  async SET_VSYNC_ENABLED_no_callback_no_power(stage) {
    await stage.setVsync(true);
    await stage.subject.pass(SECOND / 4n);
    assertEquals(stage.vsyncs, []);
    await stage.powerOn();
    await stage.passVsyncs(2);
    assert(stage.vsyncs.length > 0, "they come once there is power");
  },

  async SET_VSYNC_ENABLED_no_callback(stage) {
    await stage.powerOn();
    await stage.setVsync(true);
    await stage.passVsyncs(2);
    await stage.setVsync(false);
    const seen = stage.vsyncs.length;
    assert(seen > 0);
    await stage.subject.pass(SECOND / 4n);
    assertEquals(stage.vsyncs.length, seen);
  },

  async GET_DISPLAY_NAME({ composer, displays }) {
    const names = [];
    for (const display of displays) names.push(await composer.getDisplayName(display));
    assertEquals(names, ["Rich", "Plain"]);
  },

  GET_DISPLAY_NAME_bad_display: (stage) =>
    stage.fails(ERROR.BAD_DISPLAY, () => stage.composer.getDisplayName(NO_DISPLAY)),
};
