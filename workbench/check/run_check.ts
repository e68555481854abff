import { EglError } from "../../egl/error.ts";
import { NativeError } from "../../ffi/error.ts";
import { createKmsComposer } from "../../hwc/kms/create_kms_composer.ts";
import { createReferenceComposer } from "../../hwc/simulated/reference_composer.ts";
import { HwcError } from "../../hwc/hwc_error.ts";
import { KmsError } from "../../hwc/kms/kms_error.ts";
import { openHwc2 } from "../../hwc/hwc2/open.ts";
import { PLANE_MODELS } from "../../hwc/planes/models.ts";
import { DriverError } from "../../loader/error.ts";
import type { Verdict } from "../../loader/requirements/verdict.ts";
import { binderPlace } from "../process/binder.ts";
import { kmsCard } from "../process/card.ts";
import { type CheckReport, checkReport, type CheckRequest, type PartReport } from "./report.ts";
import { claimedLevel, declarationsOf, treeOf, treePart, written } from "./device_tree.ts";
import { checkComposer, type ComposerReport } from "../../hwc/requirements/check_composer.ts";
import { checkEgl, describeEgl, type EglReport } from "../../egl/requirements/check_egl.ts";
import { vulkanPart } from "./vulkan/part.ts";

// Loaded when it is needed: cli/commands.ts says why "as string".
type OverBinderModule = typeof import("../../hwc/binder/over_binder.ts");

const GLES_LEVEL = "android.software.opengles.deqp.level";

/**
 * Checks all requested parts, compares a device tree, and writes one. `tell` gets each verdict as soon as it is known.
 */
export async function runCheck(
  request: CheckRequest,
  tell: (verdict: Verdict) => void = () => {},
): Promise<CheckReport> {
  const { only, release, emit, verify } = request, claims = verify === undefined ? undefined : treeOf(verify);
  const egl = only.has("egl") ? eglPart(request) : undefined;
  const gles = () => egl?.report?.glesVersion ?? glesVersionOf(request);
  const vulkan = only.has("vulkan") ? await vulkanPart(request, gles(), claims, tell) : undefined;
  const composer = only.has("composer") ? await composerPart(request) : undefined;
  const display = request.composer !== undefined && request.composer in PLANE_MODELS ? undefined : composer?.report;
  const earned = declarationsOf(
    vulkan?.report,
    egl?.report,
    display,
    request.glesDeqpLevel ?? claimedLevel(claims, GLES_LEVEL),
  );
  const parts = [vulkan, egl, composer].filter((each) => each !== undefined).map(({ part }) => part);
  if (claims) parts.push(treePart(verify!, claims, earned));
  return checkReport(release, parts, emit === undefined ? undefined : written(emit, earned, release));
}

/** A small panel and a fast one, since the check is about the planes. */
const PANELS = [{ modes: [{ width: 320, height: 180, refreshRate: 240 }] }];

/** Checks the hardware composer: a library behind hwcomposer2.h, or the reference composer with a model of planes. */
async function composerPart(request: CheckRequest): Promise<{ part: PartReport; report?: ComposerReport }> {
  const name = request.composer ?? (Deno.build.os === "android" ? "hwcomposer" : undefined);
  const isNamed = request.isChosen || request.composer !== undefined;
  const base = { part: "composer" as const, isNamed };
  if (name === undefined) return { part: { ...base, subject: "", notRun: NONE, verdicts: [] } };
  try {
    const report = await (Object.hasOwn(PLANE_MODELS, name) ? onModel(name) : onDevice(name, request));
    const subject = `${name} · ${report.display}, ${report.width} × ${report.height}`;
    return { part: { ...base, subject, verdicts: report.verdicts }, report };
  } catch (error) {
    if (!(error instanceof NativeError || error instanceof HwcError || error instanceof KmsError)) throw error;
    return { part: { ...base, subject: name, notRun: error.message, verdicts: [] } };
  }
}

const NONE =
  `no composer is named; give --composer with a library such as hwcomposer.soc.so, kms for a card, binder:SERVICE, ` +
  `or one of the models ${Object.keys(PLANE_MODELS).join(", ")}`;

async function onModel(name: string): Promise<ComposerReport> {
  using composer = createReferenceComposer({ planes: PLANE_MODELS[name](), panels: PANELS, flattenAfter: 0 });
  return await checkComposer(composer, { own: "provided" });
}

async function onDevice(
  name: string,
  { options: { root, systemProperties } }: CheckRequest,
): Promise<ComposerReport> {
  const card = kmsCard("--composer", name);
  if (card) {
    using composer = createKmsComposer({ card, flattenAfter: 0 });
    return await checkComposer(composer, { own: "provided" });
  }
  const place = binderPlace("--composer", name);
  if (place) {
    const { connectOverBinder } = await import("../../hwc/binder/over_binder.ts" as string) as OverBinderModule;
    await using composer = await connectOverBinder(place);
    return await checkComposer(composer);
  }
  await using composer = openHwc2(pathOf(name), { root, systemProperties });
  return await checkComposer(composer);
}

/** Adds a slash to the name of a file, which would otherwise be a module's name. */
function pathOf(name: string): string {
  return name.endsWith(".so") && !name.includes("/") ? `./${name}` : name;
}

/** Checks the EGL driver. */
function eglPart(request: CheckRequest): { part: PartReport; report?: EglReport } {
  const isNamed = request.isChosen || request.eglDriver !== undefined;
  try {
    const report = checkEgl({ ...optionsOf(request), contexts: request.contexts }),
      { driver, display, verdicts } = report;
    const about = display?.context ? ` · ${display.context.renderer}, ${display.context.version}` : "";
    return { part: { part: "egl", subject: driver + about, isNamed, verdicts }, report };
  } catch (error) {
    if (!(error instanceof DriverError || error instanceof EglError)) throw error;
    return { part: { part: "egl", subject: "", notRun: error.message, isNamed, verdicts: [] } };
  }
}

/** The OpenGL ES version of the EGL driver, `major << 16 | minor`; 0 if there is none. */
function glesVersionOf(request: CheckRequest): number {
  try {
    return describeEgl(optionsOf(request))?.glesVersion ?? 0;
  } catch (error) {
    if (error instanceof DriverError || error instanceof EglError) return 0;
    throw error;
  }
}

function optionsOf({ options: { platform, root, systemProperties }, eglDriver }: CheckRequest) {
  return { driver: eglDriver ?? "auto", platform, root, systemProperties };
}
