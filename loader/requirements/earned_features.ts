import { decodeDeqpLevel } from "./deqp_level.ts";
import type { VulkanReport } from "./report.ts";
import type { Verdict } from "./verdict.ts";

/** A system feature that a device tree may declare. */
export interface EarnedFeature {
  /** The name, such as `android.hardware.vulkan.level`. */
  readonly name: string;
  /** The value. */
  readonly value: number;
  /** The value for people: `1`, `1.3`, `2024-03-01`. */
  readonly text: string;
  /** Android's file that declares exactly this value, below `frameworks/native/data/etc`. */
  readonly file: string;
  /** The file's name on the device, below `etc/permissions`. */
  readonly installed: string;
}

/** A system feature that must not be declared. */
export interface WithheldFeature {
  /** The name. */
  readonly name: string;
  /** The reason. */
  readonly reason: string;
}

/** The features that the driver of a report earned, and those that it did not. */
export interface EarnedFeatures {
  /** Features to declare. */
  readonly earned: readonly EarnedFeature[];
  /** Features not to declare. */
  readonly withheld: readonly WithheldFeature[];
}

/** The system features for Vulkan. */
export const VULKAN_FEATURES = {
  level: "android.hardware.vulkan.level",
  version: "android.hardware.vulkan.version",
  compute: "android.hardware.vulkan.compute",
  deqpLevel: "android.software.vulkan.deqp.level",
} as const;

/**
 * Returns exactly which of Android's system features for Vulkan a driver
 * earned. A version without all of its additions does not count. The dEQP level
 * is the claimed level, if the release accepts it.
 *
 * @example
 * ```ts ignore
 * import { checkVulkan, earnedFeatures } from "@pumice/gfx/check";
 *
 * for (const { name, text, file } of earnedFeatures(checkVulkan({ release: 16 })).earned) console.log(name, text, file);
 * ```
 */
export function earnedFeatures(report: VulkanReport): EarnedFeatures {
  const earned: EarnedFeature[] = [], withheld: WithheldFeature[] = [];
  const add = (
    key: keyof typeof VULKAN_FEATURES,
    value: number | undefined,
    text: string,
    rules: readonly string[],
  ) => {
    const reason = reasonAgainst(report, value, rules);
    if (reason !== undefined || value === undefined) {
      withheld.push({ name: VULKAN_FEATURES[key], reason: reason ?? "" });
    } else earned.push(feature(key, value, text));
  };
  const { level, version, compute, deqpLevel } = report.features;
  add("level", level < 0 ? undefined : level, `${level}`, ["vulkan.hardware-level", "vulkan.best-device"]);
  add("version", version, minorText(version ?? 0), [
    "vulkan.hardware-version",
    "vulkan.version-counts",
    "vulkan.best-device",
  ]);
  add("compute", compute < 0 ? undefined : compute, `${compute}`, ["vulkan.hardware-compute"]);
  const date = deqpLevel === undefined ? "" : decodeDeqpLevel(deqpLevel);
  add("deqpLevel", deqpLevel, date, ["vulkan.deqp-level"]);
  return { earned, withheld };
}

function feature(key: keyof typeof VULKAN_FEATURES, value: number, text: string): EarnedFeature {
  const name = VULKAN_FEATURES[key];
  const stem = key === "version" ? text.replaceAll(".", "_") : text;
  const file = `${name}-${stem}.xml`;
  return { name, value, text, file, installed: `${name}.xml` };
}

/** Returns why a value is not earned; `undefined` if it is. */
function reasonAgainst(report: VulkanReport, value: number | undefined, rules: readonly string[]): string | undefined {
  const named = rules.flatMap((name) => report.verdicts.filter(({ rule }) => rule === name));
  // CTS does not test drivers of CPUs alone. Advice is left where such a driver would fail.
  const isAgainst = ({ status, advice }: Verdict) => status === "fail" || status === "not-applicable" && advice !== "";
  const against = named.find(isAgainst) ?? (value === undefined ? named[0] : undefined);
  return against ? against.found : value === undefined ? "there is no device" : undefined;
}

function minorText(version: number): string {
  return `${version >>> 22 & 0x7f}.${version >>> 12 & 0x3ff}${version & 0xfff ? `.${version & 0xfff}` : ""}`;
}
