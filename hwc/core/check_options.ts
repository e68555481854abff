import { checkOptions, list, number, object, type OptionRules, text, typed, yesOrNo } from "../../ffi/check_options.ts";
import type { ReferenceComposerOptions } from "./options.ts";
import type { PanelMode, PanelOptions } from "./panel/panel.ts";

const PLANES = object("a plane model, such as fourPlane()");
const STRATEGY = object("a strategy, such as leastGpuWork()");

const COMPOSER: OptionRules<ReferenceComposerOptions> = {
  panels: list("a list of panels", object("an object that describes a panel")),
  planes: PLANES,
  strategy: STRATEGY,
  compositor: typed("a function, such as the `compose` of a backend", "function"),
  clock: object("a clock, such as systemClock()"),
  virtualDisplays: object("an object of count, maxWidth, maxHeight and planes"),
  skipValidate: yesOrNo,
  sideband: yesOrNo,
  flattenAfter: number,
  fenceTimeout: number,
  maxLayers: number,
  genericMetadataKeys: list("a list of keys", object("an object of key and mandatory")),
  lenientPresent: yesOrNo,
  bootConfigs: object("a Map"),
};

const VIRTUAL: OptionRules<NonNullable<ReferenceComposerOptions["virtualDisplays"]>> = {
  count: number,
  maxWidth: number,
  maxHeight: number,
  planes: PLANES,
};

const PANEL: OptionRules<PanelOptions> = {
  connection: typed('"internal" or "external"', "string"),
  name: text("a name"),
  connector: number,
  modes: list("a list of modes", object("an object of width, height and refreshRate")),
  edid: (value) => value === null || value instanceof Uint8Array ? undefined : "a Uint8Array, or null for none",
  colorModes: object("an object of render intents by colour mode"),
  hdr: object("an object of types and luminances"),
  doze: yesOrNo,
  brightness: yesOrNo,
  contentTypes: list("a list of CONTENT_TYPE values", number),
  autoLowLatency: yesOrNo,
  readback: yesOrNo,
  contentSampling: yesOrNo,
  orientation: number,
  refreshToSwitch: yesOrNo,
  planes: PLANES,
  strategy: STRATEGY,
};

const MODE: OptionRules<PanelMode> = {
  width: number,
  height: number,
  refreshRate: number,
  group: number,
  dpi: object("an object of x and y"),
};

/** Checks what `createReferenceComposer` was told. Throws a `TypeError` about the first option that makes no sense. */
export function checkComposerOptions(options: ReferenceComposerOptions): void {
  checkOptions("createReferenceComposer()", options, COMPOSER);
  if (options.virtualDisplays) checkOptions("virtualDisplays", options.virtualDisplays, VIRTUAL);
}

/** The same for a panel. */
export function checkPanelOptions(options: PanelOptions): void {
  checkOptions("a panel", options, PANEL);
  for (const mode of options.modes ?? []) checkOptions("a panel's mode", mode, MODE);
}
