import type { PackagePart } from "./chromium_package.ts";
import { CHROMIUM_FOLDER } from "../parts.ts";
import { untar } from "./untar.ts";

/** Tells the browser's font library to use the fonts beside it, whatever the machine has. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir></fontconfig>
`;

/**
 * A Chromium without a window, with the libraries that Debian's minimal system
 * lacks in `lib` and a font in `fonts`: for machines without a browser.
 */
export const CHROMIUM: PackagePart = {
  folder: CHROMIUM_FOLDER,
  files: {
    "bin/chromium.br": "64d813a054f76fc32b8010e305d87e6d7a45aa76ee02d36e66c03c8ca6667e8d",
    "bin/al2023.tar.br": "2e22542d8c66b83194172f4bbbef0a79b80bbeb99d69abf3962d85c1351f478d",
    "bin/fonts.tar.br": "78620f052a57d98716b8da709e9de5c14a5ae606e60810009f5051ab46e2a588",
  },
  async unpack([program, libraries, fonts], folder) {
    await Deno.writeFile(`${folder}/chromium`, program, { mode: 0o755 });
    await Deno.writeTextFile(`${folder}/fonts.conf`, FONTS);
    for (const entry of [...untar(libraries), ...untar(fonts)]) {
      if (!/^(lib|fonts)\//.test(entry.name)) continue;
      await Deno.mkdir(`${folder}/${entry.name.slice(0, entry.name.lastIndexOf("/"))}`, { recursive: true });
      await Deno.writeFile(`${folder}/${entry.name}`, entry.bytes, { mode: 0o755 });
    }
  },
};
