import type { Processor } from "../../loader/elsewhere/commands.ts";
import { LAYER_NAME } from "../../loader/elsewhere/manifest.ts";
import { writeLayerFiles } from "../../loader/elsewhere/write_files.ts";
import { type Request, WrongUse } from "../command.ts";

/** The targets, and the processor of each. */
const TARGETS: Readonly<Record<string, Processor>> = { "x86_64-linux": "x86_64" };

/** Writes the layer library: the exit code. */
export async function layerLibrary({ operand, values }: Request, print: (text: string) => void): Promise<number> {
  const target = (values.target as string | undefined) ?? `${Deno.build.arch}-${Deno.build.os}`;
  const processor = TARGETS[target], known = Object.keys(TARGETS).join(", ");
  if (!processor) throw new WrongUse(`layer-library: "${target}" is no target: give --target=${known}`);
  try {
    const { library, manifest } = await writeLayerFiles(operand!, { processor });
    print(`${library}\n${manifest}\nVK_ADD_LAYER_PATH=${operand} VK_INSTANCE_LAYERS=${LAYER_NAME} PROGRAM`);
  } catch (error) {
    print(`Cannot write to "${operand}": ${(error as Error).message}`);
    return 1;
  }
  return 0;
}
