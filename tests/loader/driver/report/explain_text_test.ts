import { assertEquals } from "@std/assert";
import { explainText } from "../../../../loader/driver/report/finding.ts";
import type { Finding } from "../../../../loader/mod.ts";

Deno.test("explainText() groups by subject and aligns in columns", () => {
  const findings: Finding[] = [
    { subject: "driver", path: "/a.so", origin: "/a.json", taken: false, reason: "is broken" },
    { subject: "variable", path: "X", value: "1", origin: "environment", taken: true, reason: "counts" },
    { subject: "variable", path: "LONG", origin: "environment", taken: false, reason: "does not" },
    { subject: "property", path: "ro.x", value: "y", origin: "device", taken: true, reason: "read" },
    { subject: "driver", path: "/longer.so", origin: "/b.json", taken: true, reason: "is good" },
  ];
  assertEquals(
    explainText(findings),
    [
      "Properties",
      "  set    ro.x=y  from device",
      "Variables",
      "  honoured  X=1   counts",
      "  ignored   LONG  does not",
      "Drivers",
      "  refused  /a.so       is broken (/a.json)",
      "  taken    /longer.so  is good (/b.json)",
    ].join("\n"),
  );
});

Deno.test("explainText() gives reasons lines of their own where a name is long", () => {
  const path = `/${"x".repeat(60)}.so`, finding = { subject: "driver", origin: "here", taken: true } as const;
  const text = explainText([{ ...finding, path, reason: "two\n  lines" }, {
    ...finding,
    path: "/a.so",
    reason: "one",
  }]);
  assertEquals(
    text,
    `Drivers\n  taken    ${path}\n             two lines (here)\n  taken    /a.so\n             one (here)`,
  );
});

Deno.test("explainText() says nothing about nothing", () => {
  assertEquals(explainText([]), "");
});
