/**
 * Manifests that are wrong in some way, each by a name. `DRIVER` stands for the
 * path of a good driver: whatever is wrong is not the library.
 *
 * @module
 */

const GOOD = { file_format_version: "1.0.1", ICD: { library_path: "DRIVER", api_version: "1.3.0" } };
const TEXT = JSON.stringify(GOOD);
/** Values of every JSON kind, and some that are hard on a reader. */
const VALUES: readonly [string, string][] = [
  ["null", "null"],
  ["true", "true"],
  ["zero", "0"],
  ["negative", "-1"],
  ["fraction", "1.3"],
  ["huge number", "1e999"],
  ["empty string", '""'],
  ["NUL", '"\\u0000"'],
  ["lone surrogate", '"\\ud800"'],
  ["newline", '"\\n"'],
  ["long string", `"${"x".repeat(70_000)}"`],
  ["empty array", "[]"],
  ["array of strings", '["DRIVER"]'],
  ["empty object", "{}"],
  ["nested object", '{"library_path":"DRIVER"}'],
];
/** Library paths that lead nowhere good. */
const LIBRARIES = [
  ".",
  "..",
  "/",
  "./",
  "../",
  "//",
  "/dev/null",
  "/dev/zero",
  "/proc/self/mem",
  "/etc/passwd",
  "/tmp",
  "no_such_library.so",
  "./no_such_library.so",
  "/no/such/library.so",
  " ",
  "\t",
  "%s%n",
  "$ORIGIN/x.so",
  "~/x.so",
  "file:///x.so",
  "http://127.0.0.1/x.so",
  "C:\\windows\\x.dll",
  "x".repeat(300),
  `/${"y".repeat(5000)}`,
  `/${"a/".repeat(3000)}x.so`,
  "/no\u0000such.so",
  "/\u{1F30B}.so",
  "./\ud800.so",
  "-",
  "--help",
  "\\",
  "*",
  "?",
  ":",
]; // deno-fmt-ignore-line
/** Versions that say nothing, or that this loader is not for. */
const VERSIONS = ["", "1.x", "x", "..", "1.1.3.0", "7.1.3.0", "-1.1.0.0", "999999999999.1.0.0", "1e9.1.1.1", "3.1.0.0.0"];

/** Every case: what is wrong, and the file's bytes. */
export function corruptManifests(driver: string): [name: string, bytes: Uint8Array][] {
  const texts = [...syntax(), ...members(), ...paths(), ...versions()];
  const encoder = new TextEncoder(), inserted = JSON.stringify(driver).slice(1, -1);
  return [
    ...texts.map(([name, text]): [string, Uint8Array] => [name, encoder.encode(text.replaceAll("DRIVER", inserted))]),
    ...bytes(),
  ];
}

function* syntax(): Iterable<[string, string]> {
  for (let length = 0; length < TEXT.length; length++) yield [`cut after ${length}`, TEXT.slice(0, length)];
  for (const mark of ['"', "{", "}", ":", ","]) {
    for (let at = TEXT.indexOf(mark), n = 0; at >= 0; at = TEXT.indexOf(mark, at + 1), n++) {
      yield [`without ${mark} number ${n}`, TEXT.slice(0, at) + TEXT.slice(at + 1)];
    }
  }
  yield ["comment", `// a comment\n${TEXT}`];
  yield ["single quotes", TEXT.replaceAll('"', "'")];
  yield ["trailing comma", TEXT.replace("}}", "},}")];
  yield ["two objects", TEXT + TEXT];
  yield ["text behind", `${TEXT}x`];
  yield ["deep arrays", "[".repeat(100_000)];
  yield ["deep objects", '{"ICD":'.repeat(20_000)];
  yield ["deep and closed", "[".repeat(50_000) + "]".repeat(50_000)];
  yield ["blanks", " ".repeat(1000)];
}

function* members(): Iterable<[string, string]> {
  for (const [kind, value] of VALUES) {
    yield [`whole file is ${kind}`, value];
    yield [`ICD is ${kind}`, `{"file_format_version":"1.0.0","ICD":${value}}`];
    for (const key of ["library_path", "api_version"]) {
      const other = key === "library_path" ? '"api_version":"1.3.0"' : '"library_path":"DRIVER"';
      if (key === "library_path" || !value.startsWith('"')) { // a version that says nothing is harmless
        yield [`${key} is ${kind}`, `{"file_format_version":"1.0.0","ICD":{${other},"${key}":${value}}}`];
      }
    }
    if (!value.startsWith('"')) {
      yield [`format is ${kind}`, `{"file_format_version":${value},"ICD":${JSON.stringify(GOOD.ICD)}}`];
    }
  }
  for (const key of ["ICD", "icd", "layer", "layers", "__proto__", "constructor"]) {
    yield [`only ${key}`, `{"file_format_version":"1.0.0","${key}":{}}`];
  }
  yield ["32-bit", TEXT.replace('"1.3.0"', '"1.3.0","library_arch":"32"')];
}

function* paths(): Iterable<[string, string]> {
  for (const path of LIBRARIES) {
    const ICD = { ...GOOD.ICD, library_path: path };
    yield [`library ${JSON.stringify(path).slice(0, 40)}`, JSON.stringify({ ...GOOD, ICD })];
  }
}

function* versions(): Iterable<[string, string]> {
  for (const version of VERSIONS) {
    const ICD = { ...GOOD.ICD, api_version: version, library_path: "/no/such/library.so" };
    yield [`version ${version}`, JSON.stringify({ ...GOOD, ICD })];
  }
}

/** Bytes that are no text. */
function* bytes(): Iterable<[string, Uint8Array]> {
  yield ["UTF-16", new Uint8Array([...TEXT].flatMap((letter) => [letter.charCodeAt(0), 0]))];
  yield ["invalid UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0xc0, 0x22, 0x7d])];
  yield ["all byte values", Uint8Array.from({ length: 4096 }, (_, index) => index)];
  yield ["two megabytes", new Uint8Array(2 << 20).fill(0x20)];
  yield ["an ELF file's beginning", new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0])];
}
