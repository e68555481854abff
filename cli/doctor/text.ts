import type { Style } from "../../workbench/process/style.ts";
import type { Machine } from "./machine.ts";
import type { Ending, Run, Verdict } from "./program.ts";

/** The text about a machine, section by section. */
export function machineText({ drivers, layers, settings, rights }: Machine, style: Style): string {
  const mark = (isGood: boolean, isIdle = false) =>
    isGood ? style.green("works  ") : isIdle ? style.dim("idle   ") : style.red("broken ");
  return [
    style.bold("Drivers"),
    ...drivers.map(({ name, path, owner, devices, trouble, isIdle }) =>
      [
        `  ${mark(trouble === undefined, isIdle)}${name}: ${trouble ?? devices.join(", ")}`,
        `         ${path}, ${owner}`,
      ]
        .join("\n")
    ),
    ...drivers.length === 0
      ? ["  none is installed: install your card's driver, or a package such as mesa-vulkan-drivers"]
      : [],
    style.bold("Implicit layers"),
    ...layers.map(({ name, manifest, owner, isActive, reason, off: [variable, value] }) => {
      const how = isActive ? `; off with ${variable}=${value}` : "";
      return `  ${
        isActive ? style.yellow("active ") : style.dim("off    ")
      }${name}: ${reason}${how}\n         ${manifest}, ${owner}`;
    }),
    ...layers.length === 0 ? ["  none is installed"] : [],
    style.bold("Variables and settings"),
    ...settings.map(({ name, value, effect }) => `  ${name}=${value}: ${effect}`),
    ...settings.length === 0 ? ["  none that changes how Vulkan programs run"] : [],
    style.bold("Permissions"),
    ...rights.map(({ path, isUsable, advice }) =>
      `  ${isUsable ? mark(true) : style.red("refused")} ${path}${advice && `: ${advice}`}`
    ),
  ].map(noCard).join("\n");
}

/** A machine without a card has nothing that could be refused. */
function noCard(line: string): string {
  return /\/dev\/dri$/.test(line)
    ? "  no card: neither /dev/dri nor /dev/nvidia0 is there, so that only drivers on the CPU can work"
    : line;
}

const HEAD = ["run", "outcome", "exit", "seconds", "last line"];
/** How much of a line of the program is shown. */
const LONGEST = 60;

/** The runs of a program as a table, and the verdict. */
export function programText(line: readonly string[], runs: readonly Run[], verdict: Verdict, style: Style): string {
  const rows = runs.map((
    { what, outcome, code, signal, seconds, lastLine },
  ) => [what, outcome, `${code ?? signal ?? "-"}`, seconds.toFixed(1), lastLine.slice(0, LONGEST)]);
  const widths = HEAD.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column].length)));
  const set = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column]));
  const lines = rows.map((row) => {
    const [what, outcome, ...rest] = set(row);
    return ["", what, colored(row[1] as Ending, outcome, style), ...rest].join("  ").trimEnd();
  });
  const end = verdict.isGood ? style.green(verdict.sentence) : style.red(verdict.sentence);
  return [style.bold(line.join(" ")), ["", ...set(HEAD)].join("  ").trimEnd(), ...lines, end].join("\n");
}

function colored(outcome: Ending, text: string, style: Style): string {
  if (outcome === "passed") return style.green(text);
  return outcome === "timed out" ? style.yellow(text) : style.red(text);
}
