import { TextWriter } from "../../../../loader/layers/shipped/trace/text_writer.ts";
import type { DifferingAction, DriverComparison, DriverDifference, PieceDifference } from "../finding.ts";
import type { DriverIdentity } from "../driver_process/protocol.ts";
import { counted } from "../../../process/terminal.ts";

/** The names of the drivers in texts and on pages. The letters alone would be those of components of a texel, too. */
export const DRIVERS = ["driver A", "driver B"] as const;

/** The sentence about a recording of which nothing can be compared. */
const NOTHING_SUBMITTED =
  "nothing was compared: the recording submits no commands; record until the first vkQueueSubmit has returned";

/**
 * Returns what a comparison came to, as lines of text for people.
 *
 * @example
 * ```ts ignore
 * import { compareDrivers, comparisonText } from "@pumice/gfx/compare";
 *
 * const drivers = [{ driver: "libvulkan_one.so" }, { driver: "libvulkan_other.so" }] as const;
 * const comparison = await compareDrivers("frame.jsonl", drivers);
 * console.log(comparisonText(comparison).join("\n"));
 * ```
 */
export function comparisonText(comparison: DriverComparison): string[] {
  const { drivers, submissions, pieces, replays, unread, finding } = comparison;
  return [
    ...drivers.map((driver, index) => `${DRIVERS[index]}: ${identityText(driver)}`),
    `${counted(submissions, "submission")} compared, with ${
      counted(pieces, "buffer or level of an image", "buffers and levels of images")
    }, ` +
    `in ${counted(replays, "replay")} of each driver`,
    ...Object.entries(unread).map(([name, reason]) => `not compared: ${name}, because ${reason}`),
    ...finding ? findingText(finding) : [submissions === 0 ? NOTHING_SUBMITTED : "no difference"],
  ];
}

/** Returns a driver's name and versions. */
export function identityText(driver: DriverIdentity | undefined): string {
  return driver ? `${driver.deviceName}, driver ${driver.driver}, Vulkan ${driver.apiVersion}` : "told nothing";
}

/**
 * Returns where two drivers part, as lines of text for people.
 *
 * @example
 * ```ts ignore
 * import { compareDrivers, findingText } from "@pumice/gfx/compare";
 *
 * const drivers = [{ driver: "libvulkan_one.so" }, { driver: "libvulkan_other.so" }] as const;
 * const { finding } = await compareDrivers("frame.jsonl", drivers);
 * if (finding) console.log(findingText(finding).join("\n"));
 * ```
 */
export function findingText(finding: DriverDifference): string[] {
  const { kind, side, reason, line, action, submission, differences } = finding;
  const where = line === undefined ? "" : ` at line ${line}`;
  const again = finding.isFlaky ? "; a second replay did not" : "";
  const head = kind === "differs"
    ? `the results differ after submission ${submission}${where}${again}`
    : kind === "unrepeatable"
    ? `${DRIVERS[side!]} is not repeatable from line ${line}: two replays of it differ after submission ${submission}`
    : `${DRIVERS[side!]} ${kind === "lost" ? "lost its device" : kind}${where}: ${reason}${again}`;
  return [head, ...action ? actionText(action) : [], ...differences.map((each) => `  ${differenceText(each)}`)];
}

/** The command, and what it had bound. */
export function actionText({ command, args, line, index, of, boundState }: DifferingAction): string[] {
  const writer = new TextWriter();
  return [
    `first command that differs: ${command}, at line ${line}, action ${index + 1} of ${of} of the submission`,
    `  ${writer.recorded(command, args)}`,
    ...boundState.pass ? [`  in ${writer.recorded(boundState.pass.command, boundState.pass.args)}`] : [],
    ...boundState.pipeline ? [`  with ${boundState.pipeline}`] : [],
    ...boundState.resources.map(({ role, name }) => `  ${role}: ${name}`),
  ];
}

/** Returns one difference as a sentence. */
export function differenceText({ piece: { name }, bytes, texels, at }: PieceDifference): string {
  if (bytes) return `${name}: ${counted(bytes.bytes, "byte differs", "bytes differ")}, the first at ${bytes.first}`;
  const { texels: count, values: [one, other] } = texels!, layer = at!.layer > 0 ? ` of layer ${at!.layer}` : "";
  const sample = at!.sample === undefined ? "" : `, sample ${at!.sample}`;
  return `${name}: ${counted(count, "texel differs", "texels differ")}, the first at ${at!.x}, ${
    at!.y
  }${layer}${sample}: ` +
    `${one} on ${DRIVERS[0]}, ${other} on ${DRIVERS[1]}`;
}
