import type { Command, Option } from "../command.ts";

// Loaded when the command runs: cli/commands.ts says why "as string".
type FilesModule = typeof import("../../workbench/process/files.ts");
type RunLayeredModule = typeof import("../script/run_layered.ts");
type ByOwnConfigModule = typeof import("../script/by_own_config.ts");
type GeneratedCodeModule = typeof import("../../ffi/generated_code.ts");

/** Whether `profile` prints all that it knows. */
export const ALL_COMMANDS: Option = {
  type: "boolean",
  help: "let --layer=profile print every command and each frame; default ten commands",
};

/** `run`: a script whose loaders all get more layers. */
export const command: Command = {
  operand: "SCRIPT",
  handsOn: "[-- ARGS]",
  summary: "run a script with layers above all its loaders",
  options: {
    watch: {
      type: "boolean",
      help: "reload modules when they are saved, until the script's statements have run",
    },
    frames: ALL_COMMANDS,
    dump: { type: "string", value: "DIR", help: "write the source of generated code to a folder" },
  },
  async run(request, print, process) {
    const { existingModule } = await import("../../workbench/process/files.ts" as string) as FilesModule,
      { runLayered } = await import("../script/run_layered.ts" as string) as RunLayeredModule;
    const { dump, watch } = request.values;
    existingModule("run", request.operand!);
    if (typeof dump === "string") await dumpTo(dump);
    const { byOwnConfig } = await import("../script/by_own_config.ts" as string) as ByOwnConfigModule;
    return await byOwnConfig(
      request,
      process,
      () => runLayered({ request, watch: watch === true, print, process }),
      request.operand,
    );
  },
};

async function dumpTo(directory: string): Promise<void> {
  const { dumpGenerated } = await import("../../ffi/generated_code.ts" as string) as GeneratedCodeModule;
  dumpGenerated(directory);
}
