import { invokeAddress } from "../../ffi/invoke.ts";
import { libcAddress } from "../../ffi/libc.ts";
import { boxIn } from "../../workbench/recordings/black_box/black_box.ts";
import { type SavedBlackBox, savedText, saveRing } from "../../workbench/recordings/black_box/saved.ts";
import { ownFlags } from "../../workbench/process/own_flags.ts";
import { ENDINGS } from "../../workbench/process/stop.ts";
import type { Process, Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import type { ScriptLayer } from "../layers/script_layer.ts";
import { Lookout } from "./lookout.ts";

/** The variable by which the process with the layers learns of the folder; it is deleted at once. */
const RING = "PUMICE_BLACK_BOX";
/** The recording that is written in the current folder. */
const PATH = "black-box.jsonl";

/** The layers of a black box for a command that runs a program. */
export interface OpenBox {
  readonly layers: readonly ScriptLayer[];
  /** Names the process of the program, if that is another one. */
  runsIn(process: number): void;
  /** Notes how the program ended. A signal that nobody sends to end a program is a crash. */
  ended(program: string, signal: Deno.Signal | null): void;
}

/**
 * Runs a command with a black box in another process, and looks after that process: after its end, after calls that do
 * not return, and after signals and messages. Without `--black-box` the command runs here.
 */
export async function withBlackBox(
  command: string,
  request: Request,
  process: Process,
  run: (box: OpenBox | undefined) => Promise<number>,
): Promise<number> {
  const settings = settingsOf(command, request);
  if (!settings) return await run(undefined);
  const folder = Deno.env.get(RING);
  if (folder !== undefined) {
    Deno.env.delete(RING); // which is not for the program
    ignoreQuit();
    return await run(opened(folder, settings, process));
  }
  if (!process.restart) throw new WrongUse(`${command}: --black-box needs a process of its own: run the command line`);
  using lookout = new Lookout({ ...settings, path: PATH, ring: RING, warn: process.warn });
  const code = await process.restart(ownFlags(Deno.mainModule));
  return lookout.end(code);
}

/** Lets Ctrl-\ end neither this process nor the programs that it starts: the key is for the process that looks after it. */
function ignoreQuit(): void {
  const SIGQUIT = 3, SIG_IGN = 1n;
  invokeAddress(libcAddress("signal"), "q:sq", [SIGQUIT, SIG_IGN]); // sighandler_t signal(int, sighandler_t)
}

/** The values of the options. */
interface Settings {
  readonly mebibytes: number;
  /** Milliseconds. */
  readonly bound: number;
}

function settingsOf(command: string, { values }: Request): Settings | undefined {
  const size = values["black-box"] as string | undefined, bound = values.bound as string | undefined;
  if (size === undefined) {
    if (bound !== undefined) throw new WrongUse(`${command}: --bound is for --black-box, which is missing`);
    return undefined;
  }
  if (!(Number(size) > 0)) throw new WrongUse(`${command}: --black-box=${size} is no number of MiB above 0`);
  if (bound !== undefined && !(Number(bound) > 0)) {
    throw new WrongUse(`${command}: --bound=${bound} is no number of seconds above 0`);
  }
  return { mebibytes: Number(size), bound: Number(bound ?? 10) * 1000 };
}

function opened(folder: string, settings: Settings, { warn }: Process): OpenBox {
  let isWhole = true;
  const box = boxIn(folder, {
    ...settings,
    path: PATH,
    log: (sentence) => warn(`black box: ${sentence}`),
    onSaved: (saved) => note(folder, saved, warn),
  });
  const report = () => {
    isWhole = box.error === undefined;
    return isWhole ? "" : `black box: not kept to the end: ${(box.error as Error).message ?? box.error}`;
  };
  const [top, bottom] = box.layers;
  return {
    layers: [
      {
        current: () => top,
        close: () => box.close(),
        lost: (count) => box.missed(`No layer saw ${count} calls of the program: they came too fast`),
        report,
        isWhole: () => isWhole && box.error === undefined,
      },
      { current: () => bottom },
    ],
    runsIn: (process) => box.runsIn(process),
    ended(program, signal) {
      if (signal === null || (ENDINGS as readonly string[]).includes(signal)) return;
      box.flush();
      attempt(folder, `${program} was ended by ${signal}`, warn);
    },
  };
}

/** The memory of the program is gone, and its marks with it. */
function attempt(folder: string, reason: string, warn: Process["warn"]): void {
  try {
    note(folder, saveRing(folder, PATH, reason, () => undefined), warn);
  } catch (error) {
    warn(`black box: ${reason}, and the recording cannot be written: ${(error as Error).message}`);
  }
}

/** Tells of a recording, and leaves a note for the process that looks after this one. */
function note(folder: string, saved: SavedBlackBox, warn: Process["warn"]): void {
  warn(savedText(saved));
  Deno.writeTextFileSync(`${folder}/saved.jsonl`, `${JSON.stringify(saved)}\n`, { append: true });
}
