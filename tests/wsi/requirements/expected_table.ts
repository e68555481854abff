/**
 * The results of a driver's check, in a form to be committed. Prints the table
 * of a driver when it is run:
 *
 * ```sh
 * deno run -A --import-map=tools/offline_import_map.json tests/wsi/requirements/expected_table.ts DRIVER
 * ```
 *
 * @module
 */
import type { VulkanReport } from "../../../loader/requirements/report.ts";
import { checkVulkan } from "../../../wsi/check_vulkan.ts";

/** A committed table. */
export interface ExpectedTable {
  /** The part of the machine that has the driver: `lavapipe`, `SwiftShader` or `NVIDIA`. */
  readonly part: string;
  /** The device of the table: another version of a driver has another table. */
  readonly device: { readonly deviceName: string; readonly driverVersion: number; readonly apiVersion: number };
  /** The features that it earns. */
  readonly features: VulkanReport["features"];
  /** By rule: the status, whose it is, and what was found. */
  readonly verdicts: Readonly<Record<string, readonly [status: string, own: string, found: string]>>;
  /** By profile: how much is asked in all, how much of it is missing, and what is missing of what no other profile asks for it. */
  readonly profiles: Readonly<Record<string, { readonly of: string; readonly misses: readonly string[] }>>;
}

/** Checks a driver for the newest release, as its table says. */
export function tableOf(part: string, driver: string): ExpectedTable {
  const report = checkVulkan({ driver, release: 17, deqpLevel: "2026-03-01" });
  const { deviceName, driverVersion, apiVersion, profiles } = report.devices[report.best];
  return {
    part,
    device: { deviceName, driverVersion, apiVersion },
    features: report.features,
    verdicts: Object.fromEntries(
      report.verdicts.map(({ rule, status, own, found }) => [rule, [status, own ?? "", found] as const]),
    ),
    profiles: Object.fromEntries(profiles.map(({ name, asked, misses }) => [name, {
      of: `${misses.length} of ${asked}`,
      misses: misses.filter(({ profile }) => profile === name).map(({ kind, name, wanted, found }) =>
        kind === "property" ? `${name}: ${found}, not ${wanted}` : `${name}: ${found}`
      ),
    }])),
  };
}

/** One line a verdict and a miss, so that a change is a line, too. */
export function tableText(table: ExpectedTable): string {
  return `${
    JSON.stringify(table, null, 1).replace(/\[\n\s+("[^\n]*),\n\s+("[^\n]*),\n\s+("[^\n]*)\n\s+\]/g, "[$1, $2, $3]")
  }\n`;
}

if (import.meta.main) console.log(tableText(tableOf(Deno.args[1] ?? "NVIDIA", Deno.args[0])).trimEnd());
