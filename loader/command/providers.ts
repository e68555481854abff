import { allExtensions, type Extension } from "./extension.ts";

/** The window systems that a loader of Linux knows; `-` stands for none. */
const LINUX: readonly string[] = ["-", "xcb", "xlib", "xlib_xrandr", "wayland"];

/** What brings commands. */
interface Providers {
  /** The instance extensions, one of which must be enabled for a command; absent for commands that something else brings, too. */
  readonly needed: ReadonlyMap<string, readonly string[]>;
  /** The commands that a loader of Linux knows. */
  readonly known: ReadonlySet<string>;
}

let providers: Providers | undefined;

/** Whether an instance that enabled these extensions has a command: those of core versions and of device extensions always. */
export function isEnabled(command: string, extensions: ReadonlySet<string>): boolean {
  const needed = (providers ??= readProviders()).needed.get(command);
  return needed === undefined || needed.some((name) => extensions.has(name));
}

/** Whether a loader of Linux knows a command: all but those of other systems. */
export function isKnownOnLinux(command: string): boolean {
  return (providers ??= readProviders()).known.has(command);
}

function readProviders(): Providers {
  const needed = new Map<string, string[]>(), known = new Set<string>(), always = new Set<string>();
  for (const extension of allExtensions()) {
    for (const command of extension.commands) {
      if (isOfLinux(extension)) known.add(command);
      if (extension.kind !== "instance") always.add(command);
      else needed.set(command, [...needed.get(command) ?? [], extension.name]);
    }
  }
  for (const command of always) needed.delete(command);
  return { needed, known };
}

function isOfLinux({ platform }: Extension): boolean {
  return LINUX.includes(platform);
}
