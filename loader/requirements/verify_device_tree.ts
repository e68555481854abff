import { decodeDeqpLevel } from "./deqp_level.ts";
import type { DeclaredFeature, DeviceDeclarations } from "./device_tree.ts";
import type { FeatureClaim, TreeClaims } from "./device_tree_claims.ts";
import { type Rule, type Verdict, verdictOf } from "./verdict.ts";

const CTS = "CTS VulkanFeaturesTest#testVulkanHardwareFeatures";
/** Numbers and documents of requirements, by the beginning of a feature's name. */
const SOURCES: readonly (readonly [start: string, id: string, source: string])[] = [
  ["android.hardware.vulkan.version", "VK22", `CDD 7.1.4.2; ${CTS}`],
  ["android.hardware.vulkan.", "VK2", `CDD 7.1.4.2; ${CTS}`],
  ["android.software.vulkan.deqp.level", "VK37", "CDD 7.1.4.2; CTS DeqpLevel"],
  ["android.software.opengles.deqp.level", "GL1", "CDD 7.1.4.1; CTS DeqpLevel"],
  ["android.hardware.opengles.aep", "GL1", "CDD 7.1.4.1; CTS OpenGlEsVersionTest#testExtensionPack"],
  ["ro.opengles.version", "GL1", "CDD 7.1.4.1; CTS OpenGlEsVersionTest#testOpenGlEsVersion"],
  ["ro.surface_flinger.", "S16", "SurfaceFlinger's properties"],
  ["ro.hardware.egl", "GL8", "Android's guide Implementing OpenGL ES and EGL, driver loading"],
  ["ro.hardware.", "VK9", "Android's guide Implementing Vulkan, driver loading"],
];

/**
 * Compares the claims of a device tree with what its drivers earned. Every
 * feature and property that is claimed or earned has a verdict.
 *
 * @example
 * ```ts
 * import { verifyDeviceTree } from "@pumice/gfx/check";
 * import { assertEquals } from "@std/assert";
 *
 * const name = "ro.opengles.version";
 * const claims = { features: [], properties: [{ name, value: "196610", where: "vendor.prop" }] };
 * const earned = { features: [], withheld: [], properties: { [name]: "196608" } };
 * assertEquals(verifyDeviceTree(claims, earned).map(({ status }) => status), ["fail"]);
 * ```
 */
export function verifyDeviceTree(claims: TreeClaims, earned: DeviceDeclarations): Verdict[] {
  const names = [...earned.features, ...earned.withheld, ...claims.features].map(({ name }) => name);
  const properties = [...Object.keys(earned.properties), ...claims.properties.map(({ name }) => name)];
  return [
    ...[...new Set(names)].map((name) => featureVerdict(name, claims, earned)),
    ...[...new Set(properties)].map((name) => propertyVerdict(name, claims, earned)),
  ];
}

/** The fault of a claim, and what to change. */
type Wrong = readonly [found: string, advice: string];

function featureVerdict(name: string, { features }: TreeClaims, earned: DeviceDeclarations): Verdict {
  const claims = features.filter((each) => each.name === name);
  const wanted = earned.features.find((each) => each.name === name);
  const withheld = earned.withheld.find((each) => each.name === name);
  if (!wanted && !withheld) return unknownFeature(name, claims);
  const rule = ruleOf(name, `${name} is declared exactly as the driver earned it.`);
  const wrong = wanted ? wrongFeature(name, claims, wanted) : undeserved(claims, withheld!.reason);
  if (wrong) return verdictOf(rule, { status: "fail", found: wrong[0], advice: wrong[1] });
  if (!wanted) return verdictOf(rule, { status: "pass", found: "neither earned nor declared" });
  return verdictOf(rule, { status: "pass", found: `${wanted.text || "it"} is earned and declared` });
}

/** A feature that was not examined cannot be judged. */
function unknownFeature(name: string, claims: readonly FeatureClaim[]): Verdict {
  const rule = ruleOf(name, `${name} is declared exactly as the driver earned it.`);
  const found = `${claims.map(claimText).join("; ")}; no check here tells whether the feature is earned`;
  return verdictOf(rule, { status: "report", found, advice: "check the driver that earns it, too" });
}

function undeserved(claims: readonly FeatureClaim[], reason: string): Wrong | undefined {
  if (claims.length === 0) return undefined;
  return [`${claims.map(claimText).join("; ")}, and not earned: ${reason}`, "do not declare it"];
}

function wrongFeature(
  name: string,
  claims: readonly FeatureClaim[],
  { value, text, file, installed }: DeclaredFeature,
): Wrong | undefined {
  const shown = text || "it", install = `install ${file} as etc/permissions/${installed}`;
  if (claims.length === 0) return [`${shown} is earned, and not declared`, install];
  const known = claims.filter((claim) => claim.value !== undefined),
    other = known.find((claim) => claim.value !== value);
  if (other) return [`${shown} is earned, and ${claimText(other)}`, install];
  if (value !== undefined && known.length === 0) {
    return [`${claims.map(claimText).join("; ")}, which does not say ${shown}`, install];
  }
  const permissions = claims.filter(({ by }) => by === "permissions");
  const isInstalled = claims.some(({ by }) => by === "makefile");
  if (permissions.length > 0 && !isInstalled) {
    return [
      `${permissions[0].where} declares ${name}, and no makefile installs it`,
      `add it to PRODUCT_COPY_FILES: ${install}`,
    ];
  }
  return undefined;
}

function claimText({ name, value, where, file }: FeatureClaim): string {
  return `${where} declares ${value === undefined ? file : valueText(name, value)}`;
}

function valueText(name: string, value: number): string {
  if (name.endsWith(".deqp.level")) return safeDate(value);
  return value > 9 ? `0x${value.toString(16)}` : `${value}`;
}

function safeDate(value: number): string {
  try {
    return decodeDeqpLevel(value);
  } catch {
    return `${value}, which is no date`;
  }
}

function propertyVerdict(name: string, { properties }: TreeClaims, earned: DeviceDeclarations): Verdict {
  const claims = properties.filter((each) => each.name === name), wanted = earned.properties[name];
  const rule = ruleOf(name, `${name} says what the driver is.`), advice = `set ${name}=${wanted}`;
  const shown = claims.map(({ value, where }) => `${where} sets ${value}`).join("; ");
  if (wanted === undefined) {
    return verdictOf(rule, { status: "report", found: `${shown}; no check here tells` });
  }
  if (claims.length === 0) return verdictOf(rule, { status: "fail", found: `it is not set`, advice });
  const other = claims.find(({ value }) => value !== wanted);
  if (other) return verdictOf(rule, { status: "fail", found: `${shown}, and the driver is ${wanted}`, advice });
  return verdictOf(rule, { status: "pass", found: wanted });
}

function ruleOf(name: string, requirement: string): Rule {
  const [, id, source] = SOURCES.find(([start]) => name.startsWith(start)) ?? ["", "VK2", "CDD 7.1.4"];
  return { id, rule: `tree.${name}`, requirement, source };
}
