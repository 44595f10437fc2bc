// Playing a run: where it stands, one step on or back, and on by itself.

/** A place in 0, ..., last that moves by itself while it plays. */
export class Player {
  /** @param {() => void} changed called after every move */
  constructor(changed) {
    this.changed = changed;
    this.at = 0;
    this.last = 0;
    this.speed = 1;
    this.timer = 0;
  }

  get playing() {
    return this.timer !== 0;
  }

  /** @param {number} last */
  reset(last, at = last) {
    this.pause();
    this.last = last;
    this.at = Math.min(last, Math.max(0, at));
  }

  /** @param {number} to */
  go(to) {
    this.pause();
    this.at = Math.min(this.last, Math.max(0, to));
    this.changed();
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = 0;
  }

  toggle() {
    if (this.playing) {
      this.pause();
      this.changed();
      return;
    }
    if (this.at >= this.last) this.at = 0;
    this.timer = window.setTimeout(() => this.tick(), 0);
    this.changed();
  }

  /** Long runs take larger steps, so that any run plays in about half a minute. */
  tick() {
    const stride = Math.max(1, Math.round(this.last / 400));
    this.at = Math.min(this.last, this.at + stride);
    if (this.at >= this.last) this.timer = 0;
    else this.timer = window.setTimeout(() => this.tick(), Math.max(16, Math.min(700, 12000 / (this.last + 1)) / this.speed));
    this.changed();
  }
}
