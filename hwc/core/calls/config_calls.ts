import type { Composer } from "../../composer.ts";
import { ATTRIBUTE } from "../../device_types.ts";
import { ERROR } from "../../types.ts";
import { checkCan } from "./checks.ts";
import { type Device, periodOf } from "../device.ts";
import type { Display } from "../display.ts";
import type { PanelMode } from "../panel/panel.ts";
import { refuse } from "../refusal.ts";

type ConfigCalls = Pick<
  Composer,
  | "getActiveConfig"
  | "getDisplayAttribute"
  | "getDisplayConfigs"
  | "getDisplayConfigurations"
  | "setActiveConfig"
  | "getDisplayVsyncPeriod"
  | "setActiveConfigWithConstraints"
  | "setBootDisplayConfig"
  | "clearBootDisplayConfig"
  | "getPreferredBootDisplayConfig"
  | "setRefreshRateChangedCallbackDebugEnabled"
>;

/** Config numbers begin here, so that none is an index by luck. */
const FIRST_CONFIG = 1;

/** The methods about configs. */
export function configCalls(device: Device): ConfigCalls {
  return {
    getActiveConfig: (display) => device.display(display).activeConfig + FIRST_CONFIG,
    getDisplayAttribute: (display, config, attribute) =>
      attributeOf(modeOf(device.display(display), config), attribute),
    getDisplayConfigs: (display) => device.display(display).modes.map((_, index) => index + FIRST_CONFIG),
    getDisplayConfigurations: (display) =>
      device.display(display).modes.map((mode, index) => ({
        configId: index + FIRST_CONFIG,
        width: mode.width,
        height: mode.height,
        vsyncPeriod: periodOf(mode),
        configGroup: mode.group ?? 0,
        dpi: mode.dpi,
      })),
    setActiveConfig(id, config) {
      const display = device.display(id), index = indexOf(display, config), { physical } = display;
      physical?.configSwitch.cancel();
      if (index === display.activeConfig) return;
      if (physical) device.setConfig(display, physical.timing, index, device.clock.now());
      display.modify();
    },
    getDisplayVsyncPeriod: (display) => periodOf(device.display(display).mode),
    setActiveConfigWithConstraints(id, config, constraints) {
      const display = device.display(id), index = indexOf(display, config), { physical } = display;
      const isSeamless = groupOf(display.modes[index]) === groupOf(display.mode);
      if (constraints.seamlessRequired && !isSeamless) {
        refuse(
          ERROR.SEAMLESS_NOT_ALLOWED,
          `config ${config} is in another group; choose one of the same group, or allow a visible change`,
        );
      }
      const blocked = device.blocked.get(id);
      if (constraints.seamlessRequired && blocked) {
        blocked.refused = true;
        refuse(ERROR.SEAMLESS_NOT_POSSIBLE, "not now; try again after SEAMLESS_POSSIBLE");
      }
      checkCan(physical !== undefined, "change its config: it is virtual");
      return physical!.configSwitch.plan(index, isSeamless, constraints);
    },
    setBootDisplayConfig(id, config) {
      const display = device.display(id), index = indexOf(display, config);
      device.bootConfigs.set(display.panel?.connector ?? -1, index);
    },
    clearBootDisplayConfig: (id) => void device.bootConfigs.delete(device.display(id).panel?.connector ?? -1),
    getPreferredBootDisplayConfig: (id) => (device.display(id), FIRST_CONFIG),
    setRefreshRateChangedCallbackDebugEnabled(id, enabled) {
      device.display(id);
      if (enabled) device.debugRefreshRate.add(id);
      else device.debugRefreshRate.delete(id);
    },
  };
}

function indexOf({ modes }: Display, config: number): number {
  const index = config - FIRST_CONFIG;
  if (Number.isInteger(index) && index >= 0 && index < modes.length) return index;
  return refuse(ERROR.BAD_CONFIG, `there is no config ${config}; give one of getDisplayConfigs()`);
}

function modeOf(display: Display, config: number): PanelMode {
  return display.modes[indexOf(display, config)];
}

function groupOf({ group = 0 }: PanelMode): number {
  return group;
}

const UNKNOWN = -1;

function attributeOf(mode: PanelMode, attribute: number): number {
  switch (attribute) {
    case ATTRIBUTE.WIDTH:
      return mode.width;
    case ATTRIBUTE.HEIGHT:
      return mode.height;
    case ATTRIBUTE.VSYNC_PERIOD:
      return periodOf(mode);
    case ATTRIBUTE.DPI_X:
      return mode.dpi ? Math.round(mode.dpi.x * 1000) : UNKNOWN;
    case ATTRIBUTE.DPI_Y:
      return mode.dpi ? Math.round(mode.dpi.y * 1000) : UNKNOWN;
    case ATTRIBUTE.CONFIG_GROUP:
      return groupOf(mode);
    default:
      return UNKNOWN;
  }
}
