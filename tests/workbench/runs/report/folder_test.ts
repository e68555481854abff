import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { WrongUse } from "../../../../workbench/process/exit_code.ts";
import { ReportFolder } from "../../../../workbench/runs/report/folder.ts";
import { historySection } from "../../../../workbench/runs/report/history.ts";
import type { DeqpResult } from "../../../../workbench/runs/deqp/options.ts";
import type { DeqpStatus } from "../../../../workbench/runs/deqp/status.ts";
import { withFolder } from "../../../support/temporary.ts";

function results(...statuses: DeqpStatus[]): DeqpResult[] {
  return statuses.map((status, index) => {
    return { name: `<${index}>`, status, outcome: "passed", message: "", seconds: 1, attempts: [status] };
  });
}

Deno.test("a folder of reports keeps the statuses of its runs, the newest first, and passes over what is no run", () =>
  withFolder((folder) => {
    const reports = new ReportFolder(`${folder}/new/reports`);
    reports.add("2026-01-01T00:00:00.000Z", results("Pass", "Pass"));
    Deno.writeTextFileSync(`${folder}/new/reports/runs/2025.json`, "[");
    Deno.writeTextFileSync(`${folder}/new/reports/runs/2024.json`, "null");
    const runs = reports.add("2026-01-02T00:00:00.000Z", results("Pass", "Fail"));
    assertEquals(runs.map(({ statuses }) => Object.values(statuses).join()), ["Pass,Fail", "Pass,Pass"]);
    const html = historySection(runs, ["<0>", "<1>"]);
    assertStringIncludes(html, "1 of 2 ended the same way every time");
    assertStringIncludes(html, '<th scope="row">&lt;1&gt;</th>');
    assertStringIncludes(html, "failed, passed</span>");
    for (let day = 10; day < 40; day++) reports.add(`2026-01-${day}`, results("Pass"));
    assertEquals(new ReportFolder(`${folder}/new/reports`).add("2027", results("Pass")).length, 20);
  }));

Deno.test("a folder of reports that cannot be written is refused before anything runs", () =>
  withFolder((folder) => {
    Deno.writeTextFileSync(`${folder}/file`, "");
    Deno.mkdirSync(`${folder}/taken/index.html`, { recursive: true });
    assertThrows(() => new ReportFolder(`${folder}/file`), WrongUse, "is a file; give a folder");
    assertThrows(() => new ReportFolder(`${folder}/taken`), WrongUse, "is a folder; give a file");
  }));
