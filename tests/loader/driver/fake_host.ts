/**
 * Machines that the driver search can be shown: this one with another
 * environment, other rights, another system, or another file tree.
 *
 * @module
 */
import type { Finding } from "../../../loader/driver/report/finding.ts";
import { denoHost, type Host, type ProcessIdentity } from "../../../loader/driver/host/host.ts";
import { linuxManifests } from "../../../loader/driver/linux/search.ts";
import type { ManifestCandidate } from "../../../loader/driver/search/search.ts";

/** An ordinary process. */
const ORDINARY: ProcessIdentity = { uid: 1000, euid: 1000, gid: 1000, egid: 1000, secure: false };
/** One that whoever started it has not the rights of. */
export const SETUID: ProcessIdentity = { ...ORDINARY, euid: 0 };

/** The wishes for a fake host. */
export interface FakeHost {
  /** The whole environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: an ordinary process. */
  readonly identity?: ProcessIdentity;
  /** Default: Linux. */
  readonly system?: Host["system"];
  /** The lines that are written to standard error. */
  readonly lines?: string[];
}

/** This machine, with what `fake` says in place of its own. */
export function fakeHost({ env = {}, identity = ORDINARY, system = "linux", lines = [] }: FakeHost = {}): Host {
  return {
    ...denoHost(),
    system,
    env: (name) => env[name],
    identity: () => identity,
    writeError: (line) => void lines.push(line),
  };
}

/** The manifests that are looked at in an environment. */
export function manifestsFor(env: Readonly<Record<string, string>>, report: Finding[] = []): ManifestCandidate[] {
  return linuxManifests(fakeHost({ env }), report);
}
