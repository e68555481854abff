/** Whether a library could not be opened, for this reason, because it is for processes of another width: no fault of it. */
export function isOtherWidth(reason: string): boolean {
  return /wrong ELF class|found a 32-bit library/.test(reason);
}
