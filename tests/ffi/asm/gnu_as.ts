/** Whether an assembler can be started. */
export function hasAssembler(program: string): boolean {
  try {
    return new Deno.Command(program, { args: ["--version"], stdout: "null", stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

/** The result of an assembler for some text: the bytes of the section `.text`. */
export function assemble(program: string, text: string): Uint8Array<ArrayBuffer> {
  const folder = Deno.makeTempDirSync();
  try {
    Deno.writeTextFileSync(`${folder}/text.s`, text + "\n");
    const args = ["-o", `${folder}/text.o`, `${folder}/text.s`];
    const { success, stderr } = new Deno.Command(program, { args, stderr: "piped" }).outputSync();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return sectionText(Deno.readFileSync(`${folder}/text.o`));
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** In a relocatable file from GNU as, `.text` is always section 1. */
function sectionText(file: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const view = new DataView(file.buffer);
  const header = Number(view.getBigUint64(40, true)) + 64;
  const at = Number(view.getBigUint64(header + 24, true)), size = Number(view.getBigUint64(header + 32, true));
  return file.subarray(at, at + size);
}
