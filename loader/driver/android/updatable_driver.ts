import type { Properties } from "../../../ffi/android/properties.ts";
import type { AndroidSearch } from "./options.ts";
import type { Finding } from "../report/finding.ts";
import { type Host, installedLibraries } from "../host/host.ts";
import { Variables } from "../environment/variables.ts";

/** Android's names of processors. */
const ABI: Readonly<Record<string, string>> = { aarch64: "arm64-v8a", x86_64: "x86_64" };

/**
 * Returns the folders of the updatable driver for this process, without `root`;
 * `undefined` for the built-in driver.
 */
export function updatableFolders(
  search: AndroidSearch,
  properties: Properties,
  host: Host,
  report: Finding[],
): string[] | undefined {
  const { updatableDriver, root = "" } = search;
  if (typeof updatableDriver === "string") return updatableDriver.split(":").filter((path) => path !== "");
  const variables = new Variables(host, report), set = variables.read("UPDATABLE_GFX_DRIVER");
  if (set === "1" && updatableDriver) {
    variables.honour("UPDATABLE_GFX_DRIVER", "asks the GPU service for an updatable driver");
    return [updatableDriver.gpuService + ABI[Deno.build.arch]];
  }
  const because = set === "1" ? "ignored, because the GPU service names no driver" : 'ignored, because it is not "1"';
  if (set !== "") variables.ignore("UPDATABLE_GFX_DRIVER", because);
  const name = updatablePackage(search, properties, report);
  return name === undefined ? undefined : packageFolders(name, root, host, report);
}

/**
 * Returns the package of an application's driver, by the rules of Android's
 * GraphicsEnvironment; `undefined` for the built-in driver.
 */
export function updatablePackage(search: AndroidSearch, properties: Properties, report: Finding[]): string | undefined {
  const { app = {}, settings = {} } = search;
  if (app.packageName === undefined) return undefined;
  const production = properties.get("ro.gfx.driver.0"), prerelease = properties.get("ro.gfx.driver.1");
  if (production === "" && prerelease === "") return undefined;
  const say = (path: string, taken: boolean, reason: string) =>
    report.push({ subject: "setting", path, ...value(settings, path), origin: "settings option", taken, reason });
  if (app.system) {
    say("app", false, "a system application never uses an updatable driver");
    return undefined;
  }
  const may = app.debuggable || app.developerDriver;
  const [setting, choice] = choose(settings, app.packageName);
  const wanted = choice === "production" ? production : choice === "prerelease" && may ? prerelease : "";
  const chosen = wanted === "" ? undefined : wanted;
  const barred = choice === "prerelease" && !may ? ", but the application is neither debuggable nor a developer's" : "";
  say(setting, chosen !== undefined, `${OUTCOMES[choice]}${barred}`);
  return chosen;
}

type Choice = "production" | "prerelease" | "built-in";
const OUTCOMES: Readonly<Record<Choice, string>> = {
  "production": "chooses the production driver (ro.gfx.driver.0)",
  "prerelease": "chooses the prerelease driver (ro.gfx.driver.1)",
  "built-in": "chooses the built-in driver",
};

/** Returns the deciding setting and its decision: the first in Android's list that applies. */
function choose(settings: Readonly<Record<string, string>>, name: string): [setting: string, choice: Choice] {
  const lists = (setting: string) => (settings[setting] ?? "").split(",").includes(name);
  const forAll = ({ 1: "production", 2: "prerelease", 3: "built-in" } as const)[settings[ALL] ?? ""];
  if (forAll) return [ALL, forAll];
  if (lists(OPT_OUT)) return [OPT_OUT, "built-in"];
  if (lists(PRERELEASE)) return [PRERELEASE, "prerelease"];
  if (lists(OPT_IN)) return [OPT_IN, "production"];
  if (lists(DENY)) return [DENY, "built-in"];
  const allowed = lists(ALLOW) || (settings[ALLOW] ?? "").split(",")[0] === "*";
  return [ALLOW, allowed ? "production" : "built-in"];
}

const ALL = "updatable_driver_all_apps", ALLOW = "updatable_driver_production_allowlist";
const OPT_OUT = "updatable_driver_production_opt_out_apps", OPT_IN = "updatable_driver_production_opt_in_apps";
const PRERELEASE = "updatable_driver_prerelease_opt_in_apps", DENY = "updatable_driver_production_denylist";

function value(settings: Readonly<Record<string, string>>, name: string): { value?: string } {
  return settings[name] === undefined ? {} : { value: settings[name] };
}

function packageFolders(name: string, root: string, host: Host, report: Finding[]): string[] | undefined {
  const libraries = installedLibraries(name, root, host), found = libraries !== undefined;
  const reason = found ? `holds ${name}` : `does not hold ${name}; the built-in driver is used`;
  report.push({ subject: "folder", path: `${root}/data/app`, origin: "updatable driver", taken: found, reason });
  return found ? [libraries] : undefined;
}
