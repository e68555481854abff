/**
 * Unloads an image whose file number is a pipe's by now: who opened and read that would wait for ever.
 *
 * @module
 */
import "../../../ffi/image/assembler.ts";
import { createPipe } from "../../../ffi/file/file_descriptor.ts";
import { exportLibrary } from "../../../ffi/functions/exported.ts";
import { fixture } from "../fixture.ts";

const image = exportLibrary({ slots: [["slot", fixture("one")]] })!, number = Number(image.path.split("/").at(-1));
for (let count = 0, isTaken = false; !isTaken && count < 64; count++) {
  const { read, write } = createPipe()!;
  isTaken = read === number || write === number;
  if (isTaken) console.log("the number is a pipe's");
}
console.log(image.unload(), image.reload());
