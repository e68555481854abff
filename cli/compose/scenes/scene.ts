/** Something that is shown, and moves from vsync to vsync. */
export interface Scene extends Disposable {
  /** Goes on to a moment, counted in vsyncs from 0. */
  advance(moment: number): void;
}
