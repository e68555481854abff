import { type ExportedLibrary, exportLibrary } from "../../../ffi/functions/exported.ts";
import { tableLayout } from "../table/table_layout.ts";

let made: ExportedLibrary | null | undefined;

/**
 * Returns the vkGetDeviceProcAddr for the lowest native layer above a driver
 * that answers differently for each device. The function calls that of the
 * given device. Made at the first call; `undefined` where emitted code cannot
 * be used.
 */
export function bottomProcAddr(): bigint | undefined {
  if (made === undefined) {
    const offset = 8 * tableLayout("device").bottom;
    made = exportLibrary({ trampolines: [["vkGetDeviceProcAddr", offset]] }) ?? null;
  }
  return made?.address("vkGetDeviceProcAddr");
}
