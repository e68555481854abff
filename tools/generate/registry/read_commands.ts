import type { Command } from "./model.ts";
import type { Need } from "./read_blocks.ts";
import { readDeclaration } from "./read_declaration.ts";
import { childText, type Element, elements, isForVulkan, list } from "./xml.ts";

/** Reads every command that some version or extension requires; a later definition replaces an earlier one. */
export function readCommands(
  roots: readonly Element[],
  needs: ReadonlyMap<string, Need>,
  constant: (text: string) => number,
): Map<string, Command> {
  const commands = new Map<string, Command>();
  for (
    const element of roots.flatMap((root) => elements(root, "commands")).flatMap((all) => elements(all, "command"))
  ) {
    const prototype = elements(element, "proto")[0];
    const name = element.attributes.name ?? childText(prototype, "name")!;
    const need = needs.get(name);
    if (!need || !isForVulkan(element)) continue;
    commands.set(name, {
      name,
      ...need,
      alias: element.attributes.alias,
      result: prototype ? childText(prototype, "type")! : "",
      parameters: elements(element, "param").filter(isForVulkan).map((each) => readDeclaration(each, constant)),
      successCodes: list(element, "successcodes"),
      errorCodes: list(element, "errorcodes"),
      side: element.attributes.renderpass,
      queues: list(element, "queues"),
      levels: list(element, "cmdbufferlevel"),
    });
  }
  return commands;
}

/** The command itself behind an alias. */
export function resolveCommand(commands: ReadonlyMap<string, Command>, command: Command): Command {
  const target = command.alias === undefined ? undefined : commands.get(command.alias);
  return target ? resolveCommand(commands, target) : command;
}
