import type { Command } from "../command.ts";

/** `run`: a script whose loaders all get more layers. */
export const run: Command = {
  operand: "SCRIPT",
  passesArguments: true,
  summary: "run a script with layers above all its loaders",
  options: {
    watch: {
      type: "boolean",
      help: "reload modules when they are saved, until the script's statements have run",
    },
    dump: { type: "string", value: "DIR", help: "write the source of generated code to a folder" },
  },
  async run(request, print, process) {
    const { existing } = await import("../files.ts"),
      { runLayered } = await import("../script/run_layered.ts");
    const { dump, watch } = request.values;
    existing("run", request.operand!);
    if (typeof dump === "string") await dumpTo(dump);
    const { byOwnConfig } = await import("../script/by_own_config.ts");
    return await byOwnConfig(
      request,
      process,
      () => runLayered({ request, watch: watch === true, print, process }),
    );
  },
};

async function dumpTo(directory: string): Promise<void> {
  const { dumpGenerated } = await import("../../ffi/generated_code.ts");
  dumpGenerated(directory);
}

/** `exec`: any program, with layers in this process. */
export const exec: Command = {
  operand: "",
  passesArguments: true,
  summary: "start any program under layers: exec [options] -- PROGRAM ARGS",
  options: {
    watch: { type: "boolean", help: "put a layer's module in use again when it is saved, while the program runs" },
    record: { type: "string", value: "FILE", help: "record what the program does, for replay" },
    timeout: {
      type: "string",
      value: "SECONDS",
      help:
        "how long a thread of the program waits before the program goes on without the layers; default 5, 0 for ever",
    },
  },
  run: async (request, print, process) => (await import("../elsewhere/exec.ts")).exec(request, print, process),
};
