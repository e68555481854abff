import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { manifest, MANIFEST_FILE } from "../../../workbench/layer_server/manifest.ts";
import { onPath } from "../../../tools/setup/files.ts";
import { emulating, NEEDS_ARM64 } from "../../workbench/layer_server/emulating.ts";
import { compileForArm64 } from "../../support/arm64.ts";
import { needs } from "../../support/require.ts";
import { run } from "../../support/subprocess.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { layerModule } from "./exec.ts";
import { APPLICATION, BACK, CHANGES, type Line, LOOKS, play } from "./phone_play.ts";
import { starting } from "./serving.ts";

const DOUBLING = `commands: {
  vkCreateBuffer(next, device, info, ...rest) {
    const read = this.read("VkBufferCreateInfo", info);
    return next(device, this.write("VkBufferCreateInfo", { ...read, size: read.size * 2n }), ...rest);
  },
}`;

/** The commands by which the stand-in does as a phone would, with the folder `phone` for that of the application. */
const DOES: Readonly<Record<string, string>> = {
  push: 'cp "$4" "$here/pushed"',
  " cp ": 'cp "$here/pushed" "$here/../phone/libVkLayer_pumice.so"',
  monkey: 'sh "$here/../start.sh" > /dev/null 2>&1 &',
};

function acting(line: Line): Line {
  const [, does] = Object.entries(DOES).find(([word]) => typeof line === "string" && line.includes(word)) ?? [];
  return does === undefined ? line : { words: line as string, does };
}

Deno.test(
  "cli phone: an arm64 program that loads the library which was pushed is answered by a layer in TypeScript, which can be exchanged",
  NEEDS_ARM64,
  () =>
    withFolderAsync(async (folder) => {
      const { line, env } = emulating(folder, compileForArm64(folder, "elsewhere_app")), phone = `${folder}/phone`;
      Deno.mkdirSync(phone);
      Deno.writeTextFileSync(`${phone}/${MANIFEST_FILE}`, manifest());
      const own = { ...env, VK_ADD_LAYER_PATH: phone, VK_INSTANCE_LAYERS: "VK_LAYER_PUMICE_elsewhere" };
      const variables = Object.entries(own).map(([name, value]) => `export ${name}='${value}'\n`).join("");
      const words = [...line, "results", "2"].map((word) => `'${word}'`).join(" ");
      Deno.writeTextFileSync(
        `${folder}/start.sh`,
        `${variables}timeout ${words} > ${phone}/said 2>&1\nmv ${phone}/said ${phone}/done\n`,
      );
      const stage = play(folder, [...LOOKS, ...CHANGES.map(acting), ...BACK]);
      const path = layerModule(folder, "doubling", DOUBLING);
      const running = starting(folder, [
        "phone",
        APPLICATION,
        `--layer=${path}`,
        "--layer=profile",
        "--frames",
        `--adb=${stage.adb}`,
      ]);
      await running.until(/was started under the layers/);
      while (![...Deno.readDirSync(phone)].some(({ name }) => name === "done")) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      assertEquals(Deno.readTextFileSync(`${phone}/done`), "2048 2048 \n");
      layerModule(folder, "doubling", DOUBLING.replace("2n", "4n"));
      await running.until(/VK_LAYER_TEST_doubling is in use as saved/);
      const again = run("sh", [`${folder}/start.sh`], { seconds: 120 });
      assertEquals(again.code, 0, again.output);
      assertEquals(Deno.readTextFileSync(`${phone}/done`), "4096 4096 \n");
      const { code, stdout } = await running.end();
      assertEquals(code, 0);
      assertMatch(stdout, /^vkCreateBuffer .* 4 × /m);
      stage.assertOver();
    }),
);

const NEEDS_ADB = needs("adb of Debian's package adb", onPath("adb"));

/** Uses a server of its own, as others may be in use. */
function adb(port: number, ...args: string[]) {
  return run("adb", args, { env: { ANDROID_ADB_SERVER_PORT: `${port}` }, seconds: 30 });
}

Deno.test("cli phone: adb of Debian knows the words that the command uses", NEEDS_ADB, () => {
  const { output } = adb(1, "help");
  for (const words of ["-s SERIAL", "get-state", "get-serialno", "reverse [--no-rebind] REMOTE LOCAL"]) {
    assertStringIncludes(output, words);
  }
  for (const words of ["reverse --remove REMOTE", "push [--sync] LOCAL... REMOTE", "devices [-l]", "reverse --list"]) {
    assertStringIncludes(output, words);
  }
});

Deno.test(
  "cli phone: what adb of Debian says of a phone that is not there is understood",
  NEEDS_ADB,
  () =>
    withFolderAsync(async (folder) => {
      using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const { port } = listener.addr;
      listener.close();
      try {
        const env = { ANDROID_ADB_SERVER_PORT: `${port}`, TMPDIR: folder }; // where the server writes a log
        const command = starting(folder, ["phone", APPLICATION, "--layer=profile", "--serial=no-such-phone"], env);
        const { code, stderr } = await command.end("SIGCONT");
        assertStringIncludes(stderr, "phone: adb -s no-such-phone get-state: there is no such phone (any more)");
        assertEquals(code, 2);
      } finally {
        adb(port, "kill-server");
      }
    }),
);
