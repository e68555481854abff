/**
 * Finds the real parts that the demo, the benchmarks and the tests run on:
 * drivers, layers, compilers. Nothing here installs or opens anything; a part
 * that is not there is `undefined`.
 *
 * @module
 */
import { filesIn, firstFile, isFile, onPath, systemLibrary } from "./files.ts";

const ROOT = decodeURIComponent(new URL("../..", import.meta.url).pathname).replace(/\/$/, "");

/** The git-ignored folder that the set-up fills. */
export const CACHE: string = `${ROOT}/.cache`;

/** The folder into which the set-up unpacks SwiftShader and ANGLE. */
export const SWIFTSHADER_FOLDER: string = `${CACHE}/swiftshader`;

/** The folder into which the set-up unpacks a Chromium without a window. */
export const CHROMIUM_FOLDER: string = `${CACHE}/chromium`;

/** Mesa's software Vulkan driver, `libvulkan_lvp.so`: what `PUMICE_LAVAPIPE` names, or else its own manifest. */
export function lavapipePath(): string | undefined {
  const named = Deno.env.get("PUMICE_LAVAPIPE");
  if (named !== undefined) return isFile(named) ? named : undefined;
  for (const folder of ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d"]) {
    for (const manifest of filesIn(folder, /^lvp_icd.*\.json$/)) {
      const path = driverOf(manifest);
      if (path !== undefined) return path;
    }
  }
}

/** SwiftShader's Vulkan driver, `libvk_swiftshader.so`, fetched by the set-up or shipped with a system's Chromium. x86-64 only. */
export function swiftshaderPath(): string | undefined {
  if (Deno.build.arch !== "x86_64") return undefined;
  return firstFile([
    `${SWIFTSHADER_FOLDER}/libvk_swiftshader.so`,
    "/usr/lib/chromium/libvk_swiftshader.so",
    "/usr/lib64/chromium-browser/libvk_swiftshader.so",
  ]);
}

/** ANGLE's pair of libraries, fetched by the set-up. Both or nothing; x86-64 only. */
export function anglePaths(): { egl: string; gles: string } | undefined {
  const egl = `${SWIFTSHADER_FOLDER}/libEGL.so`, gles = `${SWIFTSHADER_FOLDER}/libGLESv2.so`;
  return Deno.build.arch === "x86_64" && isFile(egl) && isFile(gles) ? { egl, gles } : undefined;
}

/** A Chromium that runs without a screen: the one that the set-up fetches (x86-64 only), or the system's. */
export function chromiumPath(): string | undefined {
  const fetched = `${CHROMIUM_FOLDER}/chromium`;
  return Deno.build.arch === "x86_64" && isFile(fetched) ? fetched : onPath("chromium") ?? onPath("chromium-browser");
}

/** NVIDIA's driver, by its manifest. */
export function nvidiaManifest(): string | undefined {
  const folders = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/nvidia/share/vulkan/icd.d"];
  return folders.flatMap((folder) => filesIn(folder, /^nvidia_icd.*\.json$/))[0];
}

/** The libglvnd manifest of NVIDIA's EGL and OpenGL ES. */
export function nvidiaEglManifest(): string | undefined {
  const folders = [
    "/usr/share/glvnd/egl_vendor.d",
    "/etc/glvnd/egl_vendor.d",
    "/usr/local/nvidia/share/glvnd/egl_vendor.d",
  ];
  return folders.flatMap((folder) => filesIn(folder, /nvidia.*\.json$/))[0];
}

/** The manifest of `VK_LAYER_KHRONOS_validation`. */
export function validationManifest(): string | undefined {
  return layerManifest("VkLayer_khronos_validation.json");
}

/** The manifest of Mesa's overlay; its device_select layer comes with it. */
export function mesaOverlayManifest(): string | undefined {
  return layerManifest("VkLayer_MESA_overlay.json");
}

/** The manifest of GFXReconstruct's capture layer, if the tools that play captures back are there, too. */
export function gfxreconstructManifest(): string | undefined {
  return onPath("gfxrecon-replay") && layerManifest("VkLayer_gfxreconstruct.json");
}

/** vkBasalt's manifest. */
export function vkbasaltManifest(): string | undefined {
  return layerManifest("vkBasalt.json");
}

/** MangoHud's manifest. */
export function mangohudManifest(): string | undefined {
  return layerManifest("MangoHud.json");
}

/** The manifest of RenderDoc's layer, if the program that opens captures is installed, too. */
export function renderdocManifest(): string | undefined {
  return onPath("renderdoccmd") && layerManifest("renderdoc_capture.json");
}

/** A native layer's manifest by its file name, among the explicit and the implicit ones. */
function layerManifest(file: string): string | undefined {
  const folders = ["explicit", "implicit"].flatMap((kind) =>
    ["/usr/share/vulkan", "/usr/local/share/vulkan", "/etc/vulkan"].map((each) => `${each}/${kind}_layer.d`)
  );
  // The folders' lists decide: in an emulator the files of the machine around it are there, too, if one asks for them.
  return folders.flatMap((folder) => filesIn(folder, /\.json$/)).find((path) => path.endsWith(`/${file}`));
}

/** The system's Vulkan loader, `libvulkan.so.1`: the benchmarks measure against it. */
export function systemLoaderPath(): string | undefined {
  return systemLibrary("libvulkan.so.1");
}

/** SDL 2: a native program's window and its way to Vulkan. */
export function sdlPath(): string | undefined {
  return systemLibrary("libSDL2-2.0.so.0");
}

/** Path of GLFW 3. */
export function glfwPath(): string | undefined {
  return systemLibrary("libglfw.so.3");
}

/** libglvnd's desktop OpenGL without GLX. */
export function openGlPath(): string | undefined {
  return systemLibrary("libOpenGL.so.0");
}

/** libglvnd's desktop OpenGL with GLX. */
export function glPath(): string | undefined {
  return systemLibrary("libGL.so.1");
}

/** libepoxy, which finds functions of OpenGL. */
export function epoxyPath(): string | undefined {
  return systemLibrary("libepoxy.so.0");
}

/** virglrenderer, the GPU of virtual machines. */
export function virglPath(): string | undefined {
  return systemLibrary("libvirglrenderer.so.1");
}

/** GTK 4, a toolkit. */
export function gtkPath(): string | undefined {
  return systemLibrary("libgtk-4.so.1");
}

/** GStreamer's elements that draw with OpenGL. */
export function gstreamerGlPath(): string | undefined {
  return systemLibrary("gstreamer-1.0/libgstopengl.so");
}

/** GStreamer's elements that draw with Vulkan. */
export function gstreamerVulkanPath(): string | undefined {
  return systemLibrary("gstreamer-1.0/libgstvulkan.so");
}

/** libmpv, a video player. */
export function mpvPath(): string | undefined {
  return systemLibrary("libmpv.so.2");
}

/** Qt 6, a toolkit. */
export function qtPath(): string | undefined {
  return systemLibrary("libQt6OpenGL.so.6") && systemLibrary("libQt6Gui.so.6");
}

/** The server of a queue. */
export function natsServerPath(): string | undefined {
  return firstFile([onPath("nats-server"), "/usr/sbin/nats-server"].filter((each) => each !== undefined));
}

/** OpenSSL's program. */
export function opensslPath(): string | undefined {
  return onPath("openssl");
}

/** Weston, a Wayland server. */
export function westonPath(): string | undefined {
  return onPath("weston");
}

/** libplacebo, a video renderer, in the version whose structs the tests know. */
export function libplaceboPath(): string | undefined {
  return systemLibrary("libplacebo.so.208");
}

/** vkd3d, Direct3D 12 on Vulkan. */
export function vkd3dPath(): string | undefined {
  return systemLibrary("libvkd3d.so.1");
}

/** pixman, which composes on the CPU. */
export function pixmanPath(): string | undefined {
  return systemLibrary("libpixman-1.so.0");
}

/** libyuv, which converts YUV. */
export function libyuvPath(): string | undefined {
  return systemLibrary("libyuv.so.0");
}

/** An X server that shows nothing. */
export function xvfbPath(): string | undefined {
  return onPath("Xvfb");
}

/** A program that says what an EGL driver can do; some distributions add the machine to its name. */
export function eglinfoPath(): string | undefined {
  return onPath("eglinfo") ?? onPath(`eglinfo.${Deno.build.arch}-linux-gnu`);
}

/** A program that makes and reads videos. */
export function ffmpegPath(): string | undefined {
  return onPath("ffmpeg");
}

/** A C compiler that can make a shared object: the program alone is not enough, the C library's headers count. */
export function compilerPath(): string | undefined {
  const compiler = onPath("cc") ?? onPath("gcc");
  return isFile("/usr/include/stdio.h") ? compiler : undefined;
}

/** The folder to give to the compiler's `-I` for `<vulkan/vulkan.h>`. */
export function vulkanHeaders(): string | undefined {
  return ["/usr/include", "/usr/local/include"].find((folder) => isFile(`${folder}/vulkan/vulkan.h`));
}

/** The folder with a `vk.xml` and `video.xml` of the system. */
export function systemRegistry(): string | undefined {
  const folder = "/usr/share/vulkan/registry";
  return isFile(`${folder}/vk.xml`) ? folder : undefined;
}

/** The GLSL compiler and the SPIR-V validator. Both or nothing. */
export function shaderTools(): { compiler: string; validator: string } | undefined {
  const compiler = onPath("glslangValidator"), validator = onPath("spirv-val");
  return compiler !== undefined && validator !== undefined ? { compiler, validator } : undefined;
}

/** Reads a driver manifest just far enough for the library's path; a manifest that cannot be read names none. */
function driverOf(manifest: string): string | undefined {
  try {
    const named: unknown = JSON.parse(Deno.readTextFileSync(manifest))?.ICD?.library_path;
    if (typeof named !== "string") return undefined;
    if (!named.includes("/")) return systemLibrary(named);
    const path = named.startsWith("/") ? named : `${manifest.slice(0, manifest.lastIndexOf("/"))}/${named}`;
    return isFile(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
