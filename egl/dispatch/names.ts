import { type Command, parseCommand } from "../command/spec.ts";
import { COMMANDS as EGL_COMMANDS, FEATURES as EGL_FEATURES } from "../gen/egl_table_gen.js";
import { COMMANDS as GL_COMMANDS, FEATURES as GL_FEATURES } from "../gen/gl_table_gen.js";

/** The commands of EGL or GL, found by name; a command's slot is its place in the table. */
export class CommandList {
  readonly #text: string;
  #names: readonly string[] | undefined;
  #slots: Map<string, number> | undefined;
  readonly #parsed = new Map<string, Command>();

  /** Keeps the text of a command table. A line is parsed when somebody asks for its command. */
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

/** An API of the tables. */
export type CommandApi = "egl" | "gles1" | "gles2";

/** A version or extension and its commands. */
interface Feature {
  /** The name, such as `GL_ES_VERSION_3_0` or `GL_OES_mapbuffer`. */
  readonly name: string;
  /** The API it belongs to; `gles2` stands for 2.0 and later. */
  readonly api: CommandApi;
  /** The numbers of a version: major and minor. */
  readonly version?: readonly [major: number, minor: number];
  /** The commands it brings. */
  readonly commands: readonly string[];
}

let parsed: readonly Feature[] | undefined;

/** Returns every version and extension of the tables. */
export function features(): readonly Feature[] {
  return parsed ??= `${EGL_FEATURES.trim()}\n${GL_FEATURES.trim()}`.split("\n").map(parseFeature);
}

function parseFeature(line: string): Feature {
  const [name, api, version, ...commands] = line.split(" ");
  if (version === "-") return { name, api: api as CommandApi, commands };
  const [major, minor] = version.split(".").map(Number);
  return { name, api: api as CommandApi, version: [major, minor], commands };
}

/** Returns the names of an API's commands, extensions included. */
export function commandsOf(api: CommandApi): ReadonlySet<string> {
  return new Set(features().filter((each) => each.api === api).flatMap(({ commands }) => commands));
}

/** Returns the commands of an implementation of some version with some extensions. */
export function commandsIn(
  api: CommandApi,
  [major, minor]: readonly [number, number],
  extensions: ReadonlySet<string>,
): Set<string> {
  const has = ({ name, version }: Feature) =>
    version ? version[0] < major || version[0] === major && version[1] <= minor : extensions.has(name);
  return new Set(features().filter((each) => each.api === api && has(each)).flatMap(({ commands }) => commands));
}
