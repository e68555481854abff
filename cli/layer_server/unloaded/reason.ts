import { GLES_LIBRARY_FILE } from "../../../workbench/layer_server/gles/in_place.ts";
import { LIBRARY_FILE, MANIFEST_FILE } from "../../../workbench/layer_server/manifest.ts";
import type { OpenedFiles, SeenProcess, Sought } from "./processes.ts";

/** The facts of a program that was served no layer. */
export interface Evidence {
  readonly isGles: boolean;
  /** The folder with the layer library. */
  readonly folder: string;
  /** The files of the folder that any process opened. */
  readonly opened: Pick<OpenedFiles, "has">;
  /** The processes of the program that were seen. */
  readonly seen: readonly SeenProcess[];
  /** The user of this process. */
  readonly user: number | null;
}

/** Returns the folder, variables and libraries by which programs look for layers of an interface. */
export function soughtIn(folder: string, isGles: boolean): Sought {
  return isGles
    ? { folder, variables: ["LD_LIBRARY_PATH"], libraries: /\/lib(EGL|GLES)[^/]*\.so/ }
    : { folder, variables: ["VK_ADD_LAYER_PATH", "VK_LAYER_PATH"], libraries: /\/(libvulkan|libVkLayer_)[^/]*\.so/ };
}

/** Says why no process of a program has the layers. Facts of processes that use the interface go before others. */
export function reasonOf(evidence: Evidence): string {
  const { isGles, opened, seen } = evidence, users = seen.filter(({ hasInterface }) => hasInterface);
  const about = { ...evidence, seen: users.length > 0 ? users : seen };
  if (opened.has(isGles ? GLES_LIBRARY_FILE : LIBRARY_FILE)) return whyNotLinked(about);
  if (!isGles && opened.has(MANIFEST_FILE)) {
    return "Its Vulkan loader read the layer's manifest and loaded no library: either it made no instance, or a setting " +
      "keeps the layer out; with VK_LOADER_DEBUG=error,warn,layer in front of the command, the loader says which";
  }
  return whyNotFound(about, users.length > 0);
}

/** The way out for a program in a container. */
const SERVE = "`pumice serve --listen=unix:PATH` reaches such programs";

/** The library was loaded. */
function whyNotLinked({ seen, user }: Evidence): string {
  const narrow = seen.find((each) => each.is32Bit), apart = seen.find((each) => !each.hasSameNumbers);
  if (narrow) return `${narrow.label} is a program of 32 bits, and the layer library is for x86-64`;
  if (apart) {
    return `${apart.label} opened the layer library, but has process numbers of its own, as in a container or sandbox, and ` +
      `does not find this process: ${SERVE}`;
  }
  const stranger = seen.find((each) => each.user !== user);
  if (stranger) {
    return `${stranger.label} opened the layer library, but runs as user ${stranger.user}, who shares no memory with this ` +
      `process of user ${user}: start pumice as that user, too`;
  }
  return "A process of it opened the layer library and was refused: it says why on standard error, unless that is closed";
}

/** Explains why no process has opened a file of the folder. */
function whyNotFound({ seen, user, folder, isGles }: Evidence, isUsed: boolean): string {
  const [variable] = soughtIn(folder, isGles).variables;
  const stranger = seen.find((each) => each.user !== user);
  if (stranger) {
    return `${stranger.label} runs as user ${stranger.user}, who may not read ${folder} of user ${user}: start pumice as that ` +
      `user, too`;
  }
  const privileged = seen.find((each) => each.isPrivileged);
  if (privileged) return `${privileged.label} is privileged, and privileged programs take no layers from variables`;
  const elsewhere = seen.find((each) => !each.hasFolder);
  if (elsewhere) {
    return `${elsewhere.label} does not see ${folder}, since it is in a container or sandbox with another folder there: ` +
      "set TMPDIR to a folder that both see";
  }
  const bare = seen.find((each) => !each.hasVariable);
  if (bare) {
    return `${bare.label} was started without ${variable}: what starts it, such as sudo, env -i or a sandbox, does not hand ` +
      "variables on";
  }
  return isUsed ? unused(seen[0], isGles) : unseen(seen, isGles);
}

function unused({ label }: SeenProcess, isGles: boolean): string {
  return isGles
    ? `${label} has an EGL or OpenGL ES library from elsewhere than LD_LIBRARY_PATH, as programs with a copy of their own do`
    : `${label} opened a Vulkan loader that looked for no layer: it made no instance, or is a loader of its own that takes ` +
      "no layers from VK_INSTANCE_LAYERS and VK_ADD_LAYER_PATH";
}

/** Nothing is known: the program ended before a look, or did nothing. */
function unseen(seen: readonly SeenProcess[], isGles: boolean): string {
  const library = isGles ? "libEGL.so.1" : "libvulkan.so.1",
    instance = isGles ? "called nothing of EGL" : "made no Vulkan instance";
  if (seen.length === 0) {
    return `It ended before anybody could look: either it ${instance}, or it takes no layers from variables`;
  }
  return `No process of it was seen with ${library}: either it ${instance}, or it was too short for a look and takes no layers ` +
    "from variables";
}
