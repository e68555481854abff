/**
 * Has a native program draw into a window, on the loader in the place of the
 * system's: `window_app.ts DRIVER APP FRAMES linux|android`.
 *
 * @module
 */
import { Library } from "../../../ffi/library/library.ts";
import { invokeAddress, peek32 } from "../../../ffi/machine.ts";
import type { Frame } from "../../../wsi/contract/frame_consumer.ts";
import { loadVulkan } from "../../../wsi/load_vulkan.ts";
import { NativeWindow } from "../../../wsi/window/native_window.ts";
import { mappings } from "../../support/open_files.ts";

const [driver, path, frames, platform] = Deno.args, pixels: number[] = [];
const window = new NativeWindow({
  width: 320,
  height: 200,
  consumer: {
    attach() {},
    // Native code is calling: nothing of Deno's pointers here.
    onFrame(source) {
      for (let frame: Frame | undefined; (frame = source.acquire());) {
        frame.fence.wait();
        pixels.push(peek32(frame.buffer.memory.address + BigInt(frame.buffer.rowPitch * 199 + 4 * 319)));
        frame.release();
      }
    },
  },
});
const vulkan = loadVulkan({ driver, platform: platform as "linux" });
vulkan.install();
const app = Library.open(path);
const result = invokeAddress(app.require("app_present"), "s:qw", [window.address, Number(frames)]);
app.close();
vulkan.close();
window.close();
console.log(JSON.stringify({ result, pixels, mapped: mappings("/libvulkan.so") }));
