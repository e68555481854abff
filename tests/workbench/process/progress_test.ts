import { assertEquals } from "@std/assert";
import { Progress } from "../../../workbench/process/progress.ts";

Deno.test("Progress writes a line each while where there is no terminal, and none before anything is known", async () => {
  const lines: string[] = [], first = Promise.withResolvers<void>();
  const write = (line: string) => {
    lines.push(line);
    if (lines.length === 3) first.resolve();
  };
  {
    using progress = new Progress("fuzz", { isTerminal: false, write, every: 1 });
    progress.tell("fuzz: new: one");
    progress.show("5 programs");
    const keep = setInterval(() => {}, 1000); // the timer of progress keeps no process alive
    await first.promise;
    clearInterval(keep);
  }
  assertEquals(lines.slice(0, 3), ["fuzz: new: one", "fuzz: 5 programs", "fuzz: 5 programs"]);
});

Deno.test("Progress keeps to the last line of a terminal, and leaves it empty", () => {
  const shown: string[] = [];
  const place = {
    isTerminal: true,
    write: (line: string) => shown.push(`line: ${line}`),
    overwrite: (text: string) => shown.push(text),
  };
  {
    using progress = new Progress("reduce", place);
    progress.show("9 lines");
    progress.tell("a finding");
  }
  assertEquals(shown, ["9 lines", "", "line: a finding", "9 lines", ""]);
});
