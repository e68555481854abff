import { compileFixture } from "../../tests/support/compile.ts";
import { runDeno } from "../../tests/support/subprocess.ts";
import type { Row } from "./outcome.ts";

/** The words of the command about each kind of module; `undefined` for one that takes its process along. */
const WORDS: Readonly<Record<string, RegExp | undefined>> = {
  garbage: /^info: get\w+ failed: .+/m,
  threads: /^info: get\w+ failed: .+/m,
  hang: /does not come back from a call within 30 s/,
  unmap: undefined,
};

/** Seconds for a command: a device gets half a minute for a call. */
const SECONDS = 150, KILLED = 128;
const FLAGS = ["run", "-A", "--no-prompt", "--no-check", "--import-map=tools/offline_import_map.json", "cli.ts"];

/** The kinds of modules. */
export const MODULES: readonly string[] = Object.keys(WORDS);

/** Opens a hwcomposer2 module of a kind by the command line, in a child; `undefined` without a compiler. */
export function openedModule(kind: string): Row | undefined {
  const path = compileFixture("hwc2_hostile", [`-D${kind.toUpperCase()}`], kind);
  if (path === undefined) return undefined;
  const { code, stderr } = runDeno([...FLAGS, "info", `--composer=${path}`], { seconds: SECONDS });
  const words = WORDS[kind], isSaid = words ? code === 0 || code === 1 && words.test(stderr) : code > KILLED;
  const outcome = code > KILLED
    ? `died of signal ${code - KILLED}`
    : isSaid
    ? code === 0 ? "reported" : "ended in words"
    : "findings";
  const findings = isSaid ? [] : [`exit code ${code}: ${stderr.trim().slice(0, 500)}`];
  return { kind: "hwcomposer2 modules", reader: `info of "${kind}"`, inputs: 1, counts: { [outcome]: 1 }, findings };
}
