import { checkOptions } from "../../ffi/check_options.ts";
import type { DeviceDeclarations } from "../../loader/requirements/device_tree.ts";
import { byNumber, failed, judgeInTurn } from "../../loader/requirements/requirement.ts";
import { type Outcome, type Verdict, verdictOf } from "../../loader/requirements/verdict.ts";
import { WsiError } from "../../wsi/error.ts";
import type { AsyncComposer } from "../composer.ts";
import { COLOR_MODE } from "../device_types.ts";
import { HwcError } from "../hwc_error.ts";
import type { Probe } from "./probe.ts";
import { DISPLAY_PROBES, VIRTUAL_PROBES } from "./probes/displays.ts";
import { FENCE_PROBES } from "./probes/fences.ts";
import { FORMAT_PROBES } from "./probes/formats.ts";
import { FRAME_PROBES } from "./probes/frames.ts";
import { LAYER_PROBES } from "./probes/layers.ts";
import { PROTECTED_PROBES } from "./probes/protected.ts";
import { SCENE_PROBES } from "./probes/scenes.ts";
import { TILE_PROBES } from "./probes/tiles.ts";
import { COMPOSER_CHECK_RULES, type ComposerCheckOptions, ComposerSession } from "./session.ts";

/** The result of a composer's check. Members are only ever added. */
export interface ComposerReport {
  /** The name of the first display; `""` without one. */
  readonly display: string;
  /** Width of the first display in pixels. */
  readonly width: number;
  /** Height of the first display in pixels. */
  readonly height: number;
  /** Number of displays that the composer reported. */
  readonly displays: number;
  /** COLOR_MODE values of the first display. */
  readonly colorModes: readonly number[];
  /** `android_hdr_t` values of the first display. */
  readonly hdrTypes: readonly number[];
  /** One verdict for each requirement, S1 to S43, in order. */
  readonly verdicts: readonly Verdict[];
}

type Described = Omit<ComposerReport, "verdicts">;

const PROBES: readonly Probe[] = [
  ...DISPLAY_PROBES,
  ...LAYER_PROBES,
  ...PROTECTED_PROBES,
  ...FORMAT_PROBES,
  ...TILE_PROBES,
  ...SCENE_PROBES,
  ...FRAME_PROBES,
  ...VIRTUAL_PROBES,
  ...FENCE_PROBES,
];

/**
 * Checks whether a hardware composer meets Android's requirements S1 to S43, as far as a client can tell. The check
 * works on the first display with real buffers and frames, and reads the pixels back if the composer can. The composer
 * must be new, without another client. The caller keeps and closes the composer.
 *
 * @example The composer of a script, on its own clock
 * ```ts ignore
 * import { checkComposer } from "@pumice/gfx/check";
 * import { createReferenceComposer, eightPlane } from "@pumice/gfx/hwc";
 *
 * using composer = createReferenceComposer({ planes: eightPlane() });
 * for (const { id, status, found } of (await checkComposer(composer)).verdicts) console.log(id, status, found);
 * ```
 */
export async function checkComposer(
  composer: AsyncComposer,
  options: ComposerCheckOptions = {},
): Promise<ComposerReport> {
  checkOptions("checkComposer()", options, COMPOSER_CHECK_RULES);
  const session = new ComposerSession(composer, options), { own = "driver" } = options;
  try {
    await session.open();
    if (session.displays.length === 0) return withoutDisplay(own);
    const attempt = (_: Probe, check: () => Outcome | Promise<Outcome>) => tidily(session, check);
    const verdicts = await judgeInTurn(PROBES, [session], { own, attempt });
    return { ...await describe(session), verdicts: byNumber(verdicts) };
  } finally {
    await session.close();
  }
}

/** Runs a check that fails if the composer refuses a call, and cleans the display afterwards. */
async function tidily(session: ComposerSession, check: () => Outcome | Promise<Outcome>): Promise<Outcome> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof HwcError || error instanceof WsiError) return failed(error.message);
    throw error;
  } finally {
    await session.clear();
  }
}

/** A call refused here has a verdict of its own. */
async function describe({ composer, display, displays, screen }: ComposerSession): Promise<Described> {
  return {
    display: await orElse("", () => composer.getDisplayName(display)),
    width: screen.right,
    height: screen.bottom,
    displays: displays.length,
    colorModes: await orElse([], () => composer.getColorModes(display)),
    hdrTypes: await orElse([], async () => (await composer.getHdrCapabilities(display)).types),
  };
}

async function orElse<Value>(otherwise: Value, ask: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof HwcError) return otherwise;
    throw error;
  }
}

/** Without a display nothing else can be asked. */
function withoutDisplay(own: Verdict["own"]): ComposerReport {
  const rule = DISPLAY_PROBES.find(({ id }) => id === "S20")!;
  const verdict = verdictOf(rule, { status: "fail", found: "no display was told of", own, advice: rule.advice });
  return { display: "", width: 0, height: 0, displays: 0, colorModes: [], hdrTypes: [], verdicts: [verdict] };
}

/** Colour modes with more colours than sRGB. */
const WIDE: readonly number[] = [
  COLOR_MODE.DCI_P3,
  COLOR_MODE.ADOBE_RGB,
  COLOR_MODE.DISPLAY_P3,
  COLOR_MODE.BT2020,
  COLOR_MODE.BT2100_PQ,
  COLOR_MODE.BT2100_HLG,
  COLOR_MODE.DISPLAY_BT2020,
];

/**
 * Returns the properties with which a device tree tells SurfaceFlinger whether a composer's first display has wide
 * colours and HDR.
 *
 * @example
 * ```ts ignore
 * import { checkComposer, declaredDisplay } from "@pumice/gfx/check";
 * import { assertEquals } from "@std/assert";
 * import { createReferenceComposer } from "@pumice/gfx/hwc";
 *
 * const report = await checkComposer(createReferenceComposer());
 * console.log(declaredDisplay(report).properties);
 * ```
 */
export function declaredDisplay({ colorModes, hdrTypes }: ComposerReport): DeviceDeclarations {
  const properties = {
    "ro.surface_flinger.has_wide_color_display": `${colorModes.some((mode) => WIDE.includes(mode))}`,
    "ro.surface_flinger.has_HDR_display": `${hdrTypes.length > 0}`,
  };
  return { features: [], withheld: [], properties };
}
