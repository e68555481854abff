import { encodeDeqpLevel } from "./deqp_level.ts";

/** Folders that do not belong to a tree. */
const PASSED_OVER = new Set([".git", ".repo", "node_modules"]);

/**
 * Reads the claims of a device tree about graphics: permissions (`.xml`),
 * makefiles (`.mk`) and properties (`.prop`), in the folder and its subfolders.
 *
 * @throws {Deno.errors.NotFound} if the folder does not exist.
 *
 * @example
 * ```ts
 * import { readDeviceTree } from "@pumice/gfx/check";
 * import { assertEquals } from "@std/assert";
 *
 * const folder = Deno.makeTempDirSync();
 * Deno.writeTextFileSync(`${folder}/vendor.prop`, "ro.hardware.vulkan=soc\n");
 * assertEquals(readDeviceTree(folder).properties.map(({ name, value }) => [name, value]), [["ro.hardware.vulkan", "soc"]]);
 * Deno.removeSync(folder, { recursive: true });
 * ```
 */
export function readDeviceTree(folder: string): TreeClaims {
  const all = filesBelow(folder, "").sort().map((file) => claimsOf(Deno.readTextFileSync(`${folder}/${file}`), file));
  return {
    features: all.flatMap(({ features }) => features),
    properties: all.flatMap(({ properties }) => properties),
  };
}

function claimsOf(text: string, file: string): TreeClaims {
  if (!file.endsWith(".xml")) return makefileClaims(text, file);
  return { features: permissionClaims(text, file), properties: [] };
}

function filesBelow(folder: string, below: string): string[] {
  const found: string[] = [];
  for (const { name, isDirectory, isFile } of Deno.readDirSync(`${folder}/${below}`)) {
    if (isDirectory && !PASSED_OVER.has(name)) found.push(...filesBelow(folder, `${below}${name}/`));
    if (isFile && /\.(xml|mk|prop)$/.test(name)) found.push(below + name);
  }
  return found;
}

/** A system feature that a device tree claims. */
export interface FeatureClaim {
  /** The name, such as `android.hardware.vulkan.level`. */
  readonly name: string;
  /** The value; `undefined` for a feature without one, or if the file's name does not tell. */
  readonly value: number | undefined;
  /** The place: a file below the tree's folder, and its line. */
  readonly where: string;
  /** Whether the claim is a permissions file, or its installation by a makefile. */
  readonly by: "permissions" | "makefile";
  /** The name of the permissions file. */
  readonly file: string;
}

/** A property that a device tree sets. */
export interface PropertyClaim {
  /** The name. */
  readonly name: string;
  /** The value. */
  readonly value: string;
  /** The place: a file below the tree's folder, and its line. */
  readonly where: string;
}

/** The claims of a device tree about a device's graphics. */
export interface TreeClaims {
  /** Features, in the order in which they were found. */
  readonly features: readonly FeatureClaim[];
  /** Properties, in the order in which they were found. */
  readonly properties: readonly PropertyClaim[];
}

/** The features about graphics. */
const GRAPHICS = /android\.(?:hardware\.vulkan|hardware\.opengles|software\.vulkan|software\.opengles)\.[a-z.]*[a-z]/;
const FEATURE = /<feature\s[^>]*>/g, ATTRIBUTE = /([\w.-]+)\s*=\s*"([^"]*)"/g;
const PERMISSIONS = new RegExp(`\\b(${GRAPHICS.source})(?:-([\\w.-]+?))?(?:\\.prebuilt)?\\.xml`, "g");
const PROPERTY =
  /(?:^|\s)(ro\.(?:opengles\.version|surface_flinger\.[\w]+|hardware\.(?:egl|vulkan|hwcomposer)))\s*=\s*(\S+)/;

/** Returns the claims of permissions in XML. */
export function permissionClaims(text: string, file: string): FeatureClaim[] {
  const blank = (comment: string) => comment.replace(/[^\n]/g, " ");
  const plain = text.replace(/<!--[\s\S]*?-->/g, blank), found: FeatureClaim[] = [];
  for (const match of plain.matchAll(FEATURE)) {
    const attributes = Object.fromEntries([...match[0].matchAll(ATTRIBUTE)].map(([, name, value]) => [name, value]));
    if (!GRAPHICS.test(attributes.name ?? "")) continue;
    const where = `${file}:${plain.slice(0, match.index).split("\n").length}`;
    found.push({
      name: attributes.name,
      value: numberOf(attributes.version),
      where,
      by: "permissions",
      file: baseName(file),
    });
  }
  return found;
}

/** Returns the claims of a makefile or a list of properties: installed files, by their names, and set properties. */
export function makefileClaims(text: string, file: string): TreeClaims {
  const features: FeatureClaim[] = [], properties: PropertyClaim[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const where = `${file}:${index + 1}`, code = line.replace(/#.*$/, ""), [source] = code.trim().split(":");
    const property = PROPERTY.exec(code);
    for (const [whole, name, suffix] of source.matchAll(PERMISSIONS)) {
      features.push({ name, value: valueOf(name, suffix), where, by: "makefile", file: whole });
    }
    if (property) properties.push({ name: property[1], value: property[2], where });
  }
  return { features, properties };
}

/** Returns the value at the end of a file's name: `1`, `1_3`, `2022-03-01`; `undefined` if there is none. */
function valueOf(name: string, suffix: string | undefined): number | undefined {
  if (suffix === undefined) return undefined;
  if (name.endsWith(".deqp.level")) return isDeqpLevel(suffix) ? encodeDeqpLevel(suffix) : undefined;
  if (!name.endsWith(".version")) return numberOf(suffix);
  const [major, minor = 0, patch = 0] = suffix.split("_").map(Number), packed = major << 22 | minor << 12 | patch;
  return Number.isNaN(major + minor + patch) ? undefined : packed;
}

/** Some files are named `latest`. */
function isDeqpLevel(text: string): boolean {
  try {
    return encodeDeqpLevel(text) > 0;
  } catch {
    return false;
  }
}

function numberOf(text: string | undefined): number | undefined {
  const number = text === undefined || text === "" ? NaN : Number(text);
  return Number.isInteger(number) ? number : undefined;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
