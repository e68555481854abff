import { glfwPath, libplaceboPath } from "../../setup/parts.ts";

/** A program that is recorded. */
export interface CheckedProgram {
  readonly name: string;
  readonly kind: "examples" | "native" | "tests";
  /** The program and its arguments; for a script, what follows `record`; for tests, their file. */
  readonly line: readonly string[];
  /** Variables of its own. */
  readonly env?: Readonly<Record<string, string>>;
  /** The program that makes what this one reads, with its arguments and variables of its own. */
  readonly before?: { readonly line: readonly string[]; readonly env: Readonly<Record<string, string>> };
  /** Whether the program shows something in a window. */
  readonly isShown?: true;
  /** Seconds after which the program is ended, for what ends only then. */
  readonly seconds?: number;
}

/** The words that stand for the name of the device, the path of the driver and a folder, in arguments and variables. */
export const DEVICE = "{device}", DRIVER = "{driver}", FOLDER = "{folder}";
/** GFXReconstruct's layer, and the file that it writes. */
const CAPTURING = {
  VK_INSTANCE_LAYERS: "VK_LAYER_LUNARG_gfxreconstruct",
  GFXRECON_CAPTURE_FILE: `${FOLDER}/capture.gfxr`,
  GFXRECON_CAPTURE_FILE_TIMESTAMP: "false",
};
/** Scripts that call a native library, which calls Vulkan. */
const SCRIPTS = "tests/loader/install/programs";
/** OpenGL by Mesa's zink, on the Vulkan driver. */
const ZINK = { GALLIUM_DRIVER: "zink", LIBGL_ALWAYS_SOFTWARE: "1" };
const SDL = "/usr/libexec/installed-tests/SDL2";
const PICTURE = "testsrc=size=64x48:rate=25";

/** Native programs of Debian packages: see the comment at the end of each line. */
export const NATIVE: readonly CheckedProgram[] = ([
  { name: "vulkaninfo", line: ["vulkaninfo", "--summary"] }, // vulkan-tools
  { name: "vkcube", isShown: true, line: ["vkcube", "--c", "20"] }, // vulkan-tools
  { name: "vkd3d-triangle", isShown: true, line: ["vkd3d-triangle"], seconds: 3 }, // vkd3d-demos
  { name: "vkd3d-gears", isShown: true, line: ["vkd3d-gears"], seconds: 3 }, // vkd3d-demos
  { name: "SDL testvulkan", isShown: true, line: [`${SDL}/testvulkan`], seconds: 3 }, // libsdl2-tests
  { name: "SDL testdraw2 on zink", isShown: true, line: [`${SDL}/testdraw2`], env: ZINK, seconds: 3 }, // libsdl2-tests
  { name: "glxgears on zink", isShown: true, line: ["glxgears"], env: ZINK, seconds: 3 }, // mesa-utils
  { name: "es2gears on zink", isShown: true, line: ["es2gears_x11"], env: ZINK, seconds: 3 }, // mesa-utils
  { name: "glmark2 on zink", line: ["glmark2", "--off-screen", "-b", "build:duration=1"], env: ZINK }, // glmark2-x11
  {
    name: "mpv",
    isShown: true,
    line: [
      "mpv",
      "--no-config",
      "--vo=gpu",
      "--gpu-api=vulkan",
      `--vulkan-device=${DEVICE}`,
      "--gpu-sw",
      "--frames=5",
      `av://lavfi:${PICTURE}`,
    ],
  }, // mpv
  {
    name: "mpv on libplacebo",
    isShown: true,
    line: [
      "mpv",
      "--no-config",
      "--vo=gpu-next",
      "--gpu-api=vulkan",
      `--vulkan-device=${DEVICE}`,
      "--frames=5",
      `av://lavfi:${PICTURE}`,
    ],
  }, // mpv
  {
    name: "GStreamer",
    line: [
      "gst-launch-1.0",
      "-q",
      ..."videotestsrc num-buffers=5 ! video/x-raw,format=RGBA,width=64,height=48 ! vulkanupload ! vulkancolorconvert ! vulkandownload ! filesink location=/dev/null"
        .split(" "),
    ],
  }, // gstreamer1.0-tools, gstreamer1.0-plugins-bad
  {
    name: "GStreamer's OpenGL on zink",
    line: [
      "gst-launch-1.0",
      "-q",
      ..."gltestsrc num-buffers=3 ! video/x-raw(memory:GLMemory),width=64,height=48 ! gldownload ! filesink location=/dev/null"
        .split(" "),
    ],
    env: { ...ZINK, GST_GL_PLATFORM: "egl" },
  }, // gstreamer1.0-tools, gstreamer1.0-gl
  {
    name: "FFmpeg",
    line: [
      "ffmpeg",
      "-v",
      "error",
      "-init_hw_device",
      "vulkan=v:0",
      "-filter_hw_device",
      "v",
      "-f",
      "lavfi",
      "-i",
      PICTURE,
      "-frames:v",
      "3",
      "-vf",
      "format=rgba,hwupload,hflip_vulkan,hwdownload,format=rgba",
      "-f",
      "null",
      "-",
    ],
  }, // ffmpeg
  { name: "libplacebo", line: [`${SCRIPTS}/libplacebo.ts`, "--", DRIVER, libplaceboPath() ?? "libplacebo.so"] }, // libplacebo208
  { name: "GLFW", isShown: true, line: [`${SCRIPTS}/glfw.ts`, "--", DRIVER, glfwPath() ?? "libglfw.so"] }, // libglfw3
  { name: "vkcube under GFXReconstruct", isShown: true, line: ["vkcube", "--c", "5"], env: CAPTURING }, // gfxreconstruct
  {
    name: "gfxrecon-replay",
    isShown: true,
    line: ["gfxrecon-replay", CAPTURING.GFXRECON_CAPTURE_FILE],
    before: { line: ["vkcube", "--c", "5"], env: CAPTURING },
  }, // gfxreconstruct
  {
    name: "vkcube under RenderDoc",
    isShown: true,
    line: ["vkcube", "--c", "5"],
    env: { ENABLE_VULKAN_RENDERDOC_CAPTURE: "1" },
  }, // renderdoc
] as const).map((each) => ({ ...each, kind: "native" }));

/** Examples that call Vulkan, with their arguments. */
export const EXAMPLES: readonly CheckedProgram[] = [
  ["devices"],
  ["compute"],
  ["triangle"],
  ["textured_scene"],
  ["demo", "--size=320x180", "--out=out/self_check_demo.png"],
  ["trace"],
  ["faults"],
  ["replay"],
  ["driver_diff"],
  ["native_program"],
].map(([name, ...args]) => ({ name, kind: "examples", line: [`examples/${name}.ts`, "--", ...args] }));

/** Examples that cannot be recorded, and why. */
export const OTHER_EXAMPLES: Readonly<Record<string, string>> = {
  arguments: "is no program",
  composer_process: "calls no Vulkan",
  driver_in_typescript: "has a driver of its own, which draws nothing",
  driver_test: "is a file of tests, which start processes",
  first_window: "ends when a person closes the window",
  gles: "calls no Vulkan",
  gles_layer: "calls no Vulkan",
  half_viewport: "is a layer",
  home_screen: "calls no Vulkan",
  open_vulkan: "is no program",
  program_leaks: "runs another program",
  table: "is no program",
  vendor_composer: "calls no Vulkan",
  window: "runs until it is stopped",
};
