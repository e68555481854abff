import { PLANE_MODELS } from "../../hwc/mod.ts";
import type { Verdict } from "../../loader/requirements/verdict.ts";
import { composerPart } from "./composer_part.ts";
import { claimedLevel, declarationsOf, treeOf, treePart, written } from "./device_tree.ts";
import { eglPart, glesVersionOf } from "./egl_part.ts";
import { type CheckReport, checkReport } from "./report.ts";
import type { CheckRequest } from "./check_request.ts";
import { vulkanPart } from "./vulkan/part.ts";

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
