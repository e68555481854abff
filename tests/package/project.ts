import { assertEquals } from "@std/assert";

/** A folder in which somebody works who has Deno and nothing else; the registry is the one at `JSR_URL`. */
export class Project {
  constructor(readonly folder: string, readonly env: Record<string, string>) {}

  /** Makes the folders `project` and `cache` in a folder. `url` is the address of the registry. */
  static in(folder: string, url: string, env: Readonly<Record<string, string>> = {}): Project {
    for (const name of ["project", "cache"]) Deno.mkdirSync(`${folder}/${name}`);
    return new Project(`${folder}/project`, {
      JSR_URL: url,
      DENO_DIR: `${folder}/cache`,
      DENO_NO_UPDATE_CHECK: "1",
      NO_COLOR: "1",
      ...env,
    });
  }

  /** Writes a file there; returns its name. */
  write(name: string, text: string): string {
    Deno.writeTextFileSync(`${this.folder}/${name}`, text);
    return name;
  }

  /** Runs a command there, which has to end well; returns all that the command printed. */
  async run(command: string, ...args: string[]): Promise<string> {
    const { code, output } = await this.output(command, ...args);
    assertEquals(code, 0, `${[command, ...args].join(" ")}\n${output}`);
    return output;
  }

  /** Runs a command there, which may fail. */
  async output(command: string, ...args: string[]): Promise<{ code: number; output: string }> {
    const given = { args, cwd: this.folder, env: this.env };
    const { code, stdout, stderr } = await new Deno.Command(command, given).output();
    return { code, output: [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("") };
  }

  deno(...args: string[]): Promise<string> {
    return this.run(Deno.execPath(), ...args);
  }
}
