import type { Cases } from "../stage.ts";
import { colorCases } from "./color_cases.ts";
import { configCases } from "./config_cases.ts";
import { deviceCases } from "./device_cases.ts";
import { frameCases } from "./frame_cases.ts";
import { layerCases } from "./layer_cases.ts";
import { powerCases } from "./power_cases.ts";
import { presentCases } from "./present_cases.ts";
import { virtualCases } from "./virtual_cases.ts";

/** The 164 cases of Hwc2Test, the old suite of the raw interface. */
export const hwc2TestCases: Cases = {
  ...deviceCases,
  ...configCases,
  ...powerCases,
  ...layerCases,
  ...frameCases,
  ...presentCases,
  ...colorCases,
  ...virtualCases,
};
