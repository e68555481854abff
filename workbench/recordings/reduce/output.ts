import { isFolder } from "../../process/files.ts";
import { basename, dirname, resolve } from "node:path";
import { moveTo, obstacleAt, writeWhole } from "../../../ffi/file/whole_file.ts";
import { type RecordedStream, writeRecording } from "../replay/stream.ts";
import { sidecarOf } from "../record/sidecar.ts";
import { type TemporaryFolder, temporaryFolder } from "../../../loader/temporary_folder.ts";

/** The names of a recording's files of bytes. */
const HASH = /^[0-9a-f]{64}$/;

/**
 * The place of a smaller recording and its script. Files appear whole or not at
 * all: they are written in a folder beside their place, and then moved.
 */
export class Output {
  /** The path of the recording. */
  readonly path: string;
  /** The path of the script. */
  readonly script: string;

  /**
   * Writes nothing yet.
   *
   * @throws {TypeError} if the files cannot be written, or if the recording is the one that is read.
   */
  constructor(path: string, input: string) {
    this.path = path;
    this.script = `${path.replace(/\.jsonl$/, "")}.ts`;
    if (resolve(path) === resolve(input)) throw refused(path, "it is the recording that is read; give another file");
    for (const each of [path, this.script]) {
      const obstacle = obstacleAt(each);
      if (obstacle) throw refused(each, `${obstacle}; give a file`);
    }
    refuseForeign(sidecarOf(path));
    this.#beside(() => {});
  }

  /** Writes a recording with its bytes. */
  writeRecording(stream: RecordedStream): void {
    this.#beside((folder) => {
      const file = `${folder}/${basename(this.path)}`;
      writeRecording(file, stream);
      // First the bytes: a recording without them cannot be replayed.
      refuseForeign(sidecarOf(this.path));
      removeFolder(sidecarOf(this.path));
      Deno.renameSync(sidecarOf(file), sidecarOf(this.path));
      moveTo(this.path, file);
    });
  }

  /** Writes a script. */
  writeScript(text: string): void {
    const obstacle = obstacleAt(this.script);
    if (obstacle) throw refused(this.script, obstacle);
    writeWhole(this.script, text);
  }

  /** Calls with a new folder beside the recording, which ends with the call. */
  #beside(use: (folder: string) => void): void {
    using folder = this.#makeFolder();
    use(folder.path);
  }

  #makeFolder(): TemporaryFolder {
    const dir = dirname(this.path);
    try {
      return temporaryFolder("reduced", dir);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw refused(this.path, (error as Error).message);
      throw refused(
        this.path,
        isFolder(dir) ? `the folder "${dir}" takes no files` : `the folder "${dir}" is not there`,
      );
    }
  }
}

function refused(path: string, why: string): TypeError {
  return new TypeError(`Cannot write "${path}": ${why}`);
}

/** Refuses a place for the bytes of a recording where anything else is, because the place is emptied. */
function refuseForeign(path: string): void {
  const found = namesIn(path)?.find((name) => !HASH.test(name));
  if (found !== undefined) throw refused(path, `"${found}" there is no part of a recording; give another file`);
}

/** The names in a folder, or the name of anything else; `undefined` if nothing is there. */
function namesIn(path: string): string[] | undefined {
  try {
    if (!Deno.lstatSync(path).isDirectory) return [basename(path)];
    return [...Deno.readDirSync(path)].map(({ name }) => name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function removeFolder(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
