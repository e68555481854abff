import { COMMANDS as EGL_COMMANDS } from "../gen/egl_table_gen.js";
import { COMMANDS as GL_COMMANDS } from "../gen/gl_table_gen.js";
import { type Command, parseCommand } from "../command/spec.ts";

/** The commands of EGL or GL, found by name; a command's slot is its place in the table. */
export class CommandList {
  readonly #text: string;
  #names: readonly string[] | undefined;
  #slots: Map<string, number> | undefined;
  readonly #parsed = new Map<string, Command>();

  /** Sees a command table; nothing is parsed yet. */
  constructor(text: string) {
    this.#text = text;
  }

  /** All names by slot. */
  get names(): readonly string[] {
    return this.#names ??= this.#text.match(/^\w+/gm)!;
  }

  /** The slot of a command; `undefined` when the registry has none of that name. */
  slot(name: string): number | undefined {
    return (this.#slots ??= new Map(this.names.map((each, index) => [each, index]))).get(name);
  }

  /** The command of that name; `undefined` when the registry has none. One substring search. */
  find(name: string): Command | undefined {
    const known = this.#parsed.get(name);
    if (known) return known;
    const start = this.#text.indexOf(`\n${name} `);
    if (start < 0) return undefined;
    const command = parseCommand(this.#text.slice(start + 1, this.#text.indexOf("\n", start + 1)));
    this.#parsed.set(name, command);
    return command;
  }
}

/** Every command of EGL and its extensions. */
export const eglCommands: CommandList = new CommandList(EGL_COMMANDS);
/** Every command of OpenGL ES and its extensions. */
export const glCommands: CommandList = new CommandList(GL_COMMANDS);
