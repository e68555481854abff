import { assertEquals, assertThrows } from "@std/assert";
import { createWhole, moveTo, obstacleAt, replaceFile, writeWhole } from "../../../ffi/file/whole_file.ts";
import { deviceIn, withFolder } from "../../support/temporary.ts";

const BYTES = new TextEncoder().encode("new");

/** The names in a folder, with the kind of each. */
function kindsIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => {
    const found = Deno.lstatSync(`${folder}/${name}`);
    return `${name}: ${found.isSymlink ? "link" : found.isFifo ? "pipe" : found.isFile ? "file" : "folder"}`;
  }).sort();
}

/** A folder with a file, a link to the file, a pipe and a folder. */
function withObstacles(use: (folder: string) => void): void {
  withFolder((folder) => {
    Deno.writeTextFileSync(`${folder}/file`, "old", { mode: 0o640 });
    Deno.symlinkSync(`${folder}/file`, `${folder}/link`);
    new Deno.Command("mkfifo", { args: [`${folder}/pipe`] }).outputSync();
    Deno.mkdirSync(`${folder}/folder`);
    use(folder);
  });
}

Deno.test("replaceFile() and moveTo() leave folders, links, pipes and devices as they are, with the reason", () => {
  withObstacles((folder) => {
    const before = kindsIn(folder);
    for (const [name, sentence] of [["folder", "it is a folder"], ["link", "it is a link"], ["pipe", "it is a pipe"]]) {
      assertThrows(() => replaceFile(`${folder}/${name}`, BYTES, 0o600), Deno.errors.AlreadyExists, sentence);
      Deno.writeTextFileSync(`${folder}/from`, "");
      assertThrows(() => moveTo(`${folder}/${name}`, `${folder}/from`), Deno.errors.AlreadyExists, sentence);
      Deno.removeSync(`${folder}/from`);
    }
    const device = deviceIn(folder);
    assertThrows(() => replaceFile(device, BYTES, 0o600), Deno.errors.AlreadyExists, "it is a device");
    writeWhole(device, "gone");
    assertEquals(Deno.lstatSync(device).isCharDevice, true);
    if (device !== "/dev/null") Deno.removeSync(device);
    assertEquals(obstacleAt("/dev/null"), "it is a device, which is not replaced");
    assertEquals(kindsIn(folder), before);
    assertEquals(Deno.readTextFileSync(`${folder}/file`), "old");
  });
});

Deno.test("writeWhole() replaces a file and keeps its mode, writes through links, and into pipes and devices", async () => {
  const folder = Deno.makeTempDirSync();
  try {
    Deno.writeTextFileSync(`${folder}/file`, "old and long", { mode: 0o640 });
    const before = Deno.lstatSync(`${folder}/file`);
    writeWhole(`${folder}/file`, "new");
    const after = Deno.lstatSync(`${folder}/file`);
    assertEquals([Deno.readTextFileSync(`${folder}/file`), after.mode! & 0o777], ["new", 0o640]);
    assertEquals(after.ino === before.ino, false, "the file is written in place, where a reader sees half of it");

    Deno.symlinkSync(`${folder}/file`, `${folder}/link`);
    writeWhole(`${folder}/link`, "through");
    assertEquals(Deno.readTextFileSync(`${folder}/file`), "through");

    new Deno.Command("mkfifo", { args: [`${folder}/pipe`] }).outputSync();
    const reader = new Deno.Command("cat", { args: [`${folder}/pipe`], stdout: "piped" }).spawn();
    writeWhole(`${folder}/pipe`, "told");
    assertEquals(new TextDecoder().decode((await reader.output()).stdout), "told");
    assertEquals(kindsIn(folder), ["file: file", "link: link", "pipe: pipe"]);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("writeWhole() writes a file with the longest name, and leaves nothing beside after an error", () => {
  withFolder((folder) => {
    const longest = "n".repeat(255);
    writeWhole(`${folder}/${longest}`, "all");
    assertEquals(Deno.readTextFileSync(`${folder}/${longest}`), "all");
    Deno.mkdirSync(`${folder}/folder`);
    assertThrows(() => writeWhole(`${folder}/folder`, "x"));
    assertThrows(() => writeWhole(`${folder}/no/file`, "x"), Deno.errors.NotFound);
    assertEquals(kindsIn(folder), ["folder: folder", `${longest}: file`]);
  });
});

Deno.test("createWhole() writes where nothing is, and leaves what is there", () => {
  withObstacles((folder) => {
    const before = kindsIn(folder);
    for (const name of ["file", "link", "pipe", "folder"]) assertEquals(createWhole(`${folder}/${name}`, BYTES), false);
    assertEquals([kindsIn(folder), Deno.readTextFileSync(`${folder}/file`)], [before, "old"]);
    assertEquals(createWhole(`${folder}/fresh`, BYTES), true);
    assertEquals(Deno.readTextFileSync(`${folder}/fresh`), "new");
    assertEquals(kindsIn(folder), [...before, "fresh: file"].sort());
    assertThrows(() => createWhole(`${folder}/none/file`, BYTES), Deno.errors.NotFound);
    const longest = `${folder}/${"n".repeat(255)}`;
    assertEquals([createWhole(longest, BYTES), createWhole(longest, BYTES)], [true, false]);
  });
});

Deno.test("createWhole() writes on a file system without links, too, and only where nothing is", () => {
  const link = Deno.linkSync;
  try {
    Deno.linkSync = () => {
      throw Object.assign(new Error("Operation not permitted"), { code: "EPERM" });
    };
    withFolder((folder) => {
      assertEquals([createWhole(`${folder}/file`, "new"), createWhole(`${folder}/file`, "other")], [true, false]);
      assertEquals([Deno.readTextFileSync(`${folder}/file`), kindsIn(folder)], ["new", ["file: file"]]);
    });
  } finally {
    Deno.linkSync = link;
  }
});
