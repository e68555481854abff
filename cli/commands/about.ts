import type { Command } from "../command.ts";

// Loaded when the command runs: cli/commands.ts says why "as string".
type UsageModule = typeof import("../arguments/usage.ts");
type CompletionsModule = typeof import("../completions.ts");

/** `help`: what there is, and what a command takes. */
export const help: Command = {
  operand: "[COMMAND]",
  summary: "show all commands, or what one takes",
  options: {},
  run: async ({ operand }, print, { commands }) => {
    print((await import("../arguments/usage.ts" as string) as UsageModule).helpText(commands!, operand));
    return 0;
  },
};

/** `version`: which Pumice and which Deno this is. */
export const version: Command = {
  operand: "",
  summary: "show the versions of Pumice and Deno",
  options: {},
  run: async (_, print) => {
    print(await (await import("../arguments/usage.ts" as string) as UsageModule).versionText());
    return 0;
  },
};

/** `completions`: a script by which a shell completes commands and options. */
export const completions: Command = {
  operand: "SHELL",
  summary: "print a script that makes bash, zsh or fish complete commands and options",
  options: {},
  run: async ({ operand }, print, { commands }) => {
    print((await import("../completions.ts" as string) as CompletionsModule).completionScript(commands!, operand!));
    return 0;
  },
};
