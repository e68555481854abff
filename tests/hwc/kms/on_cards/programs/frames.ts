/** Shows frames on vkms until somebody ends this program. */
import { opaqueLayer } from "../../../core/frame.ts";
import { consoleShown, SIZE, Vkms } from "../on_vkms.ts";

const vkms = new Vkms("vkms", { console: consoleShown() });
opaqueLayer(vkms.composer, vkms.display, vkms.buffer(SIZE.width, SIZE.height, () => 0xff123456));
for (let frame = 0;; frame++) {
  const fence = vkms.present();
  if (frame === 1) console.log("shows frames");
  await fence.ready();
  fence.close();
}
