import type { Command } from "./command.ts";

/** Each command's module is loaded when it is named: what only one needs, the others do without. */
const COMMANDS: Readonly<Record<string, () => Promise<{ readonly command: Command }>>> = {
  explain: () => import("./commands/explain.ts"),
  info: () => import("./commands/info.ts"),
  check: () => import("./commands/check.ts"),
  deqp: () => import("./commands/deqp.ts"),
  run: () => import("./commands/run.ts"),
  trace: () => import("./commands/trace.ts"),
  stub: () => import("./commands/stub.ts"),
  compose: () => import("./commands/compose.ts"),
};

/** The command of a name; `undefined` if there is none. */
export async function findCommand(name: string): Promise<Command | undefined> {
  return Object.hasOwn(COMMANDS, name) ? (await COMMANDS[name]()).command : undefined;
}

/** All commands, by name. */
export async function allCommands(): Promise<ReadonlyMap<string, Command>> {
  const modules = Object.entries(COMMANDS).map(async ([name, load]) => [name, (await load()).command] as const);
  return new Map(await Promise.all(modules));
}
