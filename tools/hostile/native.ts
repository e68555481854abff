import { compileFixture } from "../../tests/support/compile.ts";
import { runDeno } from "../../tests/support/subprocess.ts";
import type { Row } from "./outcome.ts";

/** The words of the command about each kind of module; `undefined` for one that takes its process along. */
const WORDS: Readonly<Record<string, RegExp | undefined>> = {
  garbage: /^info: get\w+ failed: .+/m,
  threads: /^info: get\w+ failed: .+/m,
  nulls: /it lacks .*REGISTER_CALLBACK/,
  enums: /^info: get\w+ failed: .+/m,
  fences: /Hardware Composer +\d+ passed, [1-9]\d* failed/,
  twice: /./,
  no_close: /./,
  closing: /^info: close failed: .*the device does not come back from a call within 30 s/m,
  tagged: /begins with 0x20202020, no hw_device_t/,
  hang: /does not come back from a call within 30 s/,
  unmap: undefined,
};

/**
 * The words about each kind of native layer; `undefined` for one that takes its process along: whatever stands in the
 * process of a layer goes with the process, so such a layer needs a process of its own.
 */
const LAYER_WORDS: Readonly<Record<string, RegExp | undefined>> = {
  nothing: /has no vkCreateInstance/,
  only: /have no vkDestroyInstance/,
  refuses: /returns VK_ERROR_INITIALIZATION_FAILED/,
  version: /gives no vkGetInstanceProcAddr/,
  results: /and no VkInstance/,
  codes: /and no VkInstance/,
  device: /./,
  counts: /counts \d+ elements/,
  threads: /./,
  garbage: undefined,
  unmap: undefined,
  close: undefined,
  hang: undefined,
};

/** Seconds for a command: a device gets half a minute for a call. */
const SECONDS = 150, KILLED = 128, LATE = 124;
/** Seconds for a layer: nothing bounds a library that does not come back from being loaded. */
const LAYER_SECONDS = 20;
const FLAGS = ["run", "-A", "--no-prompt", "--no-check", "--import-map=tools/offline_import_map.json", "cli.ts"];

/** The kinds of modules. */
export const MODULES: readonly string[] = Object.keys(WORDS);

/** The kinds of layers. */
export const LAYERS: readonly string[] = Object.keys(LAYER_WORDS);

/** Opens a hwcomposer2 module of a kind by the command line, in a child; `undefined` without a compiler. */
export function openedModule(kind: string): Row | undefined {
  const path = compileFixture("hwc2_hostile", [`-D${kind.toUpperCase()}`], kind);
  if (path === undefined) return undefined;
  const command = kind === "fences" ? "check" : "info"; // info presents nothing
  return told("hwcomposer2 modules", kind, [command, `--composer=${path}`], WORDS[kind], SECONDS);
}

/** Opens a driver under a native layer of a kind, in a child; `undefined` without a compiler. */
export function openedLayer(kind: string, driver: string): Row | undefined {
  const path = compileFixture("layer_hostile", [`-D${kind.toUpperCase()}`], kind);
  if (path === undefined) return undefined;
  return told(
    "native layers",
    kind,
    ["info", `--driver=${driver}`, `--layer=${path}`],
    LAYER_WORDS[kind],
    LAYER_SECONDS,
  );
}

/** Runs a command, and tells whether the end is the expected one. */
function told(
  subject: string,
  kind: string,
  args: readonly string[],
  words: RegExp | undefined,
  seconds: number,
): Row {
  const { code, stdout, stderr } = runDeno([...FLAGS, ...args], { seconds });
  const isDead = code === LATE || code > KILLED,
    isSaid = words ? code === 0 || [1, 2].includes(code) && words.test(stdout + stderr) : isDead;
  const findings = isSaid ? [] : [`exit code ${code}: ${stderr.trim().slice(0, 500)}`];
  return {
    kind: subject,
    reader: `${args[0]} of "${kind}"`,
    inputs: 1,
    counts: { [outcomeOf(code, isSaid)]: 1 },
    findings,
  };
}

function outcomeOf(code: number, isSaid: boolean): string {
  if (code > KILLED) return `died of signal ${code - KILLED}`;
  if (code === LATE) return "hung until it was killed";
  if (!isSaid) return "findings";
  return code === 0 ? "reported" : "ended in words";
}
