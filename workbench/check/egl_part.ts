import { checkEgl, describeEgl, type EglReport } from "./mod.ts";
import { EglError } from "../../egl/mod.ts";
import { DriverError } from "../../loader/mod.ts";
import type { PartReport } from "./report.ts";
import type { CheckRequest } from "./check_request.ts";

/** Checks the EGL driver. */
export function eglPart(request: CheckRequest): { part: PartReport; report?: EglReport } {
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
export function glesVersionOf(request: CheckRequest): number {
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
