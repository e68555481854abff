/** Makes a folder for the length of a call. */
export function withFolder<T>(use: (folder: string) => T): T {
  const folder = Deno.makeTempDirSync();
  try {
    return use(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** The same, for the length of a promise. */
export async function withFolderAsync<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = Deno.makeTempDirSync();
  try {
    return await use(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** A device in a folder, for tests that might replace it; the machine's own, which is safe, where none can be made. */
export function deviceIn(folder: string): string {
  const path = `${folder}/device`;
  return new Deno.Command("mknod", { args: [path, "c", "1", "3"], stderr: "null" }).outputSync().success
    ? path
    : "/dev/null";
}

/** Sets environment variables for the length of a call; `undefined` unsets one. */
export function withEnvironment<T>(values: Readonly<Record<string, string | undefined>>, use: () => T): T {
  using _set = setEnvironment(values);
  return use();
}

/** The same, for the length of a promise. */
export async function withEnvironmentAsync<T>(
  values: Readonly<Record<string, string | undefined>>,
  use: () => Promise<T>,
): Promise<T> {
  using _set = setEnvironment(values);
  return await use();
}

/** Sets environment variables until the result is disposed of. */
function setEnvironment(values: Readonly<Record<string, string | undefined>>): Disposable {
  const put = (name: string, value: string | undefined) => {
    if (value === undefined) Deno.env.delete(name);
    else Deno.env.set(name, value);
  };
  const before = Object.keys(values).map((name) => [name, Deno.env.get(name)] as const);
  for (const [name, value] of Object.entries(values)) put(name, value);
  return { [Symbol.dispose]: () => before.forEach(([name, value]) => put(name, value)) };
}
