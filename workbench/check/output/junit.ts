import { type JUnitCase, junitXml } from "../../../loader/junit.ts";
import type { Verdict } from "../../../loader/requirements/verdict.ts";
import type { CheckReport, PartReport } from "../report.ts";

/** A report as JUnit's XML: a suite for each part, a case for each rule. A part that was not run is a skipped case. */
export function checkJunit({ parts }: CheckReport): string {
  return junitXml(parts.map((part) => ({ name: `check ${part.part}`, cases: casesOf(part) })));
}

function casesOf({ part, notRun, isNamed, verdicts }: PartReport): JUnitCase[] {
  if (notRun === undefined) return verdicts.map(caseOf);
  const name = `${part}.run`, classname = part;
  return [isNamed ? { name, classname, failure: { message: notRun, text: "" } } : { name, classname, skipped: notRun }];
}

function caseOf({ id, rule, requirement, source, status, found, advice }: Verdict): JUnitCase {
  const name = rule, classname = id;
  if (status === "not-applicable") return { name, classname, skipped: found };
  if (status !== "fail") return { name, classname, output: `${requirement}\n${found}\n${source}` };
  const text = `${requirement}\nFound: ${found}\nChange: ${advice}\nSource: ${source}`;
  return { name, classname, failure: { message: found, text } };
}
