/** The path of something that lies relative to the generator's folder. */
export function fromFileUrl(relative: string): string {
  return decodeURIComponent(new URL(relative, import.meta.url).pathname);
}
