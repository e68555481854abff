import { assertEquals } from "@std/assert";
import { NEEDS_TINY, TINY } from "../loader/tiny.ts";
import { runProgram } from "../support/subprocess.ts";

Deno.test(
  "a driver of the machine's manifests has a short name; an unknown name lists those there are",
  NEEDS_TINY,
  () => {
    const folder = Deno.makeTempDirSync();
    try {
      const manifest = `${folder}/tiny.json`, library = `${folder}/libvulkan_tiny.so`;
      Deno.symlinkSync(TINY!, library);
      const ICD = { library_path: library, api_version: "1.3.0" };
      Deno.writeTextFileSync(manifest, JSON.stringify({ file_format_version: "1.0.0", ICD }));
      const explain = (driver: string, VK_DRIVER_FILES: string) =>
        runProgram("cli.ts", ["explain", `--driver=${driver}`], { env: { VK_DRIVER_FILES } });
      const known = explain("tiny", manifest);
      assertEquals([known.code, known.stdout.includes(`taken    ${library}`)], [0, true], known.output);
      const rest = "give one of these names, or a driver's library or manifest\nTry: pumice explain --help\n";
      const unknown = explain("huge", manifest), nowhere = explain("huge", `${folder}/nothing.json`);
      assertEquals([unknown.code, unknown.stderr], [2, `There is no driver "huge": found tiny; ${rest}`]);
      assertEquals([nowhere.code, nowhere.stderr.split(";")[0]], [
        2,
        'There is no driver "huge": this machine has none',
      ]);
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  },
);
