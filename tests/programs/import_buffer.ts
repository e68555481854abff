/**
 * Imports a buffer of another process, adds one to each byte of it, and says
 * what it found. Arguments: the process, its file descriptor, the ints.
 */
import { closeDescriptor, openFile } from "../../ffi/file/file_descriptor.ts";
import { importBuffer, openBuffers } from "../../wsi/buffer/gralloc.ts";

const [process, file, ints] = Deno.args, O_RDWR = 2;
const fd = openFile(`/proc/${process}/fd/${file}`, O_RDWR);
{
  using buffer = importBuffer(fd, ints.split(",").map(Number));
  closeDescriptor(fd);
  const bytes = buffer.lock();
  for (let index = 0; index < bytes.length; index++) bytes[index]++;
  buffer.unlock();
  console.log(`${buffer.width} x ${buffer.height}, stride ${buffer.stride}, id ${buffer.id}`);
}
console.log(openBuffers());
