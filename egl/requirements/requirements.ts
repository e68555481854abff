import { checkOptions, number, type OptionRules } from "../../ffi/check_options.ts";
import { byNumber, demand, judge } from "../../loader/requirements/requirement.ts";
import type { Egl } from "../api/egl.ts";
import { contextRules } from "./contexts.ts";
import { EXTENSION_RULES } from "./extensions.ts";
import { FORMAT_RULES } from "./formats.ts";
import { LAYER_RULES } from "./layers.ts";
import { type EglRequirement, type EglRule, GUIDE, ofDriver } from "./requirement.ts";
import { ROBUSTNESS_RULES } from "./robustness.ts";
import { Session } from "./session.ts";
import { VERSION_RULES } from "./versions.ts";
import type { Outcome } from "../../loader/requirements/verdict.ts";
import { scopeOf } from "../api/scope.ts";

type Driver = ReturnType<typeof scopeOf>["state"]["driver"];

const FOLDERS = /^.*\/vendor\/lib(64)?\/egl\//;
const ONE = /^libGLES(_[^/]+)?\.so$/, THREE = /^lib(?:EGL|GLESv1_CM|GLESv2)((?:_[^/]+)?)\.so$/;
/** GL8 to GL10: the folder of the driver and the names of its files. */
const FILE_RULES: readonly EglRule[] = [{
  id: "GL8",
  rule: "egl.files.folder",
  requirement:
    "The driver is in /vendor/lib64/egl or /vendor/lib/egl, found by ro.hardware.egl, ro.board.platform or its name.",
  source: `${GUIDE}, driver loading`,
  check: androidsOwn(({ path }) => ofDriver(path)),
}, {
  id: "GL9",
  rule: "egl.files.one-binary",
  requirement: "A driver of one binary is libGLES_<property>.so or libGLES.so.",
  source: `${GUIDE}, driver loading`,
  check: androidsOwn((driver) => named(driver, isOne(driver), isThree(driver))),
}, {
  id: "GL10",
  rule: "egl.files.three-binaries",
  requirement: "A driver of three is libEGL, libGLESv1_CM and libGLESv2, with _<property> or without.",
  source: `${GUIDE}, driver loading`,
  check: androidsOwn((driver) => named(driver, isThree(driver), isOne(driver))),
}];

/** A check of a driver that is in Android's folders. */
function androidsOwn(check: (driver: Driver) => Outcome): EglRule["check"] {
  return ({ egl }) => {
    const { driver } = scopeOf(egl).state, { path } = driver;
    if (FOLDERS.test(path)) return check(driver);
    const found = `"${path}" was found by the rules of Linux, or named`;
    return { status: "not-applicable", found, own: "driver" };
  };
}

/** Whether files are named in one of the two ways. A driver with the names of the other way is not checked. */
function named({ kind, libraries }: Driver, mine: boolean, other: boolean): Outcome {
  const found = `${kind}: ${libraries.map(baseName).join(", ")}`;
  if (!mine && other) return { status: "not-applicable", found, own: "driver" };
  return demand(mine, found, "name the files as Android looks for them", "driver");
}

function isOne({ path }: Driver): boolean {
  return ONE.test(baseName(path));
}

/** Whether all files are named as parts of a driver in three libraries, with the same property's value. */
function isThree({ path, libraries }: Driver): boolean {
  const first = baseName(path), names = libraries.map(baseName), suffix = THREE.exec(first)?.[1];
  return first.startsWith("libEGL") && suffix !== undefined &&
    names.filter((name) => name !== "").every((name) => THREE.exec(name)?.[1] === suffix);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Settings of `eglRequirements`. */
export interface EglRequirementOptions {
  /** The number of contexts to try, as far as memory allows. Default 100. */
  readonly contexts?: number;
}

/** The default number of contexts to try, which the documentation and the command line's help state. */
export const DEFAULT_CONTEXTS = 100;

const OPTIONS: OptionRules<EglRequirementOptions> = {
  contexts: number,
};

const RULES: readonly EglRule[] = [
  ...VERSION_RULES,
  ...ROBUSTNESS_RULES,
  ...FORMAT_RULES,
  ...EXTENSION_RULES,
  ...FILE_RULES,
  ...LAYER_RULES,
];

/**
 * Checks Android's requirements for EGL and OpenGL ES, GL1 to GL16, on a loader's driver, with contexts on the default
 * display. Returns the results in order. The current objects are current again afterwards.
 *
 * @throws when the default display cannot be initialized.
 *
 * @example
 * ```ts ignore
 * import { eglRequirements } from "@pumice/gfx/check";
 * import { loadEgl } from "@pumice/gfx/egl";
 *
 * using egl = loadEgl();
 * for (const { id, rule } of eglRequirements(egl)) console.log(id, rule);
 * ```
 */
export function eglRequirements(egl: Egl, options: EglRequirementOptions = {}): EglRequirement[] {
  checkOptions("eglRequirements()", options, OPTIONS);
  const { contexts = DEFAULT_CONTEXTS } = options;
  using session = new Session(egl);
  // Contexts come first: memory that other checks have freed would be reused and not counted.
  return byNumber(judge([...contextRules(contexts), ...RULES], [session]));
}
