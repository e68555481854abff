import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { createRenderer } from "../../examples/draw/renderer.ts";
import { loadVulkan } from "../../loader/mod.ts";
import { VK_API_VERSION_1_0 } from "../../loader/vk.ts";
import { lavapipePath, nvidiaManifest, swiftshaderPath, validationManifest } from "../../tools/setup/parts.ts";
import { count } from "../support/counts.ts";
import { type Difference, difference, type Image, readPng, writeDifference } from "../support/image.ts";
import { createMessenger } from "../support/messenger.ts";
import { needs } from "../support/require.ts";
import { type Outcome, runProgram } from "../support/subprocess.ts";
import { withFolder } from "../support/temporary.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const GOLDEN = `${ROOT}docs/demo.png`;
/**
 * Drivers round differently, and an edge that falls on another pixel is off by a lot: a channel may be off by half a
 * level in the mean, and one pixel in two hundred by more than 8 levels.
 */
const TOLERANCE: Difference = { mean: 0.5, off: 0.005 };
const SMALL = { width: 64, height: 36 };
const VALIDATION = "VK_LAYER_KHRONOS_validation";
const validation = needs("Khronos validation layer", validationManifest());
const DRIVERS = [
  { name: "Mesa lavapipe", driver: lavapipePath()!, device: "llvmpipe", file: "lavapipe" },
  { name: "SwiftShader", driver: swiftshaderPath()!, device: "SwiftShader", file: "swiftshader" },
  ...gpuDrivers(),
];
const [lavapipe] = DRIVERS, LAVAPIPE = needs(lavapipe.name, lavapipe.driver);

/** A message of the layer as it prints them. */
const MESSAGE = /Validation (Error|Warning|Performance Warning)/;
/** Has the layer print warnings, too. */
const LAYER_SETTINGS = `khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.report_flags = error,warn,perf
khronos_validation.log_filename = stdout
`;

/** A real GPU's driver where there is one; few machines have it, so it is no part that is missing elsewhere. */
function gpuDrivers() {
  const driver = nvidiaManifest();
  return driver ? [{ name: "NVIDIA", driver, device: "NVIDIA", file: "nvidia" }] : [];
}

function demo(args: readonly string[], env: Record<string, string> = {}): Outcome {
  return runProgram("examples/demo.ts", args, { env });
}

/** Draws a very small picture with the layer below ours and its messages printed. */
function printedByLayer(driver: string, env: Record<string, string> = {}): string {
  return withFolder((folder) => {
    const settings = `${folder}/vk_layer_settings.txt`;
    Deno.writeTextFileSync(settings, LAYER_SETTINGS);
    const size = "--size=32x32", out = `--out=${folder}/demo.png`;
    const args = [`--driver=${driver}`, size, `--layer=${VALIDATION}`, out, "--table"];
    const { code, output } = demo(args, { VK_LAYER_SETTINGS_PATH: settings, ...env });
    assertEquals(code, 0, output);
    assertStringIncludes(output, `named ${VALIDATION} by the caller`);
    return output;
  });
}

/** Fails when an image is not the golden one, and leaves a picture of the difference in out/. */
function assertGolden(image: Image, file: string): void {
  assertLike(image, readPng(GOLDEN), file, 1);
}

/** The same with another picture, of whose width the golden one has a multiple: edges have as many times its share. */
function assertLike(image: Image, golden: Image, file: string, part: number): void {
  const { mean, off } = difference(image, golden);
  if (mean <= TOLERANCE.mean && off <= part * TOLERANCE.off) return;
  const path = `${ROOT}out/demo_${file}_diff.png`;
  writeDifference(path, image, golden);
  throw new Error(`mean ${mean.toFixed(3)} a channel, ${(100 * off).toFixed(2)} % of the pixels off; see ${path}`);
}

/** Draws a small frame in this process and returns its pixels and what validation said. */
function draw(driver: string, validated: boolean, size = SMALL): { pixels: Uint8Array; messages: string[] } {
  using messenger = createMessenger();
  using vulkan = loadVulkan({ driver, layers: validated ? [VALIDATION] : [] });
  using instance = vulkan.vkCreateInstance({
    pApplicationInfo: { apiVersion: VK_API_VERSION_1_0 },
    ppEnabledExtensionNames: validated ? ["VK_EXT_debug_utils"] : [],
    pNext: validated ? [messenger.info] : [],
  });
  const listening = validated ? instance.vkCreateDebugUtilsMessengerEXT(messenger.info) : undefined;
  let pixels: Uint8Array;
  {
    using renderer = createRenderer(instance.vkEnumeratePhysicalDevices()[0], size, () => {});
    pixels = renderer.draw(0);
  }
  if (listening !== undefined) instance.vkDestroyDebugUtilsMessengerEXT(listening);
  instance.close();
  return { pixels, messages: messenger.messages };
}

for (const { name, driver, device, file } of DRIVERS) {
  const options = needs(name, driver), withValidation = { ignore: options.ignore || validation.ignore };

  Deno.test(`the demo draws the golden picture on ${name}`, options, () => {
    withFolder((folder) => {
      const part = file === "swiftshader" && !LAVAPIPE.ignore ? count(4, 2, 1) : 1, [width, height] = [1280, 720];
      const size = { width: width / part, height: height / part }, out = `${folder}/demo.png`;
      const words = part === 1 ? [] : [`--size=${size.width}x${size.height}`];
      const { code, stdout, output } = demo([`--driver=${driver}`, `--out=${out}`, "--table", ...words]);
      assertEquals(code, 0, output);
      assertMatch(stdout, /^\+ .+\n {4}named by .+, opened as icd$/m);
      assertMatch(stdout, new RegExp(`^driver {3}.*${device}.*, ${driver}$`, "m"));
      assertMatch(stdout, new RegExp(`^picture {2}.*demo\\.png, ${size.width}×${size.height}$`, "m"));
      assertMatch(stdout, /command +calls +ms in all +µs each/);
      for (
        const command of ["vkCreateInstance +1 ", "vkQueueSubmit +2 ", "vkCmdDrawIndexed +3 ", "vkCmdDispatch +3 "]
      ) {
        assertMatch(stdout, new RegExp(`^${command}`, "m"));
      }
      if (part === 1) return assertGolden(readPng(out), file);
      // SwiftShader draws the whole for long: smaller, the picture is compared with that of lavapipe.
      assertLike(readPng(out), { ...size, data: draw(lavapipe.driver, false, size).pixels }, file, part);
    });
  });

  Deno.test(`validation has nothing to say of the demo on ${name}, and the pixels are the same`, withValidation, () => {
    const { pixels, messages } = draw(driver, true);
    assertEquals(messages, []);
    assert(pixels.some((byte) => byte !== pixels[0]));
    const plain = draw(driver, false);
    assert(plain.pixels.every((byte, index) => byte === pixels[index]));
  });

  Deno.test(`the demo with validation prints no message on ${name}`, withValidation, () => {
    const output = printedByLayer(driver);
    assert(!MESSAGE.test(output), output);
  });
}

Deno.test("a message of the layer would be printed", {
  ignore: LAVAPIPE.ignore || validation.ignore,
}, () => {
  const env = { VK_LAYER_ENABLES: "VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT" };
  assertMatch(printedByLayer(lavapipe.driver, env), MESSAGE);
});

Deno.test("the demo draws as many frames as asked for, in the size asked for", LAVAPIPE, () => {
  withFolder((folder) => {
    const args = [`--driver=${lavapipe.driver}`, "--size=96x64", "--frames=2", `--out=${folder}/f.png`];
    const { code, stdout, output } = demo([...args, "--table"]);
    assertEquals(code, 0, output);
    assertMatch(stdout, /^picture {2}.*f-0000\.png to .*f-0001\.png, 96×64$/m);
    const [first, second] = ["0000", "0001"].map((number) => readPng(`${folder}/f-${number}.png`));
    assertEquals([first.width, first.height, second.width], [96, 64, 96]);
    assert(difference(first, second).mean > 0.01, "the frames are the same");
    assertMatch(stdout, /^vkQueueSubmit +3 /m);
  });
});

Deno.test("the demo takes the best driver when none is named, and says why", LAVAPIPE, () => {
  withFolder((folder) => {
    const { code, stdout, output } = demo(["--size=32x32", `--out=${folder}/auto.png`, "--table"]);
    assertEquals(code, 0, output);
    assertMatch(stdout, /^\+ .*\n +has .* \(Vulkan \d.*\)/m);
    assertMatch(stdout, /^driver {3}.+, \/.+/m);
  });
});

Deno.test(
  "the demo prints five lines: driver, picture, time, the longest commands, and what to try next",
  LAVAPIPE,
  () => {
    withFolder((folder) => {
      const { code, stdout, output } = demo(["--size=32x32", `--out=${folder}/five.png`]);
      assertEquals(code, 0, output);
      const [, picture, time, longest, next, ...more] = stdout.trimEnd().split("\n");
      assertEquals(picture, `picture  ${folder}/five.png, 32×32`);
      assertMatch(time, /^time {5}\d+ ms$/);
      const found = /^longest {2}vk\w+ ([\d.]+) ms, vk\w+ ([\d.]+) ms, vk\w+ ([\d.]+) ms$/.exec(longest) ?? [];
      const times = found.slice(1).map(Number);
      assert(times.length === 3 && times[0] >= times[1] && times[1] >= times[2], longest);
      assertMatch(next, /^next {5}--table /);
      assertEquals(more, []);
    });
  },
);

Deno.test("the demo falls back to SwiftShader when no driver of the machine can be used", {
  ignore: needs("SwiftShader", swiftshaderPath()).ignore,
}, () => {
  withFolder((folder) => {
    const args = ["--size=32x32", `--out=${folder}/fallback.png`];
    const { code, stderr, output } = runProgram("examples/demo.ts", args, {
      env: { VK_DRIVER_FILES: "/nowhere.json" },
    });
    assertEquals(code, 0, output);
    assertStringIncludes(stderr, "/nowhere.json");
    assertStringIncludes(stderr, "taking SwiftShader");
  });
});

Deno.test("the demo refuses wrong options with a sentence and exit code 2", () => {
  const cases = [
    ["--size=1280", "WIDTHxHEIGHT"],
    ["--size=8x8", "from 16 to 8192"],
    ["--frames=0", "a whole number from 1 up"],
    ["--frames=1.5", "--frames is"],
    ["--speed=9", "--speed"],
    ["extra", "extra"],
  ];
  for (const [argument, word] of cases) {
    const { code, stdout, stderr } = demo([argument]);
    assertEquals([code, stdout], [2, ""], argument);
    assertStringIncludes(stderr, word);
    assertEquals(stderr.trim().split("\n").length, 1, stderr);
  }
});

Deno.test("the demo ends with exit code 1 and a sentence when driver or layer cannot be used", LAVAPIPE, () => {
  for (const argument of ["--driver=/nowhere/libvulkan_x.so", "--layer=VK_LAYER_NOBODY_has"]) {
    const { code, stderr } = demo([argument]);
    assertEquals(code, 1, argument);
    assertMatch(stderr, /^Cannot (use|find) .*; /m);
    assert(!stderr.includes("    at "), "no stack trace");
  }
});
