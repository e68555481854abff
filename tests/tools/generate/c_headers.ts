import type { Registry, StructType } from "../../../tools/generate/registry/model.ts";

/** The folders in which libvulkan-dev puts the headers and the registry they were made from. */
export const HEADERS = "/usr/include/vulkan", REGISTRY = "/usr/share/vulkan/registry";

/** The types that the platform headers need instead of the platforms' own headers. */
const PLATFORM_TYPES = `
typedef struct Display Display; typedef unsigned long Window, VisualID, RROutput;
typedef struct xcb_connection_t xcb_connection_t; typedef unsigned xcb_window_t, xcb_visualid_t;
typedef void *HANDLE, *HINSTANCE, *HWND, *HMONITOR; typedef unsigned DWORD; typedef const unsigned short *LPCWSTR;
typedef struct SECURITY_ATTRIBUTES SECURITY_ATTRIBUTES;
typedef unsigned zx_handle_t, GgpStreamDescriptor; typedef unsigned long GgpFrameToken;
typedef struct IDirectFB IDirectFB; typedef struct IDirectFBSurface IDirectFBSurface;
`;
const PLATFORM_HEADERS = [
  "beta",
  "android",
  "wayland",
  "metal",
  "xcb",
  "xlib",
  "xlib_xrandr",
  "fuchsia",
  "ggp",
  "screen",
  "directfb",
  "ohos",
  "win32",
  "ios",
  "macos",
  "vi",
].map((name) => `vulkan_${name}.h`);

/** Whether the machine has a C compiler, the Vulkan headers and their registry. */
export function hasHeaders(): boolean {
  return exists(`${HEADERS}/vulkan_core.h`) && exists(`${REGISTRY}/vk.xml`) && exists("/usr/bin/cc");
}

/** The words of every header, to tell what they know. */
export function headerText(): string {
  const folders = [HEADERS, "/usr/include/vk_video"].filter(exists);
  const files = folders.flatMap((folder) => [...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`));
  return files.filter((path) => path.endsWith(".h")).map((path) => Deno.readTextFileSync(path)).join("\n");
}

/** Compiles a C `main` with all Vulkan headers before it, runs it, and returns the lines that it prints. */
export function runWithHeaders(body: string): string[] {
  const folder = Deno.makeTempDirSync({ prefix: "headers" });
  try {
    const headers = PLATFORM_HEADERS.filter((name) => exists(`${HEADERS}/${name}`));
    const program = `#include <stdio.h>
#include <stddef.h>
#include <string.h>
#define VK_ENABLE_BETA_EXTENSIONS 1
#include <vulkan/vulkan_core.h>
#include <vulkan/vk_layer.h>
${PLATFORM_TYPES}
${headers.map((name) => `#include <vulkan/${name}>`).join("\n")}
int main(void) {
${body}
return 0; }
`;
    Deno.writeTextFileSync(`${folder}/main.c`, program);
    run("cc", ["-w", "-O0", `${folder}/main.c`, "-o", `${folder}/main`]);
    return run(`${folder}/main`, []).trimEnd().split("\n");
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** C statements that print one struct's layout in the form of the layouts file. */
export function printLayout({ name, members }: StructType): string {
  const places = members.map((member) =>
    member.bits > 0
      ? `{ ${name} v; unsigned char *p = (unsigned char *)&v; int b = 0; memset(&v, 0, sizeof v); v.${member.name} = ~0;
         while (!(p[b / 8] >> (b % 8) & 1)) b++; printf(" b%d", b); }`
      : `printf(" %zu", offsetof(${name}, ${member.name}));`
  );
  return `printf("${name} %zu %zu", sizeof(${name}), _Alignof(${name}));\n${places.join("\n")}\nputs("");\n`;
}

/** The structs of a registry that the headers define. */
export function structsIn(headers: string, registry: Registry): StructType[] {
  const defined = new Set([...headers.matchAll(/\}\s*(\w+);/g)].map(([, name]) => name));
  return [...registry.types.values()].filter((type): type is StructType =>
    type.kind === "struct" && defined.has(type.name)
  );
}

function run(command: string, args: string[]): string {
  const { success, stdout, stderr } = new Deno.Command(command, { args }).outputSync();
  if (!success) throw new Error(`${command} failed: ${new TextDecoder().decode(stderr).slice(0, 2000)}`);
  return new TextDecoder().decode(stdout);
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path) !== undefined;
  } catch {
    return false;
  }
}
