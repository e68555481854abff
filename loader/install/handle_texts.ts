import { NativeBlock } from "../../ffi/block.ts";
import { cstring, NameBlob } from "../../ffi/cstring.ts";
import type { HandleTexts } from "../../ffi/functions/exported.ts";
import { FIRST_PARAMETERS, firstParameter } from "../command/registry/first_parameter.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../gen/command_table_gen.js";

/** The Khronos loader's message before it ends the process, for `dprintf`. */
const FORMAT = `${"[Vulkan Loader] ERROR:".padEnd(32)}%s: Invalid %s [VUID-%s-%s-parameter]\n`;

/** The texts about arguments that are not handles, and the offset of each name in them. */
export interface Texts {
  /** The texts. */
  readonly texts: HandleTexts;
  /** Offsets of a command's name and of its first parameter's name. */
  of(level: "instance" | "device", command: string): { readonly name: number; readonly parameter: number };
}

let made: Texts | undefined;

/** Returns the texts, made at the first call and kept for the life of the process. */
export function handleTexts(): Texts {
  return made ??= make();
}

function make(): Texts {
  const all = `${INSTANCE_NAMES} ${DEVICE_NAMES}`,
    names = new NameBlob(all),
    parameters = new NameBlob(FIRST_PARAMETERS);
  const format = cstring(FORMAT), block = new NativeBlock(format.length);
  block.bytes.set(format);
  const name = places(all.split(" ")), parameter = places(FIRST_PARAMETERS);
  return {
    texts: { format: block.address, names: names.address, parameters: parameters.address },
    of: (level, command) => ({
      name: name.get(command)!,
      parameter: parameter.get(firstParameter(level, command))!,
    }),
  };
}

/** The offset of each name in a {@linkcode NameBlob} of the names. */
function places(names: readonly string[]): Map<string, number> {
  let at = 0;
  return new Map(names.map((name) => {
    const place = at;
    at += name.length + 1;
    return [name, place];
  }));
}
