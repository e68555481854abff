/** What a test requires and a device has not: the test is skipped there. */
export class Unmet extends Error {
  /** The error's name. */
  override readonly name = "Unmet";
}
