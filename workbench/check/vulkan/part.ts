import { withTwins } from "../../process/twin_option.ts";
import { driverChoice } from "../../../loader/driver/choice.ts";
import { DEFAULT_TIMEOUT, type FeatureClaims } from "../../../loader/requirements/conditions.ts";
import type { TreeClaims } from "../../../loader/requirements/device_tree_claims.ts";
import { VULKAN_FEATURES } from "../../../loader/requirements/earned_features.ts";
import type { VulkanReport } from "../../../loader/requirements/report.ts";
import type { Verdict } from "../../../loader/requirements/verdict.ts";
import { versionText } from "../../../loader/version.ts";
import { WrongUse } from "../../process/exit_code.ts";
import { ownFlags } from "../../process/own_flags.ts";
import type { CheckRequest, PartReport } from "../report.ts";
import { claimedLevel, claimedValue } from "../device_tree.ts";
import { checkVulkan } from "../../../wsi/check_vulkan.ts";
import type { VulkanCheckOptions } from "../../../loader/requirements/run_check.ts";
import { CHECK_VARIABLE, type ChildLine, notRun } from "./line.ts";

/**
 * Checks the Vulkan driver, in a process of its own if this process may start processes. `glesVersion` is the EGL
 * driver's version, `major << 16 | minor`; 0 if there is none. `tell` gets each verdict as soon as it is known.
 */
export async function vulkanPart(
  request: CheckRequest,
  glesVersion: number,
  claims: TreeClaims | undefined,
  tell: (verdict: Verdict) => void,
): Promise<{ part: PartReport; report?: VulkanReport }> {
  const isNamed = request.isChosen || driverChoice(request.options.driver).kind !== "auto";
  const options = optionsOf(request, glesVersion, claims);
  const { report, notRun, wrong } = mayStart() ? await checkApart(options, tell) : checkHere(options, tell);
  if (wrong !== undefined) throw new WrongUse(wrong);
  if (!report) return { part: { part: "vulkan", subject: "", notRun, isNamed, verdicts: [] } };
  const device = report.devices[report.best], { verdicts } = report;
  const about = device ? ` · ${device.deviceName}, Vulkan ${versionText(device.apiVersion)}${othersText(report)}` : "";
  return { part: { part: "vulkan", subject: report.driver + about, isNamed, verdicts }, report };
}

/** Says that verdicts are about one device of several, and names the others. */
function othersText({ devices, best }: VulkanReport): string {
  const others = devices.filter((_, index) => index !== best).map(({ deviceName }) => deviceName);
  return others.length === 0 ? "" : `, the best device; not judged: ${others.join(", ")}`;
}

function mayStart(): boolean {
  return !Deno.build.standalone && Deno.permissions.querySync({ name: "run" }).state === "granted";
}

function checkHere(options: VulkanCheckOptions, tell: (verdict: Verdict) => void): ChildLine {
  try {
    return { report: checkVulkan({ ...withTwins(options), progress: { end: tell } }) };
  } catch (error) {
    return notRun(error);
  }
}

function optionsOf(
  { options, release, launch, lowMemory, profiles, deqpLevel, timeout }: CheckRequest,
  glesVersion: number,
  claims: TreeClaims | undefined,
): VulkanCheckOptions {
  return {
    ...options,
    release,
    launch,
    lowMemory,
    profiles,
    timeout,
    deqpLevel: deqpLevel ?? claimedLevel(claims, VULKAN_FEATURES.deqpLevel),
    ...glesVersion > 0 ? { glesVersion: [glesVersion >>> 16, glesVersion & 0xffff] } : {},
    ...claims ? { claims: claimsOf(claims) } : {},
  };
}

function claimsOf(claims: TreeClaims): FeatureClaims {
  const { level, version, compute } = VULKAN_FEATURES, of = (name: string) => claimedValue(claims, name) ?? -1;
  return { level: of(level), version: of(version), compute: of(compute) };
}

/** Milliseconds for opening and closing a driver. */
const OPENING = 120_000, CLOSING = 20_000;
/** A number greater than the number of waits in one trial. */
const WAITS = 8;

/** The end of a process: with its result, or during a trial. */
interface Ending {
  readonly last?: ChildLine;
  /** The rule that was tried, or the call that was made, at the end. */
  readonly at?: string;
  /** The last call that returned. */
  readonly after?: string;
  /** The kind of end, as a sentence. */
  readonly how: string;
}

/**
 * Checks a Vulkan driver in a process of its own, which the driver may hang or crash. The trial of that moment has then
 * failed, and another process continues with the remaining trials. `tell` gets each verdict as soon as it is known.
 */
async function checkApart(
  options: VulkanCheckOptions,
  tell: (verdict: Verdict) => void,
): Promise<ChildLine> {
  const lost: Record<string, string> = {}, told = new Set<string>();
  const once = (verdict: Verdict) => {
    if (!told.has(verdict.rule)) tell(verdict);
    told.add(verdict.rule);
  };
  for (;;) {
    const { last, at, after, how } = await runOnce({ ...options, lost, mayDie: true }, once);
    if (last) return last;
    if (at === undefined || at in lost) {
      const where = at ? ` in ${at}` : after ? ` after ${after}` : "";
      return { notRun: `The process that checked the driver ${how}${where}` };
    }
    lost[at] = `the process ${how}`;
  }
}

async function runOnce(options: VulkanCheckOptions, tell: (verdict: Verdict) => void): Promise<Ending> {
  const file = new URL("./child.ts", import.meta.url).href, { timeout = DEFAULT_TIMEOUT } = options;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", ...ownFlags(file), file],
    env: { [CHECK_VARIABLE]: JSON.stringify(options) },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let at: string | undefined,
    after: string | undefined,
    last: ChildLine | undefined,
    hung: string | undefined,
    timer: ReturnType<typeof setTimeout> | undefined;
  const watch = (milliseconds: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      hung = `did not come back within ${milliseconds / 1000} s and was ended`;
      child.kill("SIGKILL");
    }, milliseconds);
  };
  watch(OPENING);
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream())) {
    const line = parsed(text);
    if (line?.begin !== undefined) watch(WAITS * timeout);
    after = line?.returned ?? after;
    at = line?.begin ?? line?.call ?? (line?.end || line?.returned ? undefined : at);
    if (line?.end) tell(line.end);
    if (line?.report || line?.wrong !== undefined || line?.notRun !== undefined) last = line;
    if (last) watch(CLOSING); // only the driver is left to close
  }
  const { signal, code } = await child.status;
  clearTimeout(timer);
  return { last, at, after, how: hung ?? (signal ? `was ended by ${signal}` : `ended with exit code ${code}`) };
}

/** Parses a line of the process; `undefined` for a line that the driver printed. */
function parsed(text: string): ChildLine | undefined {
  try {
    const line = JSON.parse(text);
    return typeof line === "object" && line !== null ? line : undefined;
  } catch {
    return undefined;
  }
}

/** Splits a stream of text into its lines, without line breaks. */
class TextLineStream extends TransformStream<string, string> {
  constructor() {
    let rest = "";
    super({
      transform(text, lines) {
        const parts = (rest + text).split("\n");
        rest = parts.pop()!;
        for (const line of parts) lines.enqueue(line);
      },
      flush(lines) {
        if (rest !== "") lines.enqueue(rest);
      },
    });
  }
}
