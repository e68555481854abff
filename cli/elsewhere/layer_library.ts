import { writeGlesLayerFiles } from "../../egl/elsewhere/gles_kind.ts";
import { GLES_LIBRARY_FILE } from "../../egl/elsewhere/library_file.ts";
import { type Processor, TARGETS } from "../../loader/elsewhere/commands.ts";
import { LAYER_NAME } from "../../loader/elsewhere/manifest.ts";
import { writeLayerFiles } from "../../loader/elsewhere/write_files.ts";
import { type Request, WrongUse } from "../command.ts";

/** Writes the layer library: the exit code. */
export async function layerLibrary({ operand, values }: Request, print: (text: string) => void): Promise<number> {
  const target = (values.target as string | undefined) ?? `${Deno.build.arch}-${Deno.build.os}`;
  const processor = (TARGETS as Readonly<Record<string, Processor>>)[target], known = Object.keys(TARGETS).join(", ");
  if (!processor) throw new WrongUse(`layer-library: "${target}" is no target: give --target=${known}`);
  try {
    print(await (values.gles ? gles : vulkan)(operand!, processor, target.endsWith("-android")));
  } catch (error) {
    print(`Cannot write to "${operand}": ${(error as Error).message}`);
    return 1;
  }
  return 0;
}

async function vulkan(folder: string, processor: Processor, isAndroid: boolean): Promise<string> {
  const { library, manifest } = await writeLayerFiles(folder, { processor });
  return `${library}\n${manifest}\n${isAndroid ? ANDROID : linux(folder)}`;
}

async function gles(folder: string, processor: Processor, isAndroid: boolean): Promise<string> {
  const library = await writeGlesLayerFiles(folder, { processor });
  return `${library}\n${isAndroid ? ANDROID_GLES : LINUX_GLES}`;
}

/** How programs on Linux find the layer. */
function linux(folder: string): string {
  return `VK_ADD_LAYER_PATH=${folder} VK_INSTANCE_LAYERS=${LAYER_NAME} PROGRAM`;
}

/** How an application on Android finds the layer. Android reads no manifest. */
const ANDROID = `adb push libVkLayer_pumice.so /data/local/debug/vulkan/
adb shell settings put global enable_gpu_debug_layers 1
adb shell settings put global gpu_debug_app PACKAGE
adb shell settings put global gpu_debug_layers ${LAYER_NAME}`;

const ANDROID_GLES = `adb push ${GLES_LIBRARY_FILE} /data/local/debug/gles/
adb shell settings put global enable_gpu_debug_layers 1
adb shell settings put global gpu_debug_app PACKAGE
adb shell settings put global gpu_debug_layers_gles ${GLES_LIBRARY_FILE}`;

/** Mesa and libglvnd take no layers. */
const LINUX_GLES = `On Linux, loadEgl({ layers: ["PATH"] }) loads the layer; other EGL loaders have no such layers`;
