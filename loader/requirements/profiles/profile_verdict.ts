import type { Circumstances } from "../rule.ts";
import { type Outcome, type Verdict, verdictOf } from "../verdict.ts";
import { NOT_FOR_CPUS, sourceOf, whyNotDemanded } from "./demanded.ts";
import { missText, type ProfileMiss, type ProfileReport } from "./report.ts";

/** How many misses a sentence lists. The report has all of them. */
const TOLD = 8;

/** VK23: returns the verdict of comparing a device with a profile. */
export function profileVerdict(report: ProfileReport, around: Circumstances): Verdict {
  const { name } = report;
  const rule = {
    id: "VK23",
    rule: profileRule(name),
    requirement: `A device has everything of the profile ${name}.`,
    source: sourceOf(name),
  };
  return verdictOf(rule, outcomeOf(report, around));
}

/** Returns the rule name of a profile's check. */
export function profileRule(profile: string): string {
  return `vulkan.profile.${profile}`;
}

function outcomeOf({ name, asked, misses, supported }: ProfileReport, around: Circumstances): Outcome {
  if (supported) return { status: "pass", found: `all ${asked}`, own: "driver" };
  const found = `${misses.length} of ${asked} missing: ${told(misses)}`, excuse = whyNotDemanded(name, around);
  if (excuse !== undefined) return { status: "report", found: `${excuse}; ${found}` };
  if (around.cpuOnly) return ofCpus(found, misses);
  return { status: "fail", found, advice: "the driver must bring every one of them" };
}

/** CTS compares CPUs with a variant of which only the extensions are known here. */
function ofCpus(found: string, misses: readonly ProfileMiss[]): Outcome {
  if (misses.every(({ kind, name }) => kind === "extension" && NOT_FOR_CPUS.has(name))) {
    return { status: "pass", found: `${found}, which CTS does not ask of drivers that have CPUs alone`, own: "driver" };
  }
  return { status: "report", found: `${found}; CTS asks less of drivers that have CPUs alone` };
}

function told(misses: readonly ProfileMiss[]): string {
  const texts = misses.slice(0, TOLD).map(missText);
  return misses.length > TOLD ? `${texts.join("; ")}; and ${misses.length - TOLD} more` : texts.join("; ");
}
