/**
 * Whether a composer can be given fences of every kind. `openHwc2` says of a
 * vendor's that it takes sync_files alone, and `connectComposer` of one that is
 * served; all others take what there is.
 */
export function takesAnyFence(composer: object): boolean {
  return (composer as { readonly takesAnyFence?: boolean }).takesAnyFence ?? true;
}
