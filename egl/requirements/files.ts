import { demand } from "../../loader/requirements/requirement.ts";
import type { Outcome } from "../../loader/requirements/verdict.ts";
import { scopeOf } from "../api/scope.ts";
import { type EglRule, GUIDE, ofDriver } from "./requirement.ts";

type Driver = ReturnType<typeof scopeOf>["state"]["driver"];

const FOLDERS = /^.*\/vendor\/lib(64)?\/egl\//;
const ONE = /^libGLES(_[^/]+)?\.so$/, THREE = /^lib(?:EGL|GLESv1_CM|GLESv2)((?:_[^/]+)?)\.so$/;
/** GL8 to GL10: the folder of the driver and the names of its files. */
export const FILE_RULES: readonly EglRule[] = [{
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
