/**
 * A virtual machine with binder and graphics cards: vkms, which has planes and shows
 * nothing, and virtio-gpu. A command in it sees the files of this machine; what
 * the command changes is thrown away, except in one folder.
 *
 * @module
 */
import { lastWords, runQuietly } from "../setup/command.ts";
import { onPath } from "../setup/files.ts";
import type { Kernel } from "./kernel.ts";

const INIT = new URL("init.sh", import.meta.url).pathname;
/** The cards, and fences that tests signal. */
const DRIVERS = "vkms:enable_overlay=1:enable_writeback=1,virtio_dma_buf,virtio-gpu,vgem,kms_sw_sync";
/** Variables that would be wrong in the machine. */
const LEFT_OUT = ["PWD", "OLDPWD", "TMPDIR", "SHLVL", "_"];

/** The surroundings of a command in the machine. */
export interface MachineOptions {
  /** The folder to run in. */
  readonly cwd: string;
  /** The folder that the machine sees as `/out`, in which changes stay. */
  readonly out: string;
  /** Variables on top of those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether a program in the machine can resize its screen; long runs with that were seen to hang in the emulator. */
  readonly hasMonitor: boolean;
  /** Seconds after which the machine is switched off. */
  readonly timeout: number;
}

/** Seconds without a word after which a machine counts as hanging; a tenth of the longest runs. */
const SILENCE = 200, PART = 10;
/** The file in `out` that asks a machine what its threads wait for, and seconds without a word after which it has said so. */
const ASKED = "asked", ANSWER = 20;
/** The most times that a machine is started. */
const STARTS = 4;

/**
 * Runs a command in a new machine, whose console is standard output. Returns the command's status, 125 if it had none. A
 * machine whose kernel dies or that says nothing for minutes is started again, and that is said: two emulated
 * processors may meet in code that the kernel is changing.
 */
export async function runInMachine(
  kernel: Kernel,
  command: readonly string[],
  options: MachineOptions,
): Promise<number> {
  for (let start = 1; start <= STARTS; start++) {
    const end = await runOnce(kernel, command, options);
    if (end !== DIED && end !== HANGS) return end;
    console.error(`\nThe virtual machine ${end === DIED ? "died" : "hangs"}, start ${start} of ${STARTS} at most`);
  }
  return NO_STATUS;
}

/** The status of a command that had none, the end of a machine that nobody switched off, and of one that hangs. */
const NO_STATUS = 125, DIED = -1, HANGS = -2;

async function runOnce(kernel: Kernel, command: readonly string[], options: MachineOptions): Promise<number> {
  const { out, timeout } = options, initrd = `${out}/initrd`;
  Deno.writeTextFileSync(`${out}/job`, jobText(command, options));
  await packInitrd(kernel, initrd);
  const args = [String(timeout), "qemu-system-x86_64", ...machine(kernel, initrd, options)];
  const qemu = new Deno.Command("timeout", { args, stdin: "null", stdout: "piped", stderr: "inherit" }).spawn();
  const silence = 1000 * Math.max(SILENCE, timeout / PART);
  const isHanging = await passOn(qemu.stdout, writeOut, silence);
  if (isHanging) {
    await askThreads(qemu.stdout, out);
    qemu.kill("SIGTERM"); // which `timeout` hands on
  }
  await qemu.stdout.cancel();
  const { code } = await qemu.status;
  Deno.removeSync(initrd);
  if (isHanging) return HANGS;
  try {
    return Number(Deno.readTextFileSync(`${out}/status`));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return code === 0 ? DIED : NO_STATUS;
    throw error;
  }
}

/** Has a machine that says nothing tell what each thread in it waits for; one whose kernel stands still tells nothing. */
async function askThreads(stdout: ReadableStream<Uint8Array>, out: string): Promise<void> {
  console.error("\nThe virtual machine says nothing; its threads wait for:");
  Deno.writeTextFileSync(`${out}/${ASKED}`, "");
  await passOn(stdout, writeOut, 1000 * ANSWER);
  Deno.removeSync(`${out}/${ASKED}`);
}

function writeOut(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}

/**
 * Passes on what a stream says. Returns whether the stream has said nothing for so many milliseconds before its end; it can
 * be read further then.
 */
export async function passOn(
  stream: ReadableStream<Uint8Array>,
  write: (bytes: Uint8Array) => unknown,
  silence: number,
): Promise<boolean> {
  const reader = stream.getReader();
  for (;;) {
    const late = Promise.withResolvers<undefined>(), timer = setTimeout(() => late.resolve(undefined), silence);
    const read = reader.read(), said = await Promise.race([read, late.promise]);
    clearTimeout(timer);
    if (said?.value) write(said.value);
    else {
      read.catch(() => {}); // ends with the lock
      reader.releaseLock();
      return said === undefined;
    }
  }
}

function machine({ image }: Kernel, initrd: string, { out, hasMonitor }: MachineOptions): string[] {
  const files = (path: string, tag: string, more: string) =>
    `local,path=${path},mount_tag=${tag},security_model=none${more}`;
  return [
    ...["-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-monitor", "none", "-serial", "stdio"],
    ...["-machine", "q35", "-accel", "tcg", "-cpu", "qemu64", "-smp", "2", "-m", "2048"],
    ...["-kernel", image, "-initrd", initrd],
    ...["-append", `console=ttyS0 quiet loglevel=4 panic=-1 mitigations=off vm.load=${DRIVERS}`],
    ...["-device", "virtio-gpu-pci,max_outputs=1"],
    ...(hasMonitor ? monitor(`${out}/monitor`) : []),
    ...["-virtfs", files("/", "root", ",readonly=on,multidevs=remap"), "-virtfs", files(out, "out", "")],
  ];
}

/** The machine's screen can be resized and turned off by VNC, whose client is a program in the machine, at a port. */
function monitor(socket: string): string[] {
  return [
    ...["-chardev", `socket,id=monitor,path=${socket},server=on,wait=off`, "-vnc", `unix:${socket},reverse=on`],
    ...["-device", "virtio-serial-pci", "-device", "virtserialport,chardev=monitor,name=monitor"],
  ];
}

/** A shell script with the command, its folder and its environment. */
function jobText(command: readonly string[], { cwd, env }: MachineOptions): string {
  const all = Object.entries({ ...Deno.env.toObject(), ...env });
  const variables = all.filter(([name]) => !LEFT_OUT.includes(name) && /^\w+$/.test(name));
  return [
    ...variables.map(([name, value]) => `export ${name}=${quoted(value)}`),
    "export TMPDIR=/tmp",
    `cd ${quoted(cwd)} && exec ${command.map(quoted).join(" ")}`,
    "",
  ].join("\n");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Packs the first files of the machine: busybox, the script, the modules. */
async function packInitrd({ modules }: Kernel, initrd: string): Promise<void> {
  const folder = Deno.makeTempDirSync();
  try {
    for (const each of ["bin", "modules"]) Deno.mkdirSync(`${folder}/${each}`);
    Deno.copyFileSync(onPath("busybox")!, `${folder}/bin/busybox`);
    Deno.copyFileSync(INIT, `${folder}/init`);
    Deno.chmodSync(`${folder}/init`, 0o755);
    for (const { name } of Deno.readDirSync(modules)) {
      Deno.copyFileSync(`${modules}/${name}`, `${folder}/modules/${name}`);
    }
    const pack = `find . | cpio -o -H newc --quiet > "$1"`;
    const packed = await runQuietly("sh", ["-c", pack, "sh", initrd], { cwd: folder });
    if (!packed.success) throw new Error(`cpio failed: ${lastWords(packed)}`);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}
