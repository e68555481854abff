/**
 * The command line: `deno run cli.ts COMMAND [options]`.
 *
 * - `doctor`: tells which drivers, layers, variables and rights decide how programs run; with a program, which of them
 *   breaks it
 * - `explain`: lists every property, variable, folder, manifest, driver and layer
 *   that the search looked at, with reasons
 * - `info`: shows the capabilities of a Vulkan driver; with `--egl` of EGL and
 *   OpenGL ES, with `--composer` of a hardware composer. `--diff` shows the
 *   differences from a file that `info --json` wrote
 * - `check`: checks the drivers of Vulkan, EGL and the Hardware Composer against
 *   Android's rules; `--emit` and `--verify` write and compare a device tree's
 *   declarations
 * - `deqp`: runs a list of dEQP's cases in several processes, or compares runs
 * - `test`: runs the driver tests of files (`gpuTest`), each test on each driver, in
 *   a process of its own
 * - `worker`: takes tasks of a queue for the drivers of this machine; `deqp --queue`
 *   sends them
 * - `run`: runs a script with the layers of `--layer` above all its loaders. A
 *   layer can be a module; `--watch` reloads modules when they are saved
 * - `trace`: writes a script's calls to the file of `--out`, as JSON Lines or with
 *   `--text` as lines for people
 * - `record`: writes a script's calls and memory to the file of `--out`
 * - `replay`: replays a recording on the driver of `--driver`
 * - `exec`: starts a native program with the layers of `--layer`
 * - `serve`: serves the layers of `--layer` at an address, for programs elsewhere
 * - `phone`: puts the layers of `--layer` on an application of a phone that `adb` reaches
 * - `layer-library`: writes the native layer library that hands a program's calls over
 * - `compare`: finds the first command of a recording whose result differs between
 *   two drivers, and shows it on a page with `--html`
 * - `reduce`: makes a recording as small as it can be while two drivers differ on it
 * - `fuzz`: runs random valid programs on two drivers
 * - `stub`: writes a `libvulkan.so` to a folder, for linking native programs,
 *   which run on the system's Vulkan loader, or on this one if it is installed
 * - `compose`: composes a home screen with a hardware composer, shown on a web page
 * - `completions`: prints a script that makes bash, zsh or fish complete commands and options
 * - `help`, `version`: show the commands, or what one takes, and the versions of Pumice and Deno
 *
 * The arguments after `--` belong to the script: `run SCRIPT -- ARGS` gives ARGS
 * to the script as `Deno.args`.
 *
 * `--driver` names a driver's library or manifest, or is the short name of a driver
 * of this machine, such as `lvp`. The option can be repeated for several drivers. `--platform` (`android`, `linux`), `--root` and `--system-properties` are the
 * options of `loadVulkan`; `--platform` also chooses the functions that `stub`
 * exports. With `--layer`, which can be repeated, `explain` lists layers, too.
 * `--json` prints an {@linkcode Explanation}, or of `info` a
 * {@linkcode VkjsonInstance}, an {@linkcode EglInfo} or a {@linkcode ComposerInfo}, and with `--diff` an
 * array of {@linkcode VkjsonDifference}, or of `check` a {@linkcode CheckReport}. `COMMAND --help` shows a command's options.
 *
 * Exit codes: 0 good; 1 a finding: a check failed, `--diff` found something, a driver failed, a script threw, or
 * what was done could not be written to the end; 2 wrong use or a refusal: a file or a driver is not there, is none or
 * may not be used. Errors go to standard error.
 *
 * @example The capabilities of the first driver, from a script
 * ```ts ignore
 * import { main } from "@pumice/gfx/cli";
 *
 * const code = await main(["info", "--json"], console.log);
 * if (code !== 0) console.error(`info ended with ${code}`);
 * ```
 *
 * @module
 */
import type { Process } from "./cli/command.ts";
import { COMMANDS } from "./cli/commands.ts";
import { exitCodeOf, sentenceOf, Unusable, WrongUse } from "./workbench/process/exit_code.ts";
import { Output } from "./cli/output.ts";
import { commandUsage, helpText, hint, noCommand, versionText } from "./cli/arguments/usage.ts";

// Loaded when the command runs: cli/commands.ts says why "as string".
type ParseModule = typeof import("./cli/arguments/parse.ts");

export type { CheckCounts, CheckReport, PartName, PartReport } from "./workbench/check/report.ts";
export type { ComposedFrame, ComposedLayer } from "./cli/compose/reporter.ts";
export type { EglInfo } from "./egl/info/egl_info.ts";
export type { ComposerInfo } from "./hwc/info/composer_info.ts";
export type { VkjsonDifference } from "./loader/vkjson/differences.ts";
export type { VkjsonInstance } from "./loader/vkjson/vkjson.ts";
export type { Explanation } from "./cli/explain.ts";
export type { Process } from "./cli/command.ts";

/**
 * Runs a command line and returns the exit code. `print` gets what goes to standard output.
 *
 * @example
 * ```ts ignore
 * import { main } from "@pumice/gfx/cli";
 *
 * Deno.exitCode = await main(["info", "--json"], console.log);
 * ```
 */
export async function main(
  [name = "", ...args]: string[],
  print: (text: string) => void,
  process: Process = { warn: print },
): Promise<number> {
  const { warn, columns } = process;
  const printText = columns === undefined ? print : await folding(print, columns);
  if (["--help", "-h"].includes(name) || name === "help" && args.length === 0) {
    printText(helpText(COMMANDS));
    return 0;
  }
  if (name === "--version") {
    printText(await versionText());
    return 0;
  }
  const command = COMMANDS.get(name);
  if (!command) {
    warn(`${noCommand(COMMANDS, name)}\n${hint()}`);
    return 2;
  }
  const { parseRequest } = await import("./cli/arguments/parse.ts" as string) as ParseModule; // what it stands on takes longer to load than the help to print
  try {
    const request = parseRequest(name, command, args);
    if (request !== "help") {
      return await command.run(request, request.json || request.values.markdown ? print : printText, {
        ...process,
        commands: COMMANDS,
      });
    }
    printText(commandUsage(name, command));
    return 0;
  } catch (error) {
    if (error instanceof Unusable) {
      warn(error.message);
      return 1;
    }
    if (error instanceof WrongUse) {
      warn(`${error.message}\n${hint(name)}`);
      return 2;
    }
    const sentence = sentenceOf(error);
    if (sentence === undefined) throw error;
    warn(`${name}: ${sentence}`);
    return exitCodeOf(error);
  }
}

/** Prints lines that are no longer than a terminal is wide. */
async function folding(print: (text: string) => void, columns: number): Promise<(text: string) => void> {
  const { fold } = await import("./workbench/process/terminal.ts");
  return (text) => print(fold(text, columns));
}

/** Resolves when Deno would end, and keeps Deno from ending. */
function idle(): Promise<void> {
  return new Promise((resolve) => {
    addEventListener("beforeunload", (event) => {
      event.preventDefault();
      resolve();
    }, { once: true });
  });
}

/** Runs the command line in a process of its own, which takes the place of this one for whoever looks on. */
async function restart(flags: readonly string[]): Promise<number> {
  const args = ["run", ...flags, Deno.mainModule, ...Deno.args];
  const { spawnPassing } = await import("./workbench/process/stop.ts");
  using passing = spawnPassing(new Deno.Command(Deno.execPath(), { args }));
  return (await passing.child.status).code;
}

/**
 * Runs the command line of this process, and ends the process with its exit code.
 *
 * @example
 * ```ts ignore
 * import { runProgram } from "@pumice/gfx/cli";
 *
 * runProgram(); // the whole of a program like `pumice`
 * ```
 */
export function runProgram(): void {
  // Not awaited: a module that waits for `idle()` would never be through, and Deno calls that an error.
  void runHere().then(Deno.exit);
}

async function runHere(): Promise<number> {
  const columns = Deno.stdout.isTerminal()
    ? (await import("./workbench/process/terminal.ts")).columnsHere()
    : undefined;
  const output = new Output();
  try {
    const code = await main(Deno.args, (text) => output.print(text), { warn, columns, idle, restart });
    return output.end(code, warn);
  } catch (error) {
    if (!isUnread(error)) throw error;
    warn("The command line loads a command from a file when the command runs: give deno --allow-read, too");
    return 2;
  }
}

/** Prints to standard error. Where that is closed or full, nobody can be told. */
function warn(text: string): void {
  try {
    console.error(text);
  } catch {
    // the exit code says the rest
  }
}

/** Whether Deno may not load a file of the sources. The published package needs no permission for its own. */
function isUnread(error: unknown): boolean {
  return error instanceof TypeError && error.message.startsWith("Requires read access");
}

if (import.meta.main) runProgram();
