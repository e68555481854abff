import { escaped } from "../../pages/page_parts.ts";
import type { RequirementStatus, Verdict } from "../../../loader/requirements/verdict.ts";
import { type CheckReport, countsOf, type PartReport, resultText, TITLES, VERDICT_WORDS } from "../report.ts";
import { badge, filters, reportPage, section, table } from "../../pages/report_page.ts";

/** The order of statuses: what fails comes first. */
const ORDER: readonly RequirementStatus[] = ["fail", "report", "pass", "not-applicable"];
const KINDS = { fail: "bad", report: "note", pass: "good", "not-applicable": "pale" } as const;

/** Characters of a cell that are shown at once, and of the beginning of a longer text. */
const LONG = 220, BEGINNING = 120;

/** Returns a page about a check: what fails and what to change, then every verdict, part by part. */
export function checkPage(report: CheckReport): string {
  const { release, good, counts, parts, written = [] } = report;
  const failed = parts.flatMap(({ part, verdicts }) => withStatus(verdicts, "fail").map((each) => ({ part, each })));
  const countsText = ORDER.map((status) => `${counts[status]} ${VERDICT_WORDS[status]}`).join(", ");
  return reportPage({
    title: `Check for Android ${release}: ${resultText(report)}`,
    isGood: good,
    facts: [["verdicts", countsText], ...written.map((path) => ["written", path] as const)],
    sections: [
      failed.length === 0 ? "" : section(
        "failures",
        "What fails",
        failed.map(({ part, each }, index) => failure(`fail-${index + 1}`, TITLES[part], each)).join("\n"),
      ),
      ...parts.map((each) => section(`part-${each.part}`, TITLES[each.part], partText(each))),
    ],
  });
}

function withStatus(verdicts: readonly Verdict[], status: RequirementStatus): Verdict[] {
  return verdicts.filter((each) => each.status === status);
}

function failure(
  id: string,
  part: string,
  { id: number, requirement, found, advice, source, rule, own }: Verdict,
): string {
  const facts = [["found", escaped(found)], ["change", escaped(advice)], ["owner", own ?? ""], [
    "source",
    sourceLink(source),
  ], ["rule", `<code>${escaped(rule)}</code>`]]
    .filter(([, value]) => value !== "").map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`);
  return `<article aria-labelledby="${id}"><h3 id="${id}">${badge(number, "bad")} ${
    escaped(requirement)
  } <span class="note">${escaped(part)}</span></h3>
<dl>${facts.join("")}</dl></article>`;
}

function partText({ part, subject, notRun, verdicts }: PartReport): string {
  const about = subject ? `<p>${escaped(subject)}</p>` : "";
  if (notRun !== undefined) return `${about}<p class="note">Not run: ${escaped(notRun)}</p>`;
  const sorted = ORDER.flatMap((status) => withStatus(verdicts, status)), counts = countsOf(verdicts);
  const kinds = Object.fromEntries(ORDER.filter((each) => counts[each] > 0).map((each) => [each, VERDICT_WORDS[each]]));
  const head = ["number", "verdict", "requirement", "found", "what to change"];
  const rows = sorted.map(verdictRow);
  return about + filters("verdicts", kinds, verdicts.length) +
    table(`Verdicts about ${TITLES[part]}`, head, [`<tbody>${rows.join("\n")}</tbody>`]);
}

function verdictRow({ id, rule, requirement, found, advice, source, status }: Verdict): string {
  const text = escaped(`${id} ${rule} ${requirement} ${found}`.toLowerCase());
  const where = `<br><span class="note">${sourceLink(source)}; <code>${escaped(rule)}</code></span>`;
  return `<tr data-text="${text}" data-kind="${status}"><th scope="row" class="short">${escaped(id)}</th><td>${
    badge(VERDICT_WORDS[status], KINDS[status])
  }</td><td class="text">${escaped(requirement)}${where}</td><td class="text">${
    shortened(found)
  }</td><td class="text">${shortened(advice)}</td></tr>`;
}

/** A long text stands behind its beginning. */
function shortened(text: string): string {
  if (text.length <= LONG) return escaped(text);
  return `<details><summary>${escaped(text.slice(0, text.lastIndexOf(" ", BEGINNING)))} …</summary>${
    escaped(text)
  }</details>`;
}

/** The sources, with links where the documents are known to be public. */
function sourceLink(source: string): string {
  return source.split("; ").map((each) => {
    const address = addressOf(each);
    return address === undefined
      ? escaped(each)
      : `<a href="${escaped(address)}" rel="noreferrer">${escaped(each)}</a>`;
  }).join("; ");
}

function addressOf(source: string): string | undefined {
  if (/^CDD\b/.test(source)) return "https://source.android.com/docs/compatibility/cdd";
  const name = /\b(?:[A-Z]\w*Test(?:#\w+)?|dEQP-[\w.]+)\b/.exec(source)?.[0];
  return name && `https://cs.android.com/search?q=${encodeURIComponent(name.replace("#", " "))}`;
}
