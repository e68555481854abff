import { closest } from "../../../../ffi/check_options.ts";
import { type LayerSettings, prefixOf, type Setting, variableOf } from "./declared.ts";
import type { SettingValue } from "./instance_settings.ts";

/** The sources of settings, besides the program. */
export interface SettingSources {
  /** Returns an environment variable. */
  variable(name: string): string | undefined;
  /** Returns the text of a settings file; `undefined` if there is none. */
  file(): string | undefined;
}

/**
 * Returns options of a layer: of the environment where it says something,
 * otherwise of the settings file, otherwise of the program.
 *
 * @throws {TypeError} for a value that cannot be read, and for a setting in the
 *   file that the layer does not have.
 */
export function readSettings(
  declared: LayerSettings,
  { variable, file }: SettingSources,
  program: ReadonlyMap<string, readonly SettingValue[]> = new Map(),
): Record<string, unknown> {
  const inFile = linesOf(declared, file() ?? ""), options: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(declared.settings)) {
    const own = variable(variableOf(declared, name)),
      text = own || inFile.get(name),
      where = own ? "environment" : "file";
    if (text !== undefined) options[setting.option] = valueOf(text, setting, `${name} of the ${where}`);
    else if (program.has(name)) options[setting.option] = given(program.get(name)!, setting);
  }
  for (const name of [...inFile.keys(), ...program.keys()]) {
    if (!Object.hasOwn(declared.settings, name)) throw unknown(declared, name);
  }
  return options;
}

/** Returns the lines about a layer: `pumice_device_twin.strictness = used`. */
function linesOf(declared: LayerSettings, text: string): Map<string, string> {
  const prefix = `${prefixOf(declared)}.`, lines = text.split("\n").map((line) => line.replace(/#.*/, "").split("="));
  const pairs = lines.filter(([key, ...rest]) => rest.length > 0 && key.trim().startsWith(prefix));
  return new Map(pairs.map(([key, ...value]) => [key.trim().slice(prefix.length), value.join("=").trim()]));
}

function valueOf(text: string, { kind }: Setting, where: string): unknown {
  const parts = () => text.split(",").map((part) => part.trim()).filter((part) => part !== "");
  if (kind === "text") return text;
  if (kind === "texts") return parts();
  if (kind === "boolean") return truthOf(text, where);
  return kind === "number" ? numberOf(text, where) : parts().map((part) => numberOf(part, where));
}

function numberOf(text: string, where: string): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number)) return number;
  throw new TypeError(`Cannot read the setting ${where}: found "${text}"; give a number`);
}

function truthOf(text: string, where: string): boolean {
  const word = text.toLowerCase();
  if (["true", "1"].includes(word)) return true;
  if (["false", "0"].includes(word)) return false;
  throw new TypeError(`Cannot read the setting ${where}: found "${text}"; give true or false`);
}

/** A program gives lists of values. */
function given(values: readonly SettingValue[], { kind }: Setting): unknown {
  if (kind === "texts" || kind === "numbers") return values;
  return values.length === 1 ? values[0] : values.join(",");
}

function unknown(declared: LayerSettings, name: string): TypeError {
  const names = Object.keys(declared.settings), meant = closest(name, names);
  const advice = meant ? `is it ${meant}?` : `there are ${names.join(", ")}`;
  return new TypeError(`Cannot set ${name} of ${declared.layer}: there is no such setting; ${advice}`);
}

/** No environment and no file. */
export const NO_SETTINGS: SettingSources = { variable: () => undefined, file: () => undefined };

/** The name of settings files. */
const FILE = "vk_layer_settings.txt";

/** The settings of this process: its environment, and the file of VK_LAYER_SETTINGS_PATH or of the current folder. */
export function processSettings(): SettingSources {
  const variable = (name: string) => Deno.env.get(name);
  return {
    variable,
    file() {
      const path = variable("VK_LAYER_SETTINGS_PATH") || ".";
      for (const each of [path, `${path}/${FILE}`]) {
        try {
          return Deno.readTextFileSync(each);
        } catch {
          continue; // no such file, or a folder
        }
      }
      return undefined;
    },
  };
}
