import { assertEquals } from "@std/assert";
import { LiveLine, liveLineHere, timeText } from "../../../../workbench/runs/report/live_line.ts";

Deno.test("a live line says what is done and failed, how fast, and how long it will take, within the terminal's width", () => {
  const lines: string[] = [];
  let now = 0;
  const host = { show: (text: string) => lines.push(text), now: () => now, columns: 48 };
  const line = new LiveLine(130, host);
  line.started("fir\nst");
  now = 2000;
  line.settled({ outcome: "passed" });
  line.settled({ outcome: "failed" });
  line.started("a name that does not fit");
  line.clear();
  assertEquals(lines, [
    "0 of 130, 0 failed, 0.0/s: fir�st",
    "1 of 130, 0 failed, 0.5/s, 4 min 18 s left: fir",
    "2 of 130, 1 failed, 1.0/s, 2 min 8 s left: fir�",
    "2 of 130, 1 failed, 1.0/s, 2 min 8 s left: a na",
    "",
  ]);
  const shares = new LiveLine(9, { ...host, columns: 200 });
  for (const worker of ["a", "b", "a"]) shares.settled({ outcome: "passed" }, worker);
  shares.started("key", "b");
  assertEquals(lines.at(-1), "3 of 9, 0 failed, 0.0/s, a 2, b 1: b: key");
  for (const worker of ["c", "d", "e"]) shares.settled({ outcome: "passed" }, worker);
  assertEquals(lines.at(-1), "6 of 9, 0 failed, 0.0/s, 5 workers: b: key");
  assertEquals([0.2, 60, 61.5].map(timeText), ["1 s", "1 min 0 s", "1 min 2 s"]);
});

Deno.test("where there is no terminal, a live line is a whole line each while, which begins with the command", async () => {
  const lines: string[] = [], written = Promise.withResolvers<void>();
  const write = (line: string) => {
    lines.push(line);
    if (lines.length === 2) written.resolve();
  };
  {
    using live = liveLineHere("deqp", 7, { isTerminal: false, write, every: 1 });
    live.started("a name that is longer than any terminal is wide".repeat(9));
    live.settled({ outcome: "crashed" });
    const keep = setInterval(() => {}, 1000); // the timer of progress keeps no process alive
    await written.promise;
    clearInterval(keep);
  }
  const count = lines.length;
  await new Promise((resolve) => setTimeout(resolve, 5));
  assertEquals([lines[0].slice(0, 24), lines[0].length > 400, lines.length], ["deqp: 1 of 7, 1 failed, ", true, count]);
});
