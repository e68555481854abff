import type { Command } from "./command.ts";
import { helpText, versionText } from "./arguments/usage.ts";
import { check, doctor, explain, info } from "./commands/info.ts";
import { compare, fuzz, recording, reduce, replay, view } from "./commands/recording.ts";
import { command as compose } from "./commands/compose.ts";
import { deqp, test, worker } from "./commands/deqp.ts";
import { exec, layerLibrary, phone, serve, stub } from "./commands/layer_server.ts";
import { record, run, trace } from "./commands/script.ts";

// Loaded when the command runs: the comment of COMMANDS says why "as string".
type CompletionsModule = typeof import("./completions.ts");

/** `help`: what there is, and what a command takes. */
const help: Command = {
  operand: "[COMMAND]",
  summary: "show all commands, or what one takes",
  options: {},
  run: ({ operand }, print, { commands }) => {
    print(helpText(commands!, operand));
    return 0;
  },
};

/** `version`: which Pumice and which Deno this is. */
const version: Command = {
  operand: "",
  summary: "show the versions of Pumice and Deno",
  options: {},
  run: async (_, print) => {
    print(await versionText());
    return 0;
  },
};

/** `completions`: a script by which a shell completes commands and options. */
const completions: Command = {
  operand: "SHELL",
  summary: "print a script that makes bash, zsh or fish complete commands and options",
  options: {},
  run: async ({ operand }, print, { commands }) => {
    print((await import("./completions.ts" as string) as CompletionsModule).completionScript(commands!, operand!));
    return 0;
  },
};

/**
 * All commands by name, in the order of the help. The code of a command is
 * loaded when the command runs, by `import("PATH" as string)`. Deno would read
 * the file of a plain `import("PATH")`, and all that the file imports, when the
 * command line starts: more than a thousand files. The bundler sees the path.
 */
export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    explain,
    info,
    check,
    doctor,
    deqp,
    test,
    worker,
    run,
    exec,
    serve,
    phone,
    trace,
    record,
    recording,
    replay,
    view,
    compare,
    reduce,
    fuzz,
    stub,
    "layer-library": layerLibrary,
    compose,
    completions,
    help,
    version,
  }),
);
