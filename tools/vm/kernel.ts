/**
 * A kernel with virtual graphics cards and binder: Debian's newest backported one, and
 * the drivers that Debian leaves out, built from Debian's own source.
 *
 * @module
 */
import { lastWords, runQuietly } from "../setup/command.ts";
import { isFile } from "../setup/files.ts";
import { type Print, type Say, withProgress } from "../setup/progress.ts";
import { BINDER, SW_SYNC, VKMS } from "./sources.ts";

/** Counts up with every change of what is built. */
const RECIPE = "2";
/** Modules of the kernel that the machine loads, besides the built ones. */
const MODULES = [
  "net/9p/9pnet",
  "net/9p/9pnet_virtio",
  "fs/netfs/netfs",
  "fs/9p/9p",
  "fs/overlayfs/overlay",
  "drivers/virtio/virtio_dma_buf",
  "drivers/gpu/drm/drm",
  "drivers/gpu/drm/drm_kms_helper",
  "drivers/gpu/drm/drm_shmem_helper",
  "drivers/gpu/drm/virtio/virtio-gpu",
  "drivers/gpu/drm/vgem/vgem",
];

/** The drivers that are built. */
const BUILT = [VKMS, SW_SYNC, BINDER];

/** A kernel and its modules, as paths. */
export interface Kernel {
  /** The kernel's image. */
  readonly image: string;
  /** The folder of the modules, `NAME.ko` each. */
  readonly modules: string;
}

/** The packages that the kernel's parts come from. */
interface Packages {
  /** The kernel's release, such as `6.12.95+deb12`. */
  readonly release: string;
  /** The packages' version. */
  readonly version: string;
  /** The archives, by what is in them. */
  readonly archives: { readonly source: string; readonly trees: readonly string[] };
}

/** Fetches and builds the kernel into `folder`, unless it is there. Throws an `Error` that says what failed. */
export async function setUpKernel(folder: string, print: Print): Promise<Kernel> {
  const kernel = { image: `${folder}/vmlinuz`, modules: `${folder}/modules` }, stamp = `${folder}/kernel.complete`;
  if (isFile(stamp) && Deno.readTextFileSync(stamp) === RECIPE) return kernel;
  Deno.mkdirSync(kernel.modules, { recursive: true });
  const scratch = `${folder}/scratch`;
  Deno.mkdirSync(`${scratch}/source`, { recursive: true });
  await withProgress("a kernel with virtual cards and binder (275 MB of packages)", print, async (say) => {
    const packages = await download(scratch, say);
    await unpack(packages, scratch, say);
    await build(packages, scratch, kernel, say);
  });
  Deno.removeSync(scratch, { recursive: true });
  Deno.writeTextFileSync(stamp, RECIPE);
  return kernel;
}

/** Downloads the packages by lists of our own, so that the machine's sources stay as they are. */
async function download(scratch: string, say: Say): Promise<Packages> {
  say("reading the package lists");
  const apt = await backports(scratch);
  const [, release] = /Depends: linux-image-(\S+)-amd64$/m.exec(
    await must("apt-cache", [...apt, "depends", "linux-image-amd64"]),
  ) ?? [];
  if (!release) throw new Error("Debian's backports have no linux-image-amd64");
  const [, version] = /^Version: (\S+)$/m.exec(
    await must("apt-cache", [...apt, "show", `linux-image-${release}-amd64`]),
  )!;
  const source = `linux-source-${/^\d+\.\d+/.exec(version)![0]}`;
  const trees = ["image", "headers"].map((part) => `linux-${part}-${release}-amd64`).concat(
    `linux-headers-${release}-common`,
    `linux-kbuild-${release}`,
  );
  for (const name of [...trees, source]) {
    say(`fetching ${name}`);
    await must("apt-get", ["-qq", ...apt, "download", `${name}=${version}`], { cwd: scratch });
  }
  const files = [...Deno.readDirSync(scratch)].map(({ name }) => name);
  const archive = (name: string) => `${scratch}/${files.find((file) => file.startsWith(`${name}_`))!}`;
  return { release, version, archives: { source: archive(source), trees: trees.map(archive) } };
}

/** Returns the options of an apt that knows the backports alone, from the mirror of this machine. */
async function backports(scratch: string): Promise<string[]> {
  for (const each of ["lists/partial", "archives/partial"]) {
    Deno.mkdirSync(`${scratch}/apt/${each}`, { recursive: true });
  }
  const [, codename, mirror] = /^(\S+) (\S+)$/m.exec(
    await must("apt-get", ["indextargets", "--format", "$(CODENAME) $(REPO_URI)", "Identifier: Packages"]),
  ) ?? [];
  if (!mirror) throw new Error("no Debian package source is configured in /etc/apt");
  const suite = `${codename.replace(/-.*/, "")}-backports`;
  const keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
  Deno.writeTextFileSync(`${scratch}/apt/list`, `deb [signed-by=${keys}] ${mirror} ${suite} main\n`);
  const settings = {
    "Dir::Etc::sourcelist": `${scratch}/apt/list`,
    "Dir::Etc::sourceparts": "-",
    "Dir::State::Lists": `${scratch}/apt/lists`,
    "Dir::Cache": `${scratch}/apt`,
    "APT::Sandbox::User": "",
    "Acquire::Languages": "none",
    "APT::Default-Release": suite,
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  await must("apt-get", ["-qq", ...options, "update"]);
  return options;
}

/** Unpacks the headers and modules, and of the source, which is 1.5 GB, only the drivers. */
async function unpack({ archives }: Packages, scratch: string, say: Say): Promise<void> {
  const tree = `${scratch}/tree`;
  for (const archive of archives.trees) {
    say(`unpacking ${archive.split("/").at(-1)}`);
    await must("dpkg-deb", ["-x", archive, tree]);
  }
  say("reading the drivers' source");
  const wanted = BUILT.flatMap(({ files }) => files).map((path) => `'*/${path}'`).join(" ");
  const pipe = `dpkg-deb --fsys-tarfile "$1" | tar -xO --wildcards './usr/src/linux-source-*.tar.xz' | xz -dc |
    tar -x -C "$2" --strip-components=1 --wildcards ${wanted}`;
  await must("sh", ["-c", pipe, "sh", archives.source, `${scratch}/source`]);
}

async function build({ release }: Packages, scratch: string, kernel: Kernel, say: Say): Promise<void> {
  const root = `${scratch}/tree`, headers = `${root}/usr/src/linux-headers-${release}-amd64`;
  const makefile = `${headers}/Makefile`, text = Deno.readTextFileSync(makefile);
  Deno.writeTextFileSync(makefile, text.replace("include /usr/src", `include ${root}/usr/src`)); // an absolute path
  for (const driver of BUILT) {
    say(`building ${driver.module}`);
    const folder = driver.prepare(`${scratch}/source`);
    const options = ["CONFIG_DEBUG_INFO_BTF_MODULES=", ...driver.options]; // BTF needs a program of its own
    await must("nice", ["make", "-s", "-C", headers, `M=${folder}`, ...options, "modules"]);
    await strip(`${folder}/${driver.module}.ko`, kernel);
  }
  for (const path of MODULES) {
    const packed = `${root}/lib/modules/${release}-amd64/kernel/${path}.ko.xz`;
    await must("xz", ["-d", packed]);
    await strip(packed.replace(/\.xz$/, ""), kernel);
  }
  Deno.copyFileSync(`${root}/boot/vmlinuz-${release}-amd64`, kernel.image);
}

async function strip(path: string, { modules }: Kernel): Promise<void> {
  await must("strip", ["--strip-debug", "-o", `${modules}/${path.split("/").at(-1)}`, path]);
}

/** Runs a program that must succeed, and returns what it printed. */
async function must(program: string, args: string[], options: { cwd?: string } = {}): Promise<string> {
  const ending = await runQuietly(program, args, { ...options, env: { LC_ALL: "C" } });
  if (!ending.success) throw new Error(`${program} failed: ${lastWords(ending)}`);
  return ending.output;
}
