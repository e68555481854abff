/** The name of the test file that {@linkcode writeTravels} writes. */
export const TRAVELS = "travels.ts";

/** Writes a test file with an import of its own to a folder, without golden files. */
export function writeTravels(folder: string): void {
  const library = new URL("../../../../workbench/runs/testing/mod.ts", import.meta.url).href;
  const vk = new URL("../../../../loader/vk.ts", import.meta.url).href;
  Deno.mkdirSync(folder, { recursive: true });
  Deno.writeTextFileSync(
    `${folder}/helper.ts`,
    `// Lines that only the original has.
export interface Nothing {}
export function fails(_: Nothing): never {
  throw new Error("a failure of the helper");
}
`,
  );
  Deno.writeTextFileSync(
    `${folder}/${TRAVELS}`,
    `import { changeLayout, gpuTest } from "${library}";
import { VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL as TO } from "${vk}";
import { fails } from "./helper.ts";

function white({ image, submit }) {
  const target = image({ width: 8, height: 8 });
  const range = { aspectMask: VK_IMAGE_ASPECT_COLOR_BIT, levelCount: 1, layerCount: 1 };
  submit((commands) => {
    changeLayout(commands, target, TO);
    commands.vkCmdClearColorImage(target.image, TO, { float32: [1, 1, 1, 1] }, [range]);
  });
  return target;
}

gpuTest("matches", (gpu) => gpu.golden(white(gpu)));
gpuTest("differs", (gpu) => {
  console.log("it prints");
  gpu.golden(white(gpu));
});
gpuTest("throws", () => fails({}));
gpuTest("is ignored", { ignore: true }, () => {});
gpuTest("lacks an extension", { extensions: ["VK_NO_such"] }, () => {});
gpuTest("leaves", () => Deno.exit(0));
`,
  );
}
