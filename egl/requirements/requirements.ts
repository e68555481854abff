import { checkOptions, number, type OptionRules } from "../../ffi/check_options.ts";
import type { Egl } from "../api/egl.ts";
import { contextRows } from "./contexts.ts";
import { extensionRows } from "./extensions.ts";
import { formatRows } from "./formats.ts";
import { layerRows } from "./layers.ts";
import { type EglRequirement, GUIDE, row, type Rule } from "./requirement.ts";
import { robustnessRows } from "./robustness.ts";
import { Session } from "./session.ts";
import { versionRows } from "./versions.ts";
import { scopeOf } from "../api/scope.ts";

/** What `eglRequirements` can be told. */
export interface EglRequirementOptions {
  /** How many contexts are tried, as far as there is memory for them. Default 1000. */
  readonly contexts?: number;
}

const RULES: OptionRules<EglRequirementOptions> = {
  contexts: number,
};

/**
 * Android's requirements for EGL and OpenGL ES, GL1 to GL16, in order, and what
 * came of each on a loader's driver: it is tried, with contexts on the default
 * display. What is current is so again afterwards.
 *
 * @throws {EglError} when the default display cannot be initialized.
 */
export function eglRequirements(egl: Egl, options: EglRequirementOptions = {}): EglRequirement[] {
  checkOptions("eglRequirements()", options, RULES);
  const { contexts = 1000 } = options;
  using session = new Session(egl);
  const rows = [
    ...contextRows(session, contexts), // first, for what others used before would not count
    ...versionRows(session),
    ...robustnessRows(session),
    ...formatRows(session),
    ...extensionRows(session),
    ...fileRows(egl),
    ...layerRows(session),
  ];
  return rows.sort((one, other) => Number(one.id.slice(2)) - Number(other.id.slice(2)));
}

const FOLDERS = /^.*\/vendor\/lib(64)?\/egl\//;
const ONE = /^libGLES(_[^/]+)?\.so$/, THREE = /^lib(?:EGL|GLESv1_CM|GLESv2)((?:_[^/]+)?)\.so$/;
const PLACE: Rule = {
  id: "GL8",
  rule: "egl.files.folder",
  requirement:
    "The driver is in /vendor/lib64/egl or /vendor/lib/egl, found by ro.hardware.egl, ro.board.platform or its name.",
  source: `${GUIDE}, driver loading`,
};
const ONE_BINARY: Rule = {
  id: "GL9",
  rule: "egl.files.one-binary",
  requirement: "A driver of one binary is libGLES_<property>.so or libGLES.so.",
  source: `${GUIDE}, driver loading`,
};
const THREE_BINARIES: Rule = {
  id: "GL10",
  rule: "egl.files.three-binaries",
  requirement: "A driver of three is libEGL, libGLESv1_CM and libGLESv2, with _<property> or without.",
  source: `${GUIDE}, driver loading`,
};

/** GL8 to GL10: where the driver lies and how its files are called. */
function fileRows(egl: Egl): EglRequirement[] {
  const { path, kind, libraries } = scopeOf(egl).state.driver, own = "driver";
  if (!FOLDERS.test(path)) {
    const found = `"${path}" was found by the rules of Linux, or named`;
    return [PLACE, ONE_BINARY, THREE_BINARIES].map((rule) => row(rule, "not-applicable", found, { own }));
  }
  const names = libraries.map(baseName), isOne = ONE.test(baseName(path)), isThree = areThree(baseName(path), names);
  const named = (rule: Rule, mine: boolean, other: boolean) =>
    row(rule, mine ? "pass" : other ? "not-applicable" : "fail", `${kind}: ${names.join(", ")}`, {
      own,
      advice: mine || other ? "" : "name the files as Android looks for them",
    });
  return [
    row(PLACE, "pass", path, { own }),
    named(ONE_BINARY, isOne, isThree),
    named(THREE_BINARIES, isThree, isOne),
  ];
}

/** Whether all are named as parts of a driver of three, with the same property's value. */
function areThree(first: string, names: readonly string[]): boolean {
  const suffix = THREE.exec(first)?.[1];
  return first.startsWith("libEGL") && suffix !== undefined &&
    names.filter((name) => name !== "").every((name) => THREE.exec(name)?.[1] === suffix);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
