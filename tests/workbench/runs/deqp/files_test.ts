import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { listLines, parsePatterns, readCaseList } from "../../../../workbench/runs/deqp/case_list.ts";
import { deqpJunit, parseQpa, parseResults, resultLines } from "../../../../workbench/runs/deqp/results_file.ts";
import { diffDeqp, diffText } from "../../../../workbench/runs/deqp/diff.ts";
import { judge, runOf } from "../../../../workbench/runs/deqp/judge.ts";
import { isObliged, levelText, obligedLists } from "../../../../workbench/runs/deqp/obligations.ts";
import { OutputReader } from "../../../../workbench/runs/deqp/output.ts";
import { type DeqpCase, type DeqpStatus, isGood, statusOf } from "../../../../workbench/runs/deqp/status.ts";
import { withFolder } from "../../../support/temporary.ts";

const STATUSES: readonly DeqpStatus[] = ["Pass", "Fail", "NotSupported", "Crash", "Timeout", "DeviceLost", "Waiver"];

function ended(name: string, status: DeqpStatus): DeqpCase {
  return { name, status, message: "" };
}

Deno.test("readCaseList() reads lists and the lists they name, each case once, without comments", () => {
  withFolder((folder) => {
    Deno.mkdirSync(`${folder}/vk`);
    Deno.writeTextFileSync(`${folder}/main.txt`, "# all\nvk/api.txt\r\n\ndEQP-VK.info.build # known\nvk/api.txt\n");
    Deno.writeTextFileSync(`${folder}/vk/api.txt`, "dEQP-VK.api.a\ndEQP-VK.api.b\n");
    assertEquals(readCaseList(`${folder}/main.txt`), ["dEQP-VK.api.a", "dEQP-VK.api.b", "dEQP-VK.info.build"]);
    Deno.writeTextFileSync(`${folder}/vk/api.txt`, "../main.txt\n");
    assertThrows(() => readCaseList(`${folder}/main.txt`), TypeError, "contains itself");
    assertThrows(() => readCaseList(`${folder}/none.txt`), Deno.errors.NotFound);
  });
});

Deno.test("parsePatterns() takes regular expressions, groups and wildcards, and nothing for an empty file", () => {
  const names = ["dEQP-VK.a.b", "dEQP-VK.a.bc", "dEQP-VK.a.b.c", "dEQP-VKxa.b"];
  const of = (text: string) => names.map(parsePatterns(text));
  assertEquals(of("dEQP-VK\\.a\\.b"), [true, false, true, false]);
  assertEquals(of("dEQP-VK\\.a"), [true, true, true, false]);
  assertEquals(of("*.b*"), [true, true, true, true]);
  assertEquals(of("*(x"), [false, false, false, false]);
  assertEquals(of("# none\n"), [false, false, false, false]);
});

Deno.test("parseResults() reads what resultLines() writes, whatever the cases", () => {
  const name = fc.stringMatching(/^dEQP-VK(\.[a-z0-9_]{1,8}){1,4}$/), status = fc.constantFrom(...STATUSES);
  const seconds = fc.option(fc.integer({ min: 0, max: 9999 }).map((each) => each / 1000), { nil: undefined });
  fc.assert(fc.property(fc.array(fc.record({ name, status, seconds })), (results) => {
    const cases = results.map((each): DeqpCase => ({ ...each, message: "" }));
    const read = parseResults(resultLines(cases));
    assertEquals(
      read.map((each) => [each.name, each.status, each.seconds]),
      cases.map((each) => {
        return [each.name, each.status, each.seconds];
      }),
    );
  }));
});

Deno.test("parseResults() reads baselines, and refuses lines without a status", () => {
  assertEquals(parseResults("# known\na.b,Fail\nc.d,crash,0.5\n").map(({ status }) => status), ["Fail", "Crash"]);
  assertThrows(() => parseResults("a.b"), TypeError, 'Cannot read "a.b"');
  assertThrows(() => parseResults("a.b,Perhaps"), TypeError, "name,status");
});

const QPA = `#sessionInfo releaseName git
#beginSession

#beginTestCaseResult dEQP-VK.a.pass
<?xml version="1.0" encoding="UTF-8"?>
<TestCaseResult Version="0.3.4" CasePath="dEQP-VK.a.pass" CaseType="SelfValidate">
 <Number Name="TestDuration" Description="Test case duration in microseconds" Tag="Time" Unit="us">1500</Number>
 <Result StatusCode="Pass">Passed &amp; more</Result>
</TestCaseResult>

#endTestCaseResult

#beginTestCaseResult dEQP-VK.a.hung
<TestCaseResult>
#terminateTestCaseResult Timeout

#beginTestCaseResult dEQP-VK.a.cut
<TestCaseResult>`;

Deno.test("parseQpa() reads dEQP's log, also where it was cut off", () => {
  assertEquals(parseQpa(QPA), [
    { name: "dEQP-VK.a.pass", status: "Pass", message: "Passed & more", seconds: 0.0015 },
    { name: "dEQP-VK.a.hung", status: "Timeout", message: "Timeout" },
    { name: "dEQP-VK.a.cut", status: "Crash", message: "" },
  ]);
  assertEquals(parseResults(QPA).length, 3);
});

Deno.test("OutputReader reads the same wherever the pieces of the output end", () => {
  const text = "noise\n\nTest case 'a.b'..\n  Pass (ok)\nTest case 'a.c'..\nWARNING: x\n  Fail (got (1))\n" +
    "Test case 'a.d'..\n  Pass (:()\nnoise\nTest case 'a.e'..\n  Fail (two\r\n\nlines (2))\r\nTest case 'd'..\n";
  fc.assert(fc.property(fc.array(fc.integer({ min: 0, max: text.length })), (cuts) => {
    const results: string[] = [], places = [0, ...cuts.toSorted((one, other) => one - other), text.length];
    const reader = new OutputReader({
      started: () => {},
      ended: ({ name, status, message }) => results.push(`${name} ${status} ${message}`),
    });
    places.slice(1).forEach((to, index) => reader.write(text.slice(places[index], to)));
    const wanted = ["a.b Pass ok", "a.c Fail got (1)", "a.d Pass :(", "a.e Fail two\n\nlines (2)"];
    assertEquals([results, reader.running], [wanted, "d"]);
  }));
});

Deno.test("diffDeqp() sorts what changed between two drivers", () => {
  const before = [ended("a", "Pass"), ended("b", "Fail"), ended("c", "Fail"), ended("d", "Pass"), ended("e", "Pass")];
  const after = [ended("a", "Crash"), ended("b", "Pass"), ended("c", "Crash"), ended("d", "Pass"), ended("f", "Pass")];
  const diff = diffDeqp(before, after);
  const names = ({ name }: { name: string }) => name;
  assertEquals([diff.broken.map(names), diff.fixed.map(names), diff.changed.map(names)], [["a"], ["b"], ["c"]]);
  assertEquals([diff.alone.map(names), diff.same], [["e", "f"], 1]);
  assertEquals(diffText(diff).split("\n"), [
    ...["Fails now (1)", "  a: passed → crashed", "Fails no more (1)", "  b: failed → passed"],
    ...[
      "Ends otherwise (1)",
      "  c: failed → crashed",
      "In one run only (2)",
      "  e: passed → not run",
      "  f: not run → passed",
    ],
    "1 ended the same way",
  ]);
});

Deno.test("deqpJunit() has a case for each result: failures, what was skipped, flakes as passed", () => {
  const baseline = new Map<string, DeqpStatus>([["a.fixed", "Fail"], ["a.known", "Fail"]]);
  const results = [
    judge("a.pass", [ended("a.pass", "Pass")], {}),
    judge("a.fail", [ended("a.fail", "Crash")], {}),
    judge("a.known", [ended("a.known", "Fail")], { baseline }),
    judge("a.fixed", [ended("a.fixed", "Pass")], { baseline }),
    judge("a.flake", [ended("a.flake", "Fail"), ended("a.flake", "Pass")], {}),
    judge("a.none", [], {}),
  ];
  const xml = deqpJunit(runOf(results), "driver");
  assertEquals(/<testsuite name="driver" tests="6" failures="3" skipped="1">/.test(xml), true, xml);
  assertEquals(/<testcase name="flake" classname="a" time="0.000">\s*<system-out>/.test(xml), true, xml);
});

Deno.test("obligedLists() names the lists up to the claim, and isObliged() agrees with it", () => {
  assertEquals(obligedLists("vulkan", 132514561), [
    ...["vk-main-2019-03-01", "vk-main-2020-03-01", "vk-main-2021-03-01", "vk-main-2022-03-01"],
  ]);
  assertEquals(obligedLists("opengles", "2021-03-01"), [
    ...["egl-main-2020-03-01", "gles2-main-2020-03-01", "gles2-main-2021-03-01", "gles3-main-2020-03-01"],
    ...["gles3-main-2021-03-01", "gles31-main-2020-03-01", "gles31-main-2021-03-01"],
  ]);
  for (const list of obligedLists("vulkan", "2026-03-01")) {
    assertEquals(isObliged(list, "2023-03-01"), obligedLists("vulkan", "2023-03-01").includes(list), list);
  }
  const lists = ["vk-main-2024-03-01-part1.txt", "vk-default.txt", "x/vk-main-2022-03-01.txt"];
  assertEquals(lists.map((list) => isObliged(list, "2022-03-01")), [false, true, true]);
  assertEquals(isObliged("vk-main-2026-03-01", undefined), true);
  assertEquals(levelText("2022-03-01"), "2022-03-01 (132514561)");
  assertThrows(() => obligedLists("vulkan", "2022"), TypeError, "give a date");
});

Deno.test("statusOf() knows dEQP's words in any case, and no others", () => {
  assertEquals([statusOf("pass"), statusOf("NOTSUPPORTED"), statusOf("toString"), statusOf("")], [
    ...["Pass", "NotSupported", undefined, undefined],
  ] as (DeqpStatus | undefined)[]);
  assertEquals(STATUSES.map(isGood), [true, false, true, false, false, false, true]);
  assertEquals(listLines("a\n#b\n c # d\n"), ["a", "c"]);
});
