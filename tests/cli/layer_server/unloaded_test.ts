import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { reasonOf } from "../../../cli/layer_server/unloaded/reason.ts";
import type { SeenProcess } from "../../../cli/layer_server/unloaded/processes.ts";
import { onPath } from "../../../tools/setup/files.ts";
import { NEEDS_PROGRAMS } from "../../workbench/layer_server/programs.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";
import { run } from "../../support/subprocess.ts";
import { exec } from "./exec.ts";

/** A program of Vulkan that stays until it was looked at. */
const PROGRAM = ["sh", "-c", "vulkaninfo --summary > /dev/null 2>&1; sleep 1"];
/** The sandbox has all of this machine but its temporary files. */
const SANDBOX = ["bwrap", "--bind", "/", "/", "--dev", "/dev"];

/** The sentence behind "no process of it loaded the layers". */
function reasonIn(stderr: string): string {
  return /^\S+: no process of it loaded the layers\. (.*)$/m.exec(stderr)?.[1] ?? stderr;
}

const CAN_BE_OTHERS = Deno.build.os === "linux" && Deno.uid() === 0 && onPath("setpriv");
const NEEDS_SANDBOX = needs(
  "bubblewrap that may make a sandbox",
  !NEEDS_PROGRAMS.ignore && onPath("bwrap") && run("bwrap", [...SANDBOX.slice(1), "--unshare-pid", "true"]).code === 0,
);

for (
  const [what, options, pattern] of [
    ["a /tmp of its own", ["--tmpfs", "/tmp"], /^\w+ \(process \d+\) does not see \/tmp\/\S+, since .*: set TMPDIR/],
    [
      "a /proc of its own",
      ["--unshare-pid", "--proc", "/proc"],
      /^\w+ \(process \d+\) opened the layer library, but has process numbers of its own/,
    ],
    [
      "processes of its own",
      ["--unshare-pid"],
      /^\w+ \(process \d+\) opened the layer library, but has process numbers of its own/,
    ],
    ["no variables", ["--clearenv", "--setenv", "PATH", "/usr/bin:/bin"], /was started without VK_ADD_LAYER_PATH/],
  ] as const
) {
  Deno.test(
    `cli exec says that a program in a sandbox with ${what} has no layers for that`,
    NEEDS_SANDBOX,
    () =>
      withFolder((folder) => {
        const { code, stderr } = exec(folder, ["--layer=profile", "--", ...SANDBOX, ...options, ...PROGRAM], {
          TMPDIR: "/tmp",
        });
        assertEquals(code, 0, stderr);
        assertMatch(reasonIn(stderr), pattern);
      }),
  );
}

Deno.test(
  "cli exec says that another user's program may not read the layers",
  needs("the superuser and setpriv", !NEEDS_PROGRAMS.ignore && CAN_BE_OTHERS),
  () =>
    withFolder((folder) => {
      const nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", ...PROGRAM];
      const { code, stderr } = exec(folder, ["--layer=profile", "--", ...nobody]);
      assertEquals(code, 0, stderr);
      assertMatch(reasonIn(stderr), /^\w+ \(process \d+\) runs as user 65534, who may not read \/\S+ of user 0/);
    }),
);

Deno.test(
  "cli exec refuses to serve from a folder that is mounted noexec, for Vulkan and OpenGL ES, and leaves nothing there",
  needs("the superuser, who may mount", !NEEDS_PROGRAMS.ignore && CAN_BE_OTHERS && onPath("mount")),
  () =>
    withFolder((folder) => {
      const bare = `${folder}/noexec`;
      Deno.mkdirSync(bare);
      const mounted = run("mount", ["-t", "tmpfs", "-o", "noexec", "tmpfs", bare]);
      assertEquals(mounted.code, 0, mounted.stderr);
      try {
        for (const gles of [[], ["--gles"]]) {
          const { code, stdout, stderr } = exec(folder, [...gles, "--layer=profile", "--", "echo", "runs"], {
            TMPDIR: bare,
          });
          assertEquals([code, stdout, [...Deno.readDirSync(bare)]], [2, "", []]);
          assertStringIncludes(stderr, `exec: Cannot serve layers from ${bare}/pumice-layers-`);
          assertStringIncludes(stderr, "mounted noexec");
        }
      } finally {
        assertEquals(run("umount", [bare]).code, 0);
      }
    }),
);

Deno.test(
  "cli exec looks at what a program does before it says why the program has no layers",
  NEEDS_PROGRAMS,
  () =>
    withFolder((folder) => {
      const idle = exec(folder, ["--layer=profile", "--", "sleep", "0.5"]);
      assertMatch(
        reasonIn(idle.stderr),
        /^No process of it was seen with libvulkan\.so\.1: either it made no Vulkan instance/,
      );
      const off = { VK_LOADER_LAYERS_DISABLE: "*" }; // the loader of Debian 12 does not know it yet
      const bare = exec(folder, ["--layer=profile", "--", "env", "-u", "VK_INSTANCE_LAYERS", ...PROGRAM], off);
      assertMatch(reasonIn(bare.stderr), /^Its Vulkan loader read the layer's manifest and loaded no library/);
    }),
);

Deno.test("reasonOf() prefers the processes that use the interface, and names the first cause", () => {
  const plain: SeenProcess = {
    label: "app (process 7)",
    user: 0,
    hasInterface: true,
    isPrivileged: false,
    is32Bit: false,
    hasVariable: true,
    hasFolder: true,
    hasSameNumbers: true,
  };
  const launcher = { ...plain, label: "sudo (process 6)", hasInterface: false, isPrivileged: true };
  const reason = (seen: SeenProcess[], opened: string[] = [], isGles = false) =>
    reasonOf({ isGles, folder: "/tmp/layers", opened: new Set(opened), seen, user: 0 });
  assertStringIncludes(reason([launcher]), "sudo (process 6) is privileged");
  assertStringIncludes(reason([launcher, plain]), "app (process 7) opened a Vulkan loader that looked for no layer");
  assertStringIncludes(reason([{ ...plain, isPrivileged: true }]), "privileged programs take no layers");
  assertStringIncludes(reason([{ ...plain, is32Bit: true }], ["libVkLayer_pumice.so"]), "32 bits");
  assertStringIncludes(
    reason([{ ...plain, user: 5 }], ["libVkLayer_pumice.so"]),
    "runs as user 5, who shares no memory",
  );
  assertStringIncludes(reason([plain], ["libVkLayer_pumice.so"]), "was refused");
  assertStringIncludes(reason([plain], [], true), "from elsewhere than LD_LIBRARY_PATH");
  assertStringIncludes(reason([{ ...plain, hasFolder: false }], [], true), "does not see /tmp/layers");
  assertStringIncludes(reason([], [], true), "called nothing of EGL");
});
