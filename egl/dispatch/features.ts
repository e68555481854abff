import { FEATURES as EGL_FEATURES } from "../gen/egl_table_gen.js";
import { FEATURES as GL_FEATURES } from "../gen/gl_table_gen.js";

/** An API of the tables. */
export type CommandApi = "egl" | "gles1" | "gles2";

/** A version or extension and its commands. */
export interface Feature {
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

/** Every version and extension of the tables. */
export function features(): readonly Feature[] {
  return parsed ??= `${EGL_FEATURES.trim()}\n${GL_FEATURES.trim()}`.split("\n").map(parseFeature);
}

function parseFeature(line: string): Feature {
  const [name, api, version, ...commands] = line.split(" ");
  if (version === "-") return { name, api: api as CommandApi, commands };
  const [major, minor] = version.split(".").map(Number);
  return { name, api: api as CommandApi, version: [major, minor], commands };
}

/** The names of an API's commands, extensions included. */
export function commandsOf(api: CommandApi): ReadonlySet<string> {
  return new Set(features().filter((each) => each.api === api).flatMap(({ commands }) => commands));
}

/** The commands of an implementation of some version with some extensions. */
export function commandsIn(
  api: CommandApi,
  [major, minor]: readonly [number, number],
  extensions: ReadonlySet<string>,
): Set<string> {
  const has = ({ name, version }: Feature) =>
    version ? version[0] < major || version[0] === major && version[1] <= minor : extensions.has(name);
  return new Set(features().filter((each) => each.api === api && has(each)).flatMap(({ commands }) => commands));
}
