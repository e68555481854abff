import { escaped } from "../../pages/page_parts.ts";
import type { Budget } from "../testing/options.ts";
import type { GpuTestTimes } from "../testing/outcome.ts";
import type { RunResult } from "../deqp/run_tasks.ts";
import type { GpuTestDetails } from "../test/work.ts";
import { section, table } from "../../pages/report_page.ts";

const WHO = { gpu: "device", cpu: "processor", wall: "in all" } as const;

/** Returns what a test may take and took, as bars; `""` for a test without a budget. */
export function budgetTable(name: string, budget: Budget | undefined, measured: GpuTestTimes | undefined): string {
  const rows = budgetRows(budget, measured);
  if (rows.length === 0) return "";
  return `<h4>Budget</h4>${
    table(`Budget of ${name}`, HEAD, [`<tbody>${rows.map((cells) => `<tr>${cells}</tr>`).join("")}</tbody>`])
  }`;
}

/** Returns the budgets of all results. */
export function budgetSection(results: readonly RunResult<GpuTestDetails>[]): string {
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
