/**
 * Whether a composer takes fences of every kind. A vendor's composer of
 * `openHwc2` takes sync_files alone, and so does a served one of
 * `connectComposer`; all others take every kind.
 */
export function takesAnyFence(composer: object): boolean {
  return (composer as { readonly takesAnyFence?: boolean }).takesAnyFence ?? true;
}
