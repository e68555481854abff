/** A program that is recorded. */
export interface CheckedProgram {
  readonly name: string;
  readonly kind: "examples" | "native" | "tests";
  /** The program and its arguments; for an example, what follows `record`; for tests, their file. */
  readonly line: readonly string[];
  /** Variables of its own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Seconds after which the program is ended, for what ends only then. */
  readonly seconds?: number;
}

/** The word that stands for the name of the device in an argument. */
export const DEVICE = "{device}";
/** OpenGL by Mesa's zink, on the Vulkan driver. */
const ZINK = { GALLIUM_DRIVER: "zink", LIBGL_ALWAYS_SOFTWARE: "1" };
const SDL = "/usr/libexec/installed-tests/SDL2";
const PICTURE = "testsrc=size=64x48:rate=25";

/** Native programs of Debian packages: see the comment at the end of each line. */
export const NATIVE: readonly CheckedProgram[] = ([
  { name: "vulkaninfo", line: ["vulkaninfo", "--summary"] }, // vulkan-tools
  { name: "vkcube", line: ["vkcube", "--c", "20"] }, // vulkan-tools
  { name: "vkd3d-triangle", line: ["vkd3d-triangle"], seconds: 3 }, // vkd3d-demos
  { name: "vkd3d-gears", line: ["vkd3d-gears"], seconds: 3 }, // vkd3d-demos
  { name: "SDL testvulkan", line: [`${SDL}/testvulkan`], seconds: 3 }, // libsdl2-tests
  { name: "SDL testdraw2 on zink", line: [`${SDL}/testdraw2`], env: ZINK, seconds: 3 }, // libsdl2-tests
  { name: "glxgears on zink", line: ["glxgears"], env: ZINK, seconds: 3 }, // mesa-utils
  { name: "es2gears on zink", line: ["es2gears_x11"], env: ZINK, seconds: 3 }, // mesa-utils
  { name: "glmark2 on zink", line: ["glmark2", "--off-screen", "-b", "build:duration=1"], env: ZINK }, // glmark2-x11
  {
    name: "mpv",
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
