import { NativeError } from "../../ffi/error.ts";
import {
  createKmsComposer,
  createReferenceComposer,
  HwcError,
  KmsError,
  openHwc2,
  PLANE_MODELS,
} from "../../hwc/mod.ts";
import { checkComposer, type ComposerReport } from "./mod.ts";
import { kmsCard } from "../process/card.ts";
import type { PartReport } from "./report.ts";
import type { CheckRequest } from "./check_request.ts";

/** A small panel and a fast one, since the check is about the planes. */
const PANELS = [{ modes: [{ width: 320, height: 180, refreshRate: 240 }] }];

/** Checks the hardware composer: a library behind hwcomposer2.h, or the reference composer with a model of planes. */
export async function composerPart(request: CheckRequest): Promise<{ part: PartReport; report?: ComposerReport }> {
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

const NONE = `no composer is named; give --composer with a library such as hwcomposer.soc.so, kms for a card, ` +
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
  await using composer = openHwc2(pathOf(name), { root, systemProperties });
  return await checkComposer(composer);
}

/** Adds a slash to the name of a file, which would otherwise be a module's name. */
function pathOf(name: string): string {
  return name.endsWith(".so") && !name.includes("/") ? `./${name}` : name;
}
