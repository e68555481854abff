import { type OptionRules, typed } from "../../../ffi/check_options.ts";
import { PROPERTIES_RULE, type PropertySource, systemProperties } from "../../../ffi/android/properties.ts";
import { NativeError } from "../../../ffi/error.ts";
import { MODULE_ID } from "../layout.ts";

/** The place of the search for a module. */
export interface Hwc2Search {
  /** A folder in front of `/odm`, `/vendor` and `/system`. Default `""`. */
  readonly root?: string;
  /** Android's system properties. Default: the device's on Android, none elsewhere. */
  readonly systemProperties?: PropertySource;
}

/** The options of the search, with the values that fit. */
export const SEARCH_RULES: OptionRules<Hwc2Search> = {
  root: typed("the path of a folder", "string"),
  systemProperties: PROPERTIES_RULE,
};

/** The properties that name a variant, and the folders, in hw_get_module's order. */
const VARIANTS = ["ro.hardware", "ro.product.board", "ro.board.platform", "ro.arch"];
const FOLDERS = ["/odm/lib64/hw", "/vendor/lib64/hw", "/system/lib64/hw"];

/**
 * The path of a module by its name, such as `hwcomposer`: the first file that
 * exists. Throws a {@linkcode NativeError} `not-found`.
 */
export function findHwModule(name: string, search: Hwc2Search = {}): string {
  const { root = "" } = search, get = propertiesOf(search);
  const variants = [`ro.hardware.${name}`, ...VARIANTS].map(get).filter((value) => value !== "");
  const paths = [...variants, "default"].flatMap((variant) => {
    return FOLDERS.map((folder) => `${root}${folder}/${name}.${variant}.so`);
  });
  const found = paths.find(isFile);
  if (found) return found;
  throw new NativeError(
    "not-found",
    `Cannot find the module "${name}": none of ${
      paths.join(", ")
    } is there; give a path, or set ro.hardware.${MODULE_ID}`,
  );
}

function propertiesOf({ systemProperties: wanted }: Hwc2Search): (name: string) => string {
  if (wanted === undefined && Deno.build.os !== "android") return () => "";
  const source = systemProperties(wanted ?? "device");
  return (name) => source.get(name);
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return false;
  }
}
