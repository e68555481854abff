import type { CheckReport } from "../../../../workbench/check/report.ts";
import type { RunFacts } from "../../../../workbench/runs/report/test_page.ts";
import type { RunOutcome, RunResult } from "../../../../workbench/runs/deqp/run_tasks.ts";
import type { GpuTestDetails } from "../../../../workbench/runs/test/work.ts";
import { runOf } from "../../../../workbench/runs/deqp/judge.ts";
import type { DeqpOutcome, DeqpRun } from "../../../../workbench/runs/deqp/options.ts";
import type { DeqpStatus } from "../../../../workbench/runs/deqp/status.ts";
import { differencePicture } from "../../../../workbench/runs/testing/compare.ts";
import { writePng } from "../../../../workbench/runs/testing/golden.ts";

/** A name with what HTML would read as its own. */
export const ODD_NAME = `draws <b> & "quotes" 'too'`;

/** The facts of a page besides results, with two runs before. */
export const FACTS: RunFacts = {
  time: "2026-01-02T03:04:05.678Z",
  again: "pumice test '<a>'",
  runs: [
    { time: "2026-01-02T03:04:05.678Z", statuses: { [`a.ts / ${ODD_NAME} / one`]: "Fail" } },
    { time: "2026-01-01T03:04:05.678Z", statuses: { [`a.ts / ${ODD_NAME} / one`]: "Pass" } },
  ],
};

/** A run of two tests on two drivers, and a file that cannot be loaded. Pictures lie in `folder`. */
export function sampleRun(folder: string): RunOutcome<GpuTestDetails> {
  const files = { actual: `${folder}/a.png`, expected: `${folder}/e.png`, difference: `${folder}/d.png` };
  const picture = (red: number) => ({ width: 64, height: 48, data: new Uint8Array(64 * 48 * 4).fill(red) });
  writePng(files.actual, picture(200)), writePng(files.expected, picture(90));
  writePng(files.difference, differencePicture(picture(90), picture(200)));
  const budget = { wall: 10, gpu: 1 }, measured = { gpu: 2, cpu: 4, wall: 5 };
  const results = [
    testResult(ODD_NAME, "one", "failed", "Fail", { picture: { name: "p", ...files }, repro: "deno run <repro>" }),
    testResult(ODD_NAME, "two", "passed", "Pass", { measured }, budget),
    testResult("waits", "one", "timed out", "Timeout", { where: "in vkWaitForFences", measured }, budget),
    testResult("waits", "two", "skipped", "Skip", {}),
    testResult("", "", "failed", "InternalError", {}),
  ];
  return { ...runOf(results), results };
}

function testResult(
  test: string,
  driver: string,
  outcome: DeqpOutcome,
  status: DeqpStatus,
  more: Partial<NonNullable<GpuTestDetails["result"]>>,
  budget?: GpuTestDetails["budget"],
): RunResult<GpuTestDetails> {
  const place = { file: "a.ts", line: 7, test, driver }, name = ["a.ts", test, driver].filter(Boolean).join(" / ");
  const result = { file: "file:///a.ts", test, driver, status: "failed", ...more } as const;
  const message = outcome === "passed" ? "" : `<script>alert("${status}")</script>`;
  return { name, outcome, status, message, seconds: 1, attempts: [status], details: { place, result, budget } };
}

/** Cases of dEQP in groups. */
export function sampleCases(): DeqpRun {
  const cases: [string, DeqpOutcome, DeqpStatus][] = [
    ["dEQP-VK.api.smoke.pass", "passed", "Pass"],
    ["dEQP-VK.api.smoke.<fail>", "crashed", "Crash"],
    ["dEQP-VK.wsi.only.known", "expected", "Fail"],
    ["dEQP-VK.wsi.only.skipped", "skipped", "Skip"],
  ];
  return runOf(cases.map(([name, outcome, status]) => {
    return {
      name,
      outcome,
      status,
      message: outcome === "crashed" ? "<b>bad</b>" : "",
      seconds: 1,
      attempts: [status],
    };
  }));
}

/** A check with a failure and much to say. */
export function sampleCheck(): CheckReport {
  const verdict = (id: string, status: "fail" | "pass" | "report", found: string) => ({
    ...{ id, status, found, own: "driver" as const, rule: `vulkan.${id}`, requirement: `A driver has <${id}>.` },
    ...{ source: "CDD 7.1.4.2; CTS VulkanFeaturesTest#testAll", advice: status === "pass" ? "" : "add <it>" },
  });
  const verdicts = [
    verdict("VK1", "pass", "1"),
    verdict("VK2", "report", "many words ".repeat(60)),
    verdict("VK3", "fail", "<none>"),
  ];
  return {
    ...{ release: 17, good: false, counts: { pass: 1, fail: 1, report: 1, "not-applicable": 0 } },
    parts: [
      { part: "vulkan", subject: "lib<x>.so", isNamed: true, verdicts },
      { part: "egl", subject: "", isNamed: false, notRun: "no <driver>", verdicts: [] },
    ],
  };
}
