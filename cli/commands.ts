import type { Command } from "./command.ts";
import { completions, help, version } from "./commands/about.ts";
import { command as check } from "./commands/check.ts";
import { compare, fuzz, reduce } from "./commands/compare.ts";
import { command as compose } from "./commands/compose.ts";
import { deqp, test, worker } from "./commands/deqp.ts";
import { exec, layerLibrary, phone, serve, stub } from "./commands/layer_server.ts";
import { doctor, explain, info } from "./commands/info.ts";
import { record, run, trace } from "./commands/script.ts";
import { recording, replay, view } from "./commands/replay.ts";

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
