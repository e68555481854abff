/** Calls through stubs that no image has, where nothing that emits code is loaded; prints what came back. */
import { arena } from "../../../ffi/arena.ts";
import { coreImage } from "../../../ffi/image/core.ts";
import { libcAddress } from "../../../ffi/libc.ts";
import { bindByAddress, bindByTable } from "../../../ffi/stubs.ts";

/** `void *memmem(const void *haystack, size_t size, const void *needle, size_t needleSize)`, with arguments that it does not look at: no command has that shape. */
const SIGNATURE = "q:qqoqoqo";
const memory = arena(), object = memory.alloc(32), table = memory.alloc(16), needle = memory.alloc(8);
memory.view.setBigUint64(table + 8, libcAddress("memmem"), true);
memory.view.setBigUint64(object, memory.address(table), true);
memory.view.setUint32(object + 20, 0x12345678, true);
memory.view.setUint32(needle, 0x12345678, true);
const at = memory.address(object);
console.log(
  coreImage() !== undefined && !coreImage()!.image.has("t_iioioio"),
  bindByTable(SIGNATURE)(at, 32n, needle, 4n, 0, 0n, 0, 8) - at,
  bindByAddress(SIGNATURE)(at, 32n, needle, 4n, 0, 0n, 0, libcAddress("memmem")) - at,
);
