import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { main } from "../../../cli.ts";
import type { CheckReport, PartName } from "../../../workbench/check/report.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { mesa } from "../../egl/drivers.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { withFolderAsync } from "../../support/temporary.ts";

const LAVAPIPE = lavapipePath(), onLavapipe = needs("Mesa lavapipe", LAVAPIPE);
const onMesa = needs(mesa.part, mesa.found || undefined);
const BOTH = { ignore: onLavapipe.ignore || onMesa.ignore };
const VENDOR = compileFixture("hwc2_vendor");
const EGL = ["--egl-driver=libEGL_mesa.so.0", "--contexts=8"];

/** Runs `check`: the exit code and what it printed. */
async function check(...args: string[]): Promise<{ code: number; text: string }> {
  const lines: string[] = [], code = await main(["check", ...args], (text) => lines.push(text));
  return { code, text: lines.join("\n") };
}

/** Runs it for data. */
async function checked(...args: string[]): Promise<CheckReport & { code: number }> {
  const { code, text } = await check("--json", ...args);
  return { code, ...JSON.parse(text) };
}

function statusOf({ parts }: CheckReport, part: PartName, rule: string): string | undefined {
  return parts.find((each) => each.part === part)?.verdicts.find((each) => each.rule === rule)?.status;
}

/** A file that is there and is no library. */
const NO_LIBRARY = new URL("../../../deno.json", import.meta.url).pathname;

Deno.test("check runs every part, and gives Vulkan's rules the version of OpenGL ES", BOTH, async () => {
  const report = await checked(`--driver=${LAVAPIPE}`, ...EGL, "--composer=eight-plane", "--release=14");
  assertEquals(report.parts.map(({ part, notRun }) => [part, notRun]), [
    ["vulkan", undefined],
    ["egl", undefined],
    ["composer", undefined],
  ]);
  const [vulkan, egl] = report.parts;
  assertStringIncludes(vulkan.subject, "llvmpipe");
  assertStringIncludes(egl.subject, "OpenGL ES 3.2");
  assertEquals(report.release, 14);
  assertEquals(report.code, report.good ? 0 : 1);
  assertEquals(statusOf(report, "composer", "composer.overlays.four"), "pass");
  const gles = vulkan.verdicts.find(({ id, found }) => id === "VK1" && found === "OpenGL ES 3.2");
  assertEquals(gles?.status, "pass");
  const all = report.parts.flatMap(({ verdicts }) => verdicts);
  assertEquals(Object.values(report.counts).reduce((sum, count) => sum + count), all.length);
});

Deno.test("check passes a composer that does all, and exits with 1 for one that does not", async () => {
  assertEquals((await check("--only=composer", "--composer=eight-plane")).code, 0);
  const { code, text } = await check("--only=composer", "--composer=one-plane");
  assertEquals(code, 1);
  assertMatch(text, /failed {2}S3 +At least four overlays/);
  assert(!text.includes("\x1b"), "no colours without a terminal");
});

Deno.test("check opens a vendor's composer by its path", needs("C compiler (cc)", VENDOR), async () => {
  const { code, parts: [{ subject, verdicts }] } = await checked("--only=composer", `--composer=${VENDOR}`);
  assertEquals(code, 1);
  assertStringIncludes(subject, "hwc2_vendor.so · Vendor, 1920 × 1080");
  const of = (name: string) => verdicts.find(({ rule }) => rule === `composer.${name}`);
  assertEquals(of("functions.required")?.status, "pass");
  assertMatch(of("fence.acquire")!.found, /^not tried: the device takes sync_files alone/);
});

Deno.test("check says in a sentence what was not run, and fails only for what was named", async () => {
  const none = await checked("--only=composer,egl", `--egl-driver=${NO_LIBRARY}`);
  assertEquals(none.code, 1);
  const [egl, composer] = none.parts;
  assertStringIncludes(egl.notRun!, NO_LIBRARY);
  assertStringIncludes(composer.notRun!, "give --composer");
  const unfit = await check("--only=composer", `--composer=${NO_LIBRARY}`);
  assertEquals(unfit.code, 1);
  assertStringIncludes(unfit.text.replace(/\s+/g, ""), `Notrun:`);
});

Deno.test("check ends with 2 when something named is not there", async () => {
  for (const option of ["--driver", "--egl-driver", "--composer", "--profile", "--verify"]) {
    const { code, text } = await check("--only=composer", `${option}=/nowhere/it.so`);
    assertEquals([code, text], [2, `${option}: "/nowhere/it.so" is not there\nTry: pumice check --help`]);
  }
});

Deno.test("check --emit writes a device tree that --verify finds right, until it is changed", BOTH, async () => {
  await withFolderAsync(async (folder) => {
    const drivers = [`--driver=${LAVAPIPE}`, ...EGL, "--only=vulkan,egl", "--release=14"];
    const levels = ["--deqp-level=2023-03-01", "--gles-deqp-level=2023-03-01"];
    const { written = [], parts } = await checked(...drivers, ...levels, `--emit=${folder}/tree`);
    const names = written.map((path) => path.slice(path.lastIndexOf("/") + 1));
    assert(names.includes("android.software.opengles.deqp.level-2023-03-01.xml"), names.join());
    assert(names.includes("device.mk"), names.join());
    const version = names.some((name) => name.startsWith("android.hardware.vulkan.version-"));
    const counts = parts[0].verdicts.find(({ rule }) => rule === "vulkan.version-counts")!;
    assertEquals(version, !counts.found.includes("does not count"), `as VK22 says: ${counts.found}`);
    const verify = () => checked(...drivers, `--verify=${folder}/tree`);
    const right = (await verify()).parts.find(({ part }) => part === "tree")!;
    assertEquals([...new Set(right.verdicts.map(({ status }) => status))], ["pass"]);
    const makefile = `${folder}/tree/device.mk`, text = Deno.readTextFileSync(makefile);
    Deno.writeTextFileSync(makefile, text.replace("ro.opengles.version=196610", "ro.opengles.version=196609"));
    const wrong = await verify();
    assertEquals([wrong.code, statusOf(wrong, "tree", "tree.ro.opengles.version")], [1, "fail"]);
    const level = `${folder}/tree/android.software.vulkan.deqp.level-2023-03-01.xml`;
    Deno.writeTextFileSync(level, Deno.readTextFileSync(level).replace("132580097", "5"));
    const mad = await verify(), rule = "tree.android.software.vulkan.deqp.level";
    assertEquals([mad.code, statusOf(mad, "tree", rule)], [1, "fail"]);
    assertStringIncludes(JSON.stringify(mad.parts), "declares 5, which is no date");
  });
});

Deno.test("check writes JUnit's XML beside what it prints, or prints Markdown", async () => {
  const model = ["--only=composer", "--composer=four-plane"];
  await withFolderAsync(async (folder) => {
    for (const [index, option] of [["--junit", `${folder}/0`], [`--junit=${folder}/1`]].entries()) {
      assertEquals(JSON.parse((await check(...model, "--json", ...option)).text).counts.fail, 3);
      assertMatch(Deno.readTextFileSync(`${folder}/${index}`), /^<\?xml.*\n<testsuites tests="\d+" failures="3"/);
    }
  });
  assertMatch((await check(...model, "--markdown")).text, /^# Check for Android 17: .*\n\n## Hardware Composer\n/);
});

Deno.test("check is used wrongly with options that make no sense", async () => {
  const wrong = [
    ...["--release=6", "--release=x", "--launch=99", "--only=vulkan,x", "--contexts=0", "--deqp-level=2022-13-01"],
    ...["--verify=/nowhere", "extra"],
  ];
  for (const args of [...wrong.map((each) => [each]), ["--json", "--markdown"], ["--junit"]]) {
    const { code, text } = await check("--only=composer", "--composer=one-plane", ...args);
    assertEquals(code, 2, args.join(" "));
    assertEquals(text.split("\n").at(-1), "Try: pumice check --help");
  }
});

Deno.test("check cannot emit where a file lies", async () => {
  await withFolderAsync(async (folder) => {
    Deno.writeTextFileSync(`${folder}/file`, "");
    const { code, text } = await check("--only=composer", "--composer=eight-plane", `--emit=${folder}/file`);
    assertEquals(code, 2);
    assertStringIncludes(text, "is a file; give a folder");
  });
});
