/**
 * Opens, before any test runs, what the loader keeps open for the life of the
 * process: the stubs of every signature, what joined drivers share. Import it first in every test file
 * that calls Vulkan commands, so that the sanitizers see no leak.
 */
import "./warm.ts";
import { bindByAddress, bindByTable } from "../../ffi/stubs.ts";
import { bottomProcAddr } from "../../loader/chain/bottom/terminators.ts";
import { byLayer } from "../../loader/chain/bottom/driver_instance.ts";
import { prepareDeviceTrampolines } from "../../loader/chain/table/device_trampolines.ts";
import { declareImage } from "../../loader/chain/table/table_layout.ts";
import { SIGNATURES } from "../../loader/gen/command_table_gen.js";
import { wrappingCode } from "../../loader/chain/object/wrapping.ts";
import { joinedCode } from "../../loader/terminator/linux/code.ts";

declareImage();
for (const signature of SIGNATURES.split(" ")) {
  bindByTable(signature);
  bindByAddress(signature);
}
joinedCode();
prepareDeviceTrampolines();
bottomProcAddr();
byLayer();
wrappingCode();
