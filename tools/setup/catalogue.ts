/**
 * The parts that the set-up can install, as data: the part, how to see that it is there, the Debian packages that bring
 * it, and why anyone would want it. `deno task test:arm64` brings its own parts; with `--setup` it brings them alone.
 *
 * @module
 */
import * as parts from "./parts.ts";
import { CHROMIUM } from "./packages/chromium.ts";
import type { PackagePart } from "./packages/chromium_package.ts";
import { onPath } from "./files.ts";
import { SWIFTSHADER } from "./packages/swiftshader.ts";

/** The purposes of the parts. */
export type Purpose = "demo" | "test" | "bench" | "clients";

/** One installable part of the system. */
export interface Part {
  /** Name shown to the user and used by tests that skip. */
  name: string;
  /** The purposes that need the part. */
  for: readonly Purpose[];
  /** Returns the path of the part, or `undefined`. */
  find: () => string | undefined;
  /** Debian packages that bring it. */
  packages: readonly string[];
  /** The npm package that brings the part instead. */
  npm?: PackagePart;
  /** The loss without the part. */
  why: string;
}

const X86 = Deno.build.arch === "x86_64";

/** Large native programs: without them their tests are skipped. */
const CLIENTS: readonly Omit<Part, "for">[] = [
  {
    name: "desktop OpenGL",
    find: () => parts.openGlPath() && parts.glPath(),
    packages: ["libopengl0", "libgl1"],
    why: "libglvnd's desktop OpenGL on contexts of our EGL",
  },
  {
    name: "libepoxy",
    find: parts.epoxyPath,
    packages: ["libepoxy0"],
    why: "what GTK and virglrenderer find OpenGL with",
  },
  {
    name: "virglrenderer",
    find: parts.virglPath,
    packages: ["libvirglrenderer1"],
    why: "a virtual machine's GPU on our EGL",
  },
  {
    name: "GTK 4",
    find: parts.gtkPath,
    packages: ["libgtk-4-1"],
    why: "a toolkit that draws with OpenGL",
  },
  {
    name: "GStreamer's OpenGL",
    find: parts.gstreamerGlPath,
    packages: ["gstreamer1.0-gl", "gstreamer1.0-plugins-base"],
    why: "a pipeline with a thread of its own for OpenGL",
  },
  {
    name: "GStreamer's Vulkan",
    find: parts.gstreamerVulkanPath,
    packages: ["gstreamer1.0-plugins-bad", "gstreamer1.0-plugins-base"],
    why: "a pipeline with threads of its own for Vulkan",
  },
  {
    name: "libmpv",
    find: parts.mpvPath,
    packages: ["libmpv2"],
    why: "a video player that renders into our contexts",
  },
  {
    name: "mpv",
    find: () => onPath("mpv"),
    packages: ["mpv"],
    why: "a player with threads of its own, under layers of another process",
  },
  {
    name: "glxinfo",
    find: () => onPath("glxinfo"),
    packages: ["mesa-utils", "libgl1-mesa-dri"],
    why: "desktop OpenGL by Mesa's zink, under Vulkan layers of another process",
  },
  {
    name: "Qt 6",
    find: parts.qtPath,
    packages: ["libqt6gui6", "libqt6opengl6"],
    why: "a toolkit whose render thread has a context of its own",
  },
  {
    name: "Weston",
    find: parts.westonPath,
    packages: ["weston", "libwayland-egl1"],
    why: "a Wayland server without a screen",
  },
];

/** Every part, in the order shown. */
export const CATALOGUE: readonly Part[] = [
  {
    name: "SwiftShader and ANGLE",
    for: X86 ? ["demo", "test", "bench"] : [],
    find: () => parts.anglePaths() && parts.swiftshaderPath(),
    packages: [],
    npm: SWIFTSHADER,
    why: "the driver of last resort, and the second driver of the tests that need two",
  },
  {
    name: "Mesa lavapipe",
    for: ["demo", "test", "bench"],
    find: parts.lavapipePath,
    packages: ["mesa-vulkan-drivers"],
    why: "the quicker of the two software drivers, and the one that most tests run on",
  },
  {
    name: "C compiler",
    for: ["test", "bench"],
    find: parts.compilerPath,
    packages: ["gcc", "libc6-dev", "binutils"],
    why: "compiles the test fixtures and the C side of the benchmarks",
  },
  {
    name: "Vulkan headers and registry",
    for: ["test", "bench"],
    find: () => parts.systemRegistry() && parts.vulkanHeaders(),
    packages: ["libvulkan-dev"],
    why: "the layouts and constants are compared with those of a C compiler",
  },
  {
    name: "system Vulkan loader",
    for: ["test", "bench"],
    find: parts.systemLoaderPath,
    packages: ["libvulkan1"],
    why: "the loader that ours is measured against",
  },
  {
    name: "Khronos validation layer",
    for: ["test"],
    find: parts.validationManifest,
    packages: ["vulkan-validationlayers"],
    why: "a native layer in the chain, and the judge of every call the demo makes",
  },
  {
    name: "Mesa's layers",
    for: ["test"],
    find: parts.mesaOverlayManifest,
    packages: ["mesa-vulkan-drivers"],
    why: "native layers that draw over a picture and put devices in order",
  },
  {
    name: "GFXReconstruct",
    for: ["test"],
    find: parts.gfxreconstructManifest,
    packages: ["gfxreconstruct"],
    why: "a native layer that captures calls, and the program that makes them again",
  },
  {
    name: "vkBasalt",
    for: ["test"],
    find: parts.vkbasaltManifest,
    packages: ["vkbasalt"],
    why: "a native layer that changes what is presented",
  },
  {
    name: "MangoHud",
    for: ["test"],
    find: parts.mangohudManifest,
    packages: ["mangohud"],
    why: "another one that draws over a picture",
  },
  {
    name: "RenderDoc",
    for: ["test"],
    find: parts.renderdocManifest,
    packages: ["librenderdoc", "renderdoccmd"],
    why: "a native layer that captures a frame, and the program that opens it",
  },
  {
    name: "bubblewrap",
    for: ["test"],
    find: () => onPath("bwrap"),
    packages: ["bubblewrap"],
    why: "sandboxes whose programs do not find the layers",
  },
  {
    name: "vulkaninfo",
    for: ["test"],
    find: () => onPath("vulkaninfo"),
    packages: ["vulkan-tools"],
    why: "a native program to compare capability reports with",
  },
  {
    name: "adb",
    for: ["test"],
    find: () => onPath("adb"),
    packages: ["adb"],
    why: "the program that speaks with phones, whose words and errors the command line knows",
  },
  {
    name: "eglinfo",
    for: ["test"],
    find: parts.eglinfoPath,
    packages: ["mesa-utils-bin"],
    why: "another one, for EGL",
  },
  {
    name: "SDL",
    for: ["test"],
    find: parts.sdlPath,
    packages: ["libsdl2-2.0-0"],
    why: "a native library that draws with Vulkan in our process",
  },
  {
    name: "GLFW",
    for: ["test"],
    find: parts.glfwPath,
    packages: ["libglfw3"],
    why: "another one, with a way of its own to find Vulkan",
  },
  {
    name: "libplacebo",
    for: ["test"],
    find: parts.libplaceboPath,
    packages: ["libplacebo208"],
    why: "a renderer that is linked with Vulkan",
  },
  {
    name: "vkd3d",
    for: ["test"],
    find: parts.vkd3dPath,
    packages: ["libvkd3d1"],
    why: "Direct3D 12 on Vulkan, with threads of its own",
  },
  {
    name: "pixman and libyuv",
    for: ["test", "bench"],
    find: () => parts.pixmanPath() && parts.libyuvPath(),
    packages: ["libpixman-1-0", "libyuv0"],
    why: "compose layers on the CPU, many pixels at a time",
  },
  {
    name: "X server without a screen",
    for: ["test"],
    find: parts.xvfbPath,
    packages: ["xvfb"],
    why: "the windows of native programs",
  },
  {
    name: "zsh",
    for: ["test"],
    find: () => onPath("zsh"),
    packages: ["zsh"],
    why: "the command line's completions in a real shell",
  },
  {
    name: "fish",
    for: ["test"],
    find: () => onPath("fish"),
    packages: ["fish"],
    why: "the command line's completions in a real shell",
  },
  {
    name: "ffmpeg",
    for: ["test"],
    find: parts.ffmpegPath,
    packages: ["ffmpeg"],
    why: "makes the videos of frames, and reads them back",
  },
  {
    name: "Chromium",
    for: ["test"],
    find: parts.chromiumPath,
    ...(X86 ? { packages: [], npm: CHROMIUM } : { packages: ["chromium"] }),
    why: "the web viewer's page in a real browser",
  },
  {
    name: "NATS server",
    for: ["test"],
    find: parts.natsServerPath,
    packages: ["nats-server"],
    why: "the queue of runs over several machines",
  },
  {
    name: "OpenSSL",
    for: ["test"],
    find: parts.opensslPath,
    packages: ["openssl"],
    why: "makes the keys and certificates of queues",
  },
  {
    name: "shader tools",
    for: ["test"],
    find: () => parts.shaderTools()?.compiler,
    packages: ["glslang-tools", "spirv-tools"],
    why: "rebuild the demo's SPIR-V and compare it with what is committed; make shaders of a reduced recording smaller",
  },
  {
    name: "spirv-cross",
    for: ["test"],
    find: () => onPath("spirv-cross"),
    packages: ["spirv-cross"],
    why: "show shaders of a recording as GLSL",
  },
  {
    name: "AArch64 assembler",
    for: ["test"],
    find: () => onPath("aarch64-linux-gnu-as"),
    packages: ["binutils-aarch64-linux-gnu"],
    why: "the judge of every AArch64 instruction that is emitted",
  },
  ...CLIENTS.map((part): Part => ({ ...part, for: ["clients"] })),
];
