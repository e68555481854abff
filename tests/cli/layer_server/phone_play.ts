import { assertEquals } from "@std/assert";

/** A call of the stand-in for `adb`: the words, or the words and the answer. */
export type Line = string | {
  readonly words: string;
  readonly code?: number;
  readonly says?: string;
  /** A command line of the shell. */
  readonly does?: string;
};

/** The stand-in for `adb` in a folder, and what it is called with. */
export interface Play {
  /** The path of the stand-in. */
  readonly adb: string;
  /** Checks that all lines were called, and nothing else. */
  assertOver(): void;
  /** Takes the phone away. */
  unplug(): void;
}

/** Puts the stand-in into a folder. `*` in words stands for any text. */
export function play(folder: string, lines: readonly Line[]): Play {
  const here = `${folder}/adb`;
  Deno.mkdirSync(here);
  Deno.copyFileSync(new URL("../../fixtures/adb.sh", import.meta.url), `${here}/adb`);
  Deno.chmodSync(`${here}/adb`, 0o755);
  const rows = lines.map((line) => {
    const { words, code = 0, says = "", does = "" } = typeof line === "string" ? { words: line } : line;
    return `${words}|${code}|${says}|${does}\n`;
  });
  Deno.writeTextFileSync(`${here}/lines`, rows.join(""));
  return {
    adb: `${here}/adb`,
    assertOver() {
      const wrong = [...Deno.readDirSync(here)].some(({ name }) => name === "wrong");
      assertEquals(wrong ? Deno.readTextFileSync(`${here}/wrong`) : "", "");
      const left = lines.slice(Number(Deno.readTextFileSync(`${here}/at`)) - 1);
      assertEquals(left, [], "not called");
    },
    unplug: () => Deno.writeTextFileSync(`${here}/unplugged`, ""),
  };
}

/** The application. */
export const APPLICATION = "com.example.game";

const AT = "-s PHONE1";

/** The questions that come first; a phone that is named is not asked for its number. */
export const LOOKS: readonly Line[] = [
  { words: "get-state", says: "device" },
  { words: "get-serialno", says: "PHONE1" },
  { words: `${AT} shell pm path ${APPLICATION}`, says: `package:/data/app/${APPLICATION}/base.apk` },
  { words: `${AT} shell getprop ro.product.cpu.abi`, says: "arm64-v8a" },
  `${AT} shell run-as ${APPLICATION} true`,
];

const VULKAN = "libVkLayer_pumice.so", EXCHANGE = "/data/local/tmp";

/** A setting that is looked at and set. */
export function setting(name: string, value: string): Line[] {
  return [
    { words: `${AT} shell settings get global ${name}`, says: "null" },
    `${AT} shell settings put global ${name} ${value}`,
  ];
}

/** The changes for an application that is debuggable, with layers of Vulkan. */
export const CHANGES: readonly Line[] = [
  `${AT} reverse --no-rebind tcp:* tcp:*`,
  `${AT} push */${VULKAN} ${EXCHANGE}/${VULKAN}`,
  `${AT} shell run-as ${APPLICATION} cp ${EXCHANGE}/${VULKAN} .`,
  ...setting("gpu_debug_layers", "VK_LAYER_PUMICE_elsewhere"),
  ...setting("gpu_debug_app", APPLICATION),
  ...setting("enable_gpu_debug_layers", "1"),
  `${AT} shell am force-stop ${APPLICATION}`,
  `${AT} shell monkey -p ${APPLICATION} -c android.intent.category.LAUNCHER 1`,
];

/** The lines that take the changes back, the last one first. */
export const BACK: readonly string[] = [
  `${AT} shell settings delete global enable_gpu_debug_layers`,
  `${AT} shell settings delete global gpu_debug_app`,
  `${AT} shell settings delete global gpu_debug_layers`,
  `${AT} shell run-as ${APPLICATION} rm -f ${VULKAN}`,
  `${AT} shell rm -f ${EXCHANGE}/${VULKAN}`,
  `${AT} reverse --remove tcp:*`,
];
