import { escaped, folded, pictureParts, pngOf, pre } from "../../pages/page_parts.ts";
import { badge, filters, kindOf, reportPage, section, table } from "../../pages/report_page.ts";
import { isBad, outcomeText, statusText } from "../deqp/judge.ts";
import type { RunOutcome, RunResult } from "../deqp/run_tasks.ts";
import { byFile } from "../test/text.ts";
import type { GpuTestDetails } from "../test/work.ts";
import type { Budget } from "../testing/options.ts";
import type { FailedPicture, GpuTestTimes } from "../testing/outcome.ts";
import type { PastRun } from "./folder.ts";
import { historySection, historyText } from "./history.ts";

type Result = RunResult<GpuTestDetails>;

/** Returns everything about a result that was not as expected. */
function failureParts(id: string, result: Result, runs: readonly PastRun[]): string {
  const { name, status, outcome, message, attempts, details } = result, { place, output } = details ?? {};
  const { result: ran, budget } = details ?? {}, at = place && `${place.file}${place.line ? `:${place.line}` : ""}`;
  const history = historyText(runs, name);
  const facts = [
    ["driver", place?.driver],
    ["device", ran?.device],
    ["file", at],
    ["it was", ran?.where],
    ["attempts", attempts.length > 1 ? attempts.map(statusText).join(", ") : undefined],
  ].filter(([, value]) => value).map(([term, value]) => `<dt>${term}</dt><dd>${escaped(value!)}</dd>`);
  return `<article id="${id}" aria-labelledby="${id}-name"><h3 id="${id}-name">${
    badge(outcomeText({ outcome, status }), outcome === "flaky" ? "note" : "bad")
  } ${escaped(place?.test || name)}${place?.driver ? ` <span class="note">${escaped(place.driver)}</span>` : ""}</h3>
<dl>${facts.join("")}${history && `<dt>history</dt><dd>${history}</dd>`}</dl>
${message ? pre(message) : ""}${ran?.picture ? pictures(ran.picture) : ""}${budgetTable(name, budget, ran?.measured)}
${ran?.repro ? `<h4>Run it again</h4>${pre(ran.repro)}` : ""}${
    output ? folded("What it printed", output) : ""
  }</article>`;
}

function pictures({ name, actual, expected, difference }: FailedPicture): string {
  const heading = `<h4>Picture ${escaped(name)}</h4>`;
  const [one, other, apart] = [expected, actual, difference].map((path) =>
    path === undefined ? undefined : fileAt(path)
  );
  if (!other) return `${heading}<p class="note">${escaped(actual)} is not there any more</p>`;
  if (one && apart) {
    return heading + pictureParts({
      width: widthOf(other),
      names: ["golden", "actual"],
      pictures: [pngOf(one, "golden"), pngOf(other, "actual")],
      difference: pngOf(apart, "difference"),
    });
  }
  const shown = [...one ? [["golden", one] as const] : [], ["actual", other] as const];
  return `${heading}<div class="pictures hand">${
    shown.map(([each, file]) => `<figure><figcaption>${each}</figcaption>${pngOf(file, each)}</figure>`).join("")
  }</div>`;
}

/** PNG has the width behind its signature and the head of its first chunk. */
function widthOf(png: Uint8Array<ArrayBuffer>): number {
  return new DataView(png.buffer, png.byteOffset).getUint32(16);
}

function fileAt(path: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Deno.readFileSync(path);
  } catch {
    return undefined;
  }
}

/** The facts of a page besides the results. */
export interface RunFacts {
  /** The beginning of the run, in ISO 8601. */
  readonly time: string;
  /** The command line that repeats the run. */
  readonly again: string;
  /** The runs of the folder, the newest first. */
  readonly runs: readonly PastRun[];
}

/** Returns a page about a run of driver tests. */
export function testPage({ results, counts, isGood }: RunOutcome<GpuTestDetails>, facts: RunFacts): string {
  const bad = results.filter(isUnexpected), ids = new Map(bad.map(({ name }, index) => [name, `result-${index + 1}`]));
  const parts = Object.entries(counts).filter(([, count]) => count > 0).map(([outcome, count]) =>
    `${count} ${outcome}`
  );
  return reportPage({
    title: bad.length === 0
      ? `${results.length} results as expected`
      : `${bad.length} of ${results.length} results not as expected`,
    isGood,
    facts: [["time", facts.time], ["results", parts.join(", ")]],
    sections: [
      section("matrix", "Tests and drivers", matrix(results, ids)),
      bad.length === 0 ? "" : section(
        "failures",
        "Not as expected",
        bad.map((each) => failureParts(ids.get(each.name)!, each, facts.runs)).join("\n"),
      ),
      budgetSection(results),
      historySection(facts.runs, results.map(({ name }) => name)),
      section("again", "Run it again", pre(facts.again)),
    ],
  });
}

function isUnexpected({ outcome }: Result): boolean {
  return isBad(outcome) || outcome === "flaky";
}

function matrix(results: readonly Result[], ids: ReadonlyMap<string, string>): string {
  const drivers = [...new Set(results.flatMap(({ details }) => details?.place.driver || []))];
  const groups = [...byFile(results)].map(([file, own]) => {
    const rows = [...Map.groupBy(own, ({ details }) => details?.place.test ?? "")];
    const head = `<tr class="group"><th scope="rowgroup" colspan="${drivers.length + 1}">${escaped(file)}</th></tr>`;
    return `<tbody data-group>${head}${
      rows.map(([test, cells]) => row(file, test, cells, drivers, ids)).join("\n")
    }</tbody>`;
  });
  const count = groups.length === 0
    ? 0
    : new Set(results.map(({ details }) => `${details?.place.file}\n${details?.place.test}`)).size;
  const kinds = Object.fromEntries(results.map(({ outcome }) => [kindOf(outcome), outcome]));
  return filters("tests", kinds, count) +
    table("Results by test and driver", ["test", ...drivers.map(escaped)], groups);
}

function row(
  file: string,
  test: string,
  results: readonly Result[],
  drivers: readonly string[],
  ids: ReadonlyMap<string, string>,
): string {
  const text = escaped(`${file} / ${test}`.toLowerCase()),
    kinds = [...new Set(results.map(({ outcome }) => kindOf(outcome)))].join(" ");
  const cells = drivers.map((driver) => results.find(({ details }) => details?.place.driver === driver)).map((each) =>
    cell(each, ids)
  );
  const whole = test === ""
    ? `<td colspan="${Math.max(1, drivers.length)}">${inCell(results[0], ids)}</td>`
    : cells.join("");
  return `<tr data-text="${text}" data-kind="${kinds}"><th scope="row">${
    escaped(test || "the file")
  }</th>${whole}</tr>`;
}

function cell(result: Result | undefined, ids: ReadonlyMap<string, string>): string {
  return result ? `<td>${inCell(result, ids)}</td>` : `<td><span class="note" aria-label="not run">–</span></td>`;
}

function inCell(result: Result, ids: ReadonlyMap<string, string>): string {
  const { name, outcome, status, message, details } = result,
    id = ids.get(name),
    { gpu, wall } = details?.result?.measured ?? {};
  const time = outcome === "passed" && wall !== undefined
    ? ` <span class="note">${Number((gpu ?? wall).toPrecision(2))} ms</span>`
    : "";
  if (id) {
    return `<a href="#${id}">${badge(outcomeText({ outcome, status }), outcome === "flaky" ? "note" : "bad")}</a>`;
  }
  return `<span title="${escaped(message)}">${badge(outcome, outcome === "passed" ? "good" : "pale")}</span>${time}`;
}

const WHO = { gpu: "device", cpu: "processor", wall: "in all" } as const;

/** Returns what a test may take and took, as bars; `""` for a test without a budget. */
function budgetTable(name: string, budget: Budget | undefined, measured: GpuTestTimes | undefined): string {
  const rows = budgetRows(budget, measured);
  if (rows.length === 0) return "";
  return `<h4>Budget</h4>${
    table(`Budget of ${name}`, HEAD, [`<tbody>${rows.map((cells) => `<tr>${cells}</tr>`).join("")}</tbody>`])
  }`;
}

/** Returns the budgets of all results. */
function budgetSection(results: readonly RunResult<GpuTestDetails>[]): string {
  const groups = results.flatMap(({ name, details }) => {
    const rows = budgetRows(details?.budget, details?.result?.measured);
    if (rows.length === 0) return [];
    return [
      `<tbody><tr class="group"><th scope="rowgroup" colspan="${HEAD.length}">${escaped(name)}</th></tr>${
        rows.map((cells) => `<tr>${cells}</tr>`).join("")
      }</tbody>`,
    ];
  });
  return groups.length === 0 ? "" : section("budgets", "Budgets", table("Budgets and what was measured", HEAD, groups));
}

const HEAD = ["time", "measured", "limit", "share"];

function budgetRows(budget: Budget = {}, measured: GpuTestTimes | undefined): string[] {
  return (Object.keys(WHO) as (keyof Budget)[]).flatMap((kind) => {
    const limit = budget[kind], taken = measured?.[kind];
    if (limit === undefined) return [];
    const share = taken === undefined || limit <= 0 ? undefined : taken / limit,
      isOver = share !== undefined && share > 1;
    const bar = share === undefined
      ? "unknown"
      : `<span class="bar${isOver ? " over" : ""}" aria-hidden="true"><i style="width: ${
        Math.min(100, 100 * share).toFixed(1)
      }%"></i></span> ${shareText(share)}`;
    return [
      `<th scope="row">${WHO[kind]}</th><td class="number">${timeText(taken)}</td><td class="number">${
        timeText(limit)
      }</td><td>${bar}${isOver ? " over" : ""}</td>`,
    ];
  });
}

function shareText(share: number): string {
  return share >= 100 ? `${Math.round(share)} times` : `${Math.round(100 * share)} %`;
}

function timeText(milliseconds: number | undefined): string {
  return milliseconds === undefined ? "unknown" : `${Number(milliseconds.toPrecision(3))} ms`;
}
