import { resolve } from "node:path";
import { writeGlesLayerFiles } from "../../workbench/layer_server/gles/gles_kind.ts";
import { GLES_LIBRARY_FILE } from "../../workbench/layer_server/gles/in_place.ts";
import { TARGETS } from "../../workbench/layer_server/commands.ts";
import { keysIn, patienceOf, placeWith } from "../../workbench/layer_server/keys.ts";
import type { LibrarySpec } from "../../workbench/layer_server/library/assemble.ts";
import type { ChannelPlace } from "../../workbench/layer_server/library/parts.ts";
import { LAYER_NAME } from "../../workbench/layer_server/manifest.ts";
import { socketAddress } from "../../workbench/layer_server/server/socket_address.ts";
import { writeLayerFiles } from "../../workbench/layer_server/write_files.ts";
import type { Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { makeFolder } from "../../workbench/process/files.ts";
import { refusing, runsOnOf, timeoutOf } from "./served_layers.ts";

/** Writes the layer library: the exit code. */
export async function layerLibrary({ operand, values }: Request, print: (text: string) => void): Promise<number> {
  const target = runsOnOf("layer-library", values.target), isAndroid = target.endsWith("-android");
  const spec = { processor: TARGETS[target], place: placeOf(values, isAndroid) };
  makeFolder("layer-library", operand!);
  print(await (values.gles ? gles : vulkan)(operand!, spec, isAndroid));
  return 0;
}

/** Returns the place of the library's server; `undefined` for a library that passes every call on. */
function placeOf(values: Request["values"], isAndroid: boolean): ChannelPlace | undefined {
  const { connect, "key-file": file, timeout } = values as Record<string, string | undefined>;
  if ((connect === undefined) !== (file === undefined)) {
    throw new WrongUse("layer-library: --connect=ADDRESS and --key-file=FILE go together; give both, or none");
  }
  if (connect === undefined) return undefined;
  const { bytes: address } = refusing("layer-library", () => socketAddress(connect));
  const keys = refusing("layer-library", () => keysIn(file!));
  return placeWith(keys, { address, isAndroid, patience: patienceOf(timeoutOf("layer-library", timeout)) });
}

async function vulkan(folder: string, spec: LibrarySpec, isAndroid: boolean): Promise<string> {
  const { library, manifest } = await writeLayerFiles(folder, spec);
  return `${library}\n${manifest}\n${isAndroid ? ANDROID : linux(folder)}`;
}

async function gles(folder: string, spec: LibrarySpec, isAndroid: boolean): Promise<string> {
  const library = await writeGlesLayerFiles(folder, spec);
  return `${library}\n${isAndroid ? ANDROID_GLES : LINUX_GLES}`;
}
/** Returns the command line by which a program on Linux finds the layer. */
function linux(folder: string): string {
  return `VK_ADD_LAYER_PATH=${resolve(folder)} VK_INSTANCE_LAYERS=${LAYER_NAME} PROGRAM`;
}

/** The commands by which an application on Android finds the layer. Android reads no manifest. */
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
