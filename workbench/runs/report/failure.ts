import { outcomeText } from "../deqp/judge.ts";
import { escaped, folded, pictureParts, pngOf, pre } from "../../pages/page_parts.ts";
import type { FailedPicture } from "../testing/outcome.ts";
import type { RunResult } from "../deqp/run_tasks.ts";
import type { GpuTestDetails } from "../test/work.ts";
import { budgetTable } from "./budgets.ts";
import type { PastRun } from "./folder.ts";
import { historyText } from "./history.ts";
import { badge } from "../../pages/report_page.ts";

type Result = RunResult<GpuTestDetails>;

/** Returns everything about a result that was not as expected. */
export function failureParts(id: string, result: Result, runs: readonly PastRun[]): string {
  const { name, status, outcome, message, attempts, details } = result, { place, output } = details ?? {};
  const { result: ran, budget } = details ?? {}, at = place && `${place.file}${place.line ? `:${place.line}` : ""}`;
  const history = historyText(runs, name);
  const facts = [
    ["driver", place?.driver],
    ["device", ran?.device],
    ["file", at],
    ["it was", ran?.where],
    ["attempts", attempts.length > 1 ? attempts.join(", ") : undefined],
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
