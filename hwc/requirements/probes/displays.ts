import { failed, inapplicable, passed, unless } from "../../../loader/requirements/requirement.ts";
import type { Outcome } from "../../../loader/requirements/verdict.ts";
import { ATTRIBUTE, COLOR_MODE, CONNECTION_TYPE, DISPLAY_TYPE, POWER_MODE } from "../../device_types.ts";
import { sendCollected } from "../../composer.ts";
import { functionDescriptor, missingFunctions } from "../../function_names.ts";
import { hwcErrorName } from "../../hwc_error.ts";
import { ERROR, FORMAT } from "../../types.ts";
import { putLayers, validate } from "../frame.ts";
import { isNear, paint, pixelOf, type Rgb } from "../paint.ts";
import { GUIDE, type Probe, VTS } from "../probe.ts";
import { type ComposerSession, errorOf } from "../session.ts";

const NO_DISPLAY = 0xdead_beef_0000_0001n;

/** S13 and S15 to S20, S28 to S30: functions, handles and displays. */
export const DISPLAY_PROBES: readonly Probe[] = [
  {
    id: "S17",
    rule: "composer.functions.required",
    requirement: "getFunction() has every function that hwcomposer2.h requires.",
    source: `${GUIDE}; hwcomposer2.h`,
    advice: "implement the functions that are missing; Android's loader refuses a device without them",
    check: requiredFunctions,
  },
  {
    id: "S13",
    rule: "composer.handles.checked",
    requirement: "Displays and layers are handles of the composer, which knows its own and refuses others.",
    source: `${GUIDE}; ${VTS}#CREATE_LAYER_BAD_DISPLAY`,
    advice: "end calls with BAD_DISPLAY for an unknown display, and with BAD_LAYER for an unknown layer",
    check: checkedHandles,
  },
  {
    id: "S20",
    rule: "composer.hotplug.at-once",
    requirement: "Displays appear by hotplug, connected ones as soon as a listener is registered.",
    source: GUIDE,
    advice: "call HOTPLUG for every connected display within registerCallback()",
    check: ({ toldAtOnce, displays }) =>
      toldAtOnce
        ? passed(`${displays.length} ${displays.length === 1 ? "display was" : "displays were"} reported at once`)
        : failed("the first display came after registerCallback() had returned"),
  },
  {
    id: "S29",
    rule: "composer.display.internal-first",
    requirement: "There is exactly one internal display, and it is the first that is reported.",
    source: `${GUIDE}; ${VTS}#GetDisplayConnectionType`,
    advice: "report the built-in panel first, and all others as external",
    check: internalFirst,
  },
  {
    id: "S16",
    rule: "composer.display.configs",
    requirement: "A display lists its configs with size and vsync period, and switches between them.",
    source: `${GUIDE}; ${VTS}#GetDisplayConfigs`,
    advice: "give every config a size and a period, and have setActiveConfig() take each",
    check: configs,
  },
  {
    id: "S16",
    rule: "composer.display.color-modes",
    requirement: "A display lists its colour modes, NATIVE among them, and switches between them.",
    source: `${GUIDE}; ${VTS}#GetColorModes`,
    advice: "have getColorModes() list NATIVE, and setColorMode() take each that is listed and no other",
    check: colorModes,
  },
  {
    id: "S16",
    rule: "composer.display.power",
    requirement: "A display can be turned on, off, and to low power if it supports that.",
    source: `${GUIDE}; ${VTS}#SetPowerMode`,
    advice: "take OFF and ON; take DOZE if getDozeSupport() says so, else end with UNSUPPORTED",
    check: powerModes,
  },
  {
    id: "S16",
    rule: "composer.display.client-target",
    requirement: "A client target of the display's size in RGBA_8888 can be shown.",
    source: `${GUIDE}; ${VTS}#GetClientTargetSupport`,
    advice: "have getClientTargetSupport() answer NONE for the size of the active config and RGBA_8888",
    check: async ({ composer, display, screen: { right, bottom } }) => {
      const code = await errorOf(() => composer.getClientTargetSupport(display, right, bottom, FORMAT.RGBA_8888, 0));
      return code === ERROR.NONE ? passed(`${right} by ${bottom}`) : failed(`it ends with ${hwcErrorName(code)}`);
    },
  },
];

async function requiredFunctions({ composer }: ComposerSession): Promise<Outcome> {
  const there = new Set<number>();
  for (const descriptor of Array.from({ length: 43 }, (_, index) => index + 1)) {
    if (await composer.getFunction(descriptor) !== undefined) there.add(descriptor);
  }
  const missing = missingFunctions((descriptor) => there.has(descriptor));
  return missing.length > 0 ? failed(`missing: ${missing.join(", ")}`) : passed("all 42 are there");
}

async function checkedHandles(session: ComposerSession): Promise<Outcome> {
  const { composer, display } = session, layer = await session.createLayer();
  const calls: readonly (readonly [what: string, code: number, call: () => unknown])[] = [
    ["createLayer() on no display", ERROR.BAD_DISPLAY, () => composer.createLayer(NO_DISPLAY)],
    ["validateDisplay() of no display", ERROR.BAD_DISPLAY, () => composer.validateDisplay(NO_DISPLAY)],
    ["setLayerZOrder() of no layer", ERROR.BAD_LAYER, async () => {
      await composer.setLayerZOrder(display, layer + 1n, 1);
      await sendCollected(composer);
    }],
    ["destroyLayer() of no layer", ERROR.BAD_LAYER, () => composer.destroyLayer(display, layer + 1n)],
  ];
  for (const [what, wanted, call] of calls) {
    const code = await errorOf(call);
    if (code !== wanted) return failed(`${what} ends with ${hwcErrorName(code)} instead of ${hwcErrorName(wanted)}`);
  }
  return passed(`${calls.length} calls with unknown handles were refused`);
}

async function internalFirst({ composer, displays }: ComposerSession): Promise<Outcome> {
  const descriptor = functionDescriptor("getDisplayConnectionType")!;
  for (const display of displays) {
    const type = await composer.getDisplayType(display);
    if (type !== DISPLAY_TYPE.PHYSICAL) return failed(`a display that was plugged is of type ${type}`);
  }
  const found = `${displays.length} physical, the first is the internal one`;
  if (await composer.getFunction(descriptor) === undefined) return passed(`${found} by its place`);
  const internal: bigint[] = [];
  for (const display of displays) {
    if (await composer.getDisplayConnectionType(display) === CONNECTION_TYPE.INTERNAL) internal.push(display);
  }
  if (internal.length === 1 && internal[0] === displays[0]) return passed(found);
  return failed(`${internal.length} are internal, and the first is ${internal[0] === displays[0] ? "one" : "none"}`);
}

async function configs(session: ComposerSession): Promise<Outcome> {
  const { composer, display } = session, active = await composer.getActiveConfig(display);
  const all = await composer.getDisplayConfigs(display), wrong: string[] = [];
  if (!all.includes(active)) wrong.push(`the active config ${active} is not among them`);
  for (const config of all) {
    for (const name of ["WIDTH", "HEIGHT", "VSYNC_PERIOD"] as const) {
      const value = await composer.getDisplayAttribute(display, config, ATTRIBUTE[name]);
      if (value <= 0) wrong.push(`${name} of config ${config} is ${value}`);
    }
    await composer.setActiveConfig(display, config);
    if (await composer.getActiveConfig(display) !== config) wrong.push(`config ${config} is not taken`);
  }
  await composer.setActiveConfig(display, active);
  return unless(wrong.join("; "), `${all.length}, each taken`);
}

async function colorModes({ composer, display }: ComposerSession): Promise<Outcome> {
  const modes = await composer.getColorModes(display), wrong: string[] = [];
  if (!modes.includes(COLOR_MODE.NATIVE)) wrong.push("NATIVE is not among them");
  for (const mode of modes) {
    const code = await errorOf(() => composer.setColorMode(display, mode));
    if (code !== ERROR.NONE) wrong.push(`mode ${mode} ends with ${hwcErrorName(code)}`);
  }
  if (await errorOf(() => composer.setColorMode(display, -1)) === ERROR.NONE) wrong.push("mode -1 is taken");
  await composer.setColorMode(display, COLOR_MODE.NATIVE);
  return unless(wrong.join("; "), `${modes.length}, each taken`);
}

async function powerModes({ composer, display }: ComposerSession): Promise<Outcome> {
  const canDoze = await composer.getDozeSupport(display), wrong: string[] = [];
  const modes = [["OFF", ERROR.NONE], ["DOZE", canDoze ? ERROR.NONE : ERROR.UNSUPPORTED], ["ON", ERROR.NONE]] as const;
  for (const [name, wanted] of modes) {
    const code = await errorOf(() => composer.setPowerMode(display, POWER_MODE[name]));
    if (code !== wanted) wrong.push(`${name} ends with ${hwcErrorName(code)} instead of ${hwcErrorName(wanted)}`);
  }
  if (wrong.length > 0) await errorOf(() => composer.setPowerMode(display, POWER_MODE.ON));
  return unless(wrong.join("; "), `on and off${canDoze ? ", and low power" : "; it has no low power"}`);
}

const BLUE: Rgb = [0, 0, 255], NONE = "it makes no virtual displays, and says so; the client composes them";

/** S21, S34 and S38: displays that write to buffers. */
export const VIRTUAL_PROBES: readonly Probe[] = [
  {
    id: "S21",
    rule: "composer.virtual.made",
    requirement: "Virtual displays are made up to the device's limit, and then refused, so that the client composes.",
    source: `${GUIDE}; ${VTS}#CreateVirtualDisplay`,
    advice: "make as many as getMaxVirtualDisplayCount() says, and end further calls with NO_RESOURCES",
    check: made,
  },
  {
    id: "S34",
    rule: "composer.virtual.output",
    requirement: "A virtual display's frame is written to its output buffer, and a fence says when.",
    source: `${GUIDE}; ${VTS}#SetOutputBuffer`,
    advice: "write all layers into the output buffer, and signal the present fence when they are written",
    check: output,
  },
];

async function made({ composer, screen }: ComposerSession): Promise<Outcome> {
  const most = await composer.getMaxVirtualDisplayCount(), displays: bigint[] = [];
  try {
    const make = async () => {
      const { display } = await composer.createVirtualDisplay(screen.right, screen.bottom, FORMAT.RGBA_8888);
      displays.push(display);
    };
    for (let count = 0; count < most; count++) await make();
    const code = await errorOf(make);
    const isRefused = code === ERROR.NO_RESOURCES || (most === 0 && code === ERROR.UNSUPPORTED);
    if (!isRefused) return failed(`one more than ${most} ends with ${hwcErrorName(code)}`);
    return most === 0 ? inapplicable(NONE) : passed(`${most} were made, one more was refused`);
  } finally {
    for (const display of displays) await composer.destroyVirtualDisplay(display);
  }
}

async function output(session: ComposerSession): Promise<Outcome> {
  const { composer, screen: { right, bottom } } = session;
  if (await composer.getMaxVirtualDisplayCount() === 0) return inapplicable(NONE);
  const { display, format } = await composer.createVirtualDisplay(right, bottom, FORMAT.RGBA_8888);
  try {
    if (format !== FORMAT.RGBA_8888) return inapplicable(`it wants buffers of format ${format}, which is not judged`);
    const into = session.allocate();
    await putLayers(session, [{ buffer: paint(session.allocate(), BLUE) }], display);
    await composer.setOutputBuffer(display, into, null);
    if (await validate(session, display) > 0) return failed("its only layer is left to the client");
    if (!await session.signals(await composer.presentDisplay(display))) return failed("it is never written");
    const seen = pixelOf(into, 1, 1);
    return isNear(seen, BLUE) ? passed("a layer was written") : failed(`blue is written as ${seen.join()}`);
  } finally {
    await session.clear();
    await composer.destroyVirtualDisplay(display);
  }
}
