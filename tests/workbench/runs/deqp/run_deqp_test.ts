import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { parsePatterns } from "../../../../workbench/runs/deqp/case_list.ts";
import type { DeqpOptions, DeqpRun } from "../../../../workbench/runs/deqp/options.ts";
import { runDeqp } from "../../../../workbench/runs/deqp/run_deqp.ts";
import type { DeqpStatus } from "../../../../workbench/runs/deqp/status.ts";
import { withFolderAsync } from "../../../support/temporary.ts";

const FAKE = new URL("../../../fixtures/fake_deqp.sh", import.meta.url).pathname;

/** Runs the fake on cases of these last names. */
function run(names: readonly string[], options: Partial<DeqpOptions> = {}): Promise<DeqpRun> {
  const caseList = names.map((name) => `dEQP-VK.group.${name}`);
  return withFolderAsync((folder) => {
    const environment = { STATE: folder, ...options.environment };
    return runDeqp({ command: [FAKE], caseList, shards: 1, retries: 0, ...options, environment });
  });
}

/** Last names with statuses and outcomes. */
function summary({ results }: DeqpRun): string[] {
  return results.map(({ name, status, outcome }) => `${name.slice("dEQP-VK.group.".length)} ${status} ${outcome}`);
}

/** An alarm that rings once when a case has begun: no test waits. */
function alarmAt(hung: string): Pick<DeqpOptions, "alarm" | "onStart"> {
  const pending = new Set<() => void>();
  let isDue = false;
  const ring = (callback: () => void) =>
    queueMicrotask(() => {
      if (!isDue || !pending.has(callback)) return;
      isDue = false;
      callback();
    });
  return {
    alarm(callback) {
      pending.add(callback);
      if (isDue) ring(callback);
      return () => pending.delete(callback);
    },
    onStart(name) {
      isDue = name.endsWith(hung);
      pending.forEach(ring);
    },
  };
}

Deno.test("runDeqp() tells how each case ended, in the order of the list, with what was said", async () => {
  const done = await run(["pass", "fail", "not", "warn"]);
  assertEquals(summary(done), [
    "pass Pass passed",
    "fail Fail failed",
    "not NotSupported passed",
    "warn QualityWarning passed",
  ]);
  assertEquals(done.results[1].message, "Image comparison failed (badly)");
  assertEquals([done.isGood, done.counts.passed, done.counts.failed], [false, 3, 1]);
  assertEquals((await run(["pass"])).isGood, true);
});

Deno.test("runDeqp() takes a reason of several lines, which is no crash", async () => {
  const done = await run(["lines", "pass", "lines2"]);
  assertEquals(summary(done), ["lines Fail failed", "pass Pass passed", "lines2 Fail failed"]);
  const message = "Compiler said:\n  Pass (of 2)\n\nerror (line 3)\n  at the end";
  assertEquals(done.results.map((each) => each.message), [message, "Passed", message]);
});

Deno.test("runDeqp() keeps a result of several lines whose process hangs or loses its device, and none that is cut off", async () => {
  const hung = await run(["quiet", "told", "pass"], { ...alarmAt("told") });
  assertEquals(summary(hung), ["quiet Pass passed", "told Fail failed", "pass Pass passed"]);
  assertEquals(hung.results[1].message, "two\nlines :(");
  const lost = await run(["gone", "pass", "fail"]);
  assertEquals(summary(lost), ["gone DeviceLost failed", "pass Pass passed", "fail Fail failed"]);
  assertEquals(lost.results[0].message, "the device:\nVK_ERROR_DEVICE_LOST");
  assertEquals(summary(await run(["cut", "pass"])), ["cut Crash crashed", "pass Pass passed"]);
});

Deno.test("runDeqp() goes on behind a case that crashes its process", async () => {
  const done = await run(["pass1", "crash", "pass2", "crash2", "pass3"]);
  assertEquals(summary(done), [
    ...["pass1 Pass passed", "crash Crash crashed", "pass2 Pass passed", "crash2 Crash crashed", "pass3 Pass passed"],
  ]);
  assertMatch(done.results[1].message, /SIGSEGV|139/);
  assertEquals(summary(await run(["silent", "pass"])), ["silent Crash crashed", "pass Pass passed"]);
});

Deno.test("runDeqp() ends a process that gives no sign of life, and goes on behind the case", async () => {
  const done = await run(["pass1", "hang", "pass2"], alarmAt("hang"));
  assertEquals(summary(done), ["pass1 Pass passed", "hang Timeout timed out", "pass2 Pass passed"]);
  assertMatch(done.results[1].message, /^no news for 60000 ms/);
});

Deno.test("runDeqp() does not wait for what a process that it ended has started", async () => {
  await withFolderAsync(async (folder) => {
    const CHILD = `${folder}/child`;
    assertEquals(summary(await run(["stuck", "pass"], { ...alarmAt("stuck"), environment: { CHILD } })), [
      ...["stuck Timeout timed out", "pass Pass passed"],
    ]);
    Deno.kill(Number(Deno.readTextFileSync(CHILD)), "SIGKILL");
  });
});

Deno.test("runDeqp() believes nothing that comes after a lost device, and begins anew", async () => {
  const done = await run(["pass1", "lost", "pass2", "pass3"]);
  assertEquals(summary(done), [
    "pass1 Pass passed",
    "lost DeviceLost failed",
    "pass2 Pass passed",
    "pass3 Pass passed",
  ]);
});

Deno.test("runDeqp() begins anew with a case that had begun when the process was ended for a lost device", async () => {
  const done = await run(["both", "pass1", "pass2"]);
  assertEquals(summary(done), ["both DeviceLost failed", "pass1 Pass passed", "pass2 Pass passed"]);
});

Deno.test("runDeqp() runs what fails again, alone: what passes then is a flake", async () => {
  const done = await run(["flaky", "fail", "crash"], { retries: 2 });
  assertEquals(summary(done), ["flaky Pass flaky", "fail Fail failed", "crash Crash crashed"]);
  assertEquals(done.results.map(({ attempts }) => attempts.join()), [
    "Fail,Pass",
    "Fail,Fail,Fail",
    "Crash,Crash,Crash",
  ]);
  assertEquals([done.counts.flaky, done.isGood], [1, false]);
  assertEquals((await run(["flaky", "pass"], { retries: 1 })).isGood, true);
});

Deno.test("runDeqp() knows a baseline, flakes and skips", async () => {
  const baseline = new Map<string, DeqpStatus>(
    [["fail", "Fail"], ["crash", "Fail"], ["pass", "Fail"]].map(([name, status]) => {
      return [`dEQP-VK.group.${name}`, status as DeqpStatus];
    }),
  );
  const skips = parsePatterns("dEQP-VK.group.hang.*"), flakes = parsePatterns("*fail2");
  const done = await run(["fail", "crash", "pass", "hang", "fail2", "pass2"], { baseline, skips, flakes, retries: 3 });
  assertEquals(summary(done), [
    "fail Fail expected",
    "crash Crash crashed", // it is known to fail, not to crash
    "pass Pass fixed",
    "hang Skip skipped",
    "fail2 Fail flaky",
    "pass2 Pass passed",
  ]);
  assertEquals(done.results.map(({ attempts }) => attempts.length), [1, 4, 1, 1, 1, 1]);
  assertEquals(done.isGood, false);
});

Deno.test("runDeqp() calls missing what nobody says anything of, and gives up a program that does not begin", async () => {
  assertEquals(summary(await run(["pass", "unsaid"])), ["pass Pass passed", "unsaid Missing missing"]);
  await withFolderAsync(async (folder) => {
    const names = Array.from({ length: 50 }, (_, index) => `refuse${index}`), PIDS = `${folder}/pids`;
    const done = await run(names, { environment: { PIDS } });
    assertEquals(done.counts.missing, 50);
    assertStringIncludes(done.results[0].message, "it ended with 3: cannot open the display");
    assertEquals(Deno.readTextFileSync(PIDS).trim().split("\n").length, 2);
  });
});

Deno.test("runDeqp() reads the log of a program that does not print", async () => {
  const { results: [{ status, message }] } = await run(["logged"]);
  assertEquals([status, message], ["Fail", "in <log>"]);
});

Deno.test("runDeqp() shards a list over processes in groups, each case once", async () => {
  await withFolderAsync(async (folder) => {
    const names = Array.from({ length: 20 }, (_, index) => `pass${index}`),
      shards = new Set<number>(),
      seen: string[] = [];
    const onStart = (name: string, shard: number) => {
      shards.add(shard);
      seen.push(name);
    };
    const PIDS = `${folder}/pids`, done = await run(names, { shards: 3, groupSize: 4, onStart, environment: { PIDS } });
    assertEquals([done.counts.passed, seen.length, new Set(seen).size], [20, 20, 20]);
    assertEquals(Deno.readTextFileSync(PIDS).trim().split("\n").length, 5);
    assert([...shards].every((shard) => shard < 3));
    assertEquals(done.results.map(({ name }) => name), names.map((name) => `dEQP-VK.group.${name}`));
  });
});

Deno.test("runDeqp() gives the list where the command wants it, and dEQP's options else", async () => {
  await withFolderAsync(async (folder) => {
    const ARGS = `${folder}/args`, environment = { ARGS };
    await run(["pass"], { command: [FAKE, "--deqp-log-images=disable"], environment });
    await run(["pass"], { command: [FAKE, "{cases}", "-x"], environment });
    const [own, placed] = Deno.readTextFileSync(ARGS).split("\n");
    assertMatch(own, /^--deqp-log-images=disable --deqp-caselist-file=\S+ --deqp-log-filename=\S+\.qpa$/);
    assertMatch(placed, /^\S+\.txt -x$/);
  });
});

Deno.test("runDeqp() runs no comment, no empty line and no lines as cases", async () => {
  for (const name of ["# slow", " #x", "", "  ", "a.b\na.c", "a.b\r"]) {
    const odd = runDeqp({ command: [FAKE], caseList: ["a.pass", name] });
    await assertRejects(() => odd, TypeError, `Cannot run ${JSON.stringify(name)} as a case`);
  }
});

Deno.test("runDeqp() calls back with what counts, once a case", async () => {
  const told: string[] = [];
  await run(["flaky", "pass", "fail"], {
    retries: 1,
    onResult: ({ name, outcome }) => told.push(`${name} ${outcome}`),
  });
  assertEquals(told.map((each) => each.slice("dEQP-VK.group.".length)), ["pass passed", "flaky flaky", "fail failed"]);
});

Deno.test("runDeqp() calls back with a result while its process goes on", async () => {
  const abort = new AbortController(), told: string[] = [];
  const onResult = ({ name }: { readonly name: string }) => {
    told.push(name);
    abort.abort();
  };
  const done = await run(["pass", "hang"], { ...alarmAt("hang"), onResult, signal: abort.signal });
  assertEquals([summary(done), told], [["pass Pass passed", "hang Missing missing"], [
    "dEQP-VK.group.pass",
    "dEQP-VK.group.hang",
  ]]);
});

Deno.test("runDeqp() ends when it is aborted: what was not run is missing", async () => {
  const abort = new AbortController();
  const onStart = (name: string) => name.endsWith("hang") && abort.abort();
  const done = await run(["pass", "hang", "pass2"], { signal: abort.signal, onStart });
  assertEquals(summary(done), ["pass Pass passed", "hang Missing missing", "pass2 Missing missing"]);
});

Deno.test("runDeqp() throws for a program that is not there and for numbers that make no sense", async () => {
  await assertRejects(() => run(["pass"], { command: ["/nowhere/deqp-vk"] }), Deno.errors.NotFound);
  for (const options of [{ command: [] }, { shards: 0 }, { groupSize: 0.5 }, { retries: -1 }, { timeout: 0 }]) {
    await assertRejects(() => run(["pass"], options), TypeError, "Cannot run dEQP");
  }
});
