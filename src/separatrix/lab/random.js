// Random numbers that both sides have: from the seed of a learner to the very draws of the library.
//
// The library takes `random_state=seed` as scikit-learn does: one draw below 2^31 - 1 of the Mersenne
// Twister (Matsumoto & Nishimura 1998) is the seed of its own generator, PCG64 (O'Neill 2014, XSL-RR,
// 128 bits), which is filled by NumPy's SeedSequence.

const WORD = 0xffffffffn;
const LONG = (1n << 64n) - 1n;
const WIDE = (1n << 128n) - 1n;

/**
 * The first draw below 2^31 - 1 of `RandomState(seed)`.
 * @param {number} seed 0 to 2^32 - 1
 */
export function firstDraw(seed) {
  const state = new Uint32Array(624);
  state[0] = seed;
  for (let i = 1; i < 624; i++) {
    const before = state[i - 1] ^ (state[i - 1] >>> 30);
    state[i] = Math.imul(1812433253, before) + i;
  }
  for (let i = 0; ; i++) {
    // one word after the other is renewed in place, as a whole block would be
    const bits = (state[i % 624] & 0x80000000) | (state[(i + 1) % 624] & 0x7fffffff);
    let word = state[(i + 397) % 624] ^ (bits >>> 1) ^ (bits & 1 ? 0x9908b0df : 0);
    state[i % 624] = word;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    word ^= word >>> 18;
    const draw = word & 0x7fffffff;
    if (draw <= 2 ** 31 - 2) return draw;
  }
}

/**
 * SeedSequence: the words that fill a generator.
 * @param {number} seed
 * @param {number} count of 32-bit words
 */
function seedWords(seed, count) {
  let multiplier = 0x43b0d7e5;
  const hash = (/** @type {number} */ value) => {
    value ^= multiplier;
    multiplier = Math.imul(multiplier, 0x931e8875);
    value = Math.imul(value, multiplier);
    return (value ^ (value >>> 16)) >>> 0;
  };
  const mix = (/** @type {number} */ x, /** @type {number} */ y) => {
    const value = Math.imul(0xca01f9dd, x) - Math.imul(0x4973f715, y);
    return (value ^ (value >>> 16)) >>> 0;
  };
  const pool = [hash(seed), hash(0), hash(0), hash(0)];
  for (let from = 0; from < 4; from++) {
    for (let to = 0; to < 4; to++) if (from !== to) pool[to] = mix(pool[to], hash(pool[from]));
  }
  multiplier = 0x8b51f9dd;
  return Array.from({ length: count }, (_, i) => {
    let value = pool[i % 4] ^ multiplier;
    multiplier = Math.imul(multiplier, 0x58f38ded);
    value = Math.imul(value, multiplier);
    return (value ^ (value >>> 16)) >>> 0;
  });
}

/** PCG64, as `numpy.random.default_rng(seed)` has it. */
export class Generator {
  /** @param {number} seed of a learner: its `random_state` */
  constructor(seed) {
    const words = seedWords(firstDraw(seed), 8).map(BigInt);
    const longs = [0, 1, 2, 3].map((k) => words[2 * k] | (words[2 * k + 1] << 32n));
    this.increment = ((((longs[2] << 64n) | longs[3]) << 1n) | 1n) & WIDE;
    this.state = 0n;
    this.half = -1n; // the upper half of a draw whose lower half was taken
    this.turn();
    this.state = (this.state + ((longs[0] << 64n) | longs[1])) & WIDE;
    this.turn();
  }

  turn() {
    this.state = (this.state * 0x2360ed051fc65da44385df649fccf645n + this.increment) & WIDE;
  }

  /** 64 random bits. */
  long() {
    this.turn();
    const mixed = (this.state >> 64n) ^ (this.state & LONG);
    const turns = this.state >> 122n;
    return ((mixed >> turns) | (mixed << ((64n - turns) & 63n))) & LONG;
  }

  /** A double in [0, 1). */
  random() {
    return Number(this.long() >> 11n) * 2 ** -53;
  }

  /** 32 random bits. */
  word() {
    if (this.half >= 0n) {
      const kept = this.half;
      this.half = -1n;
      return kept;
    }
    const both = this.long();
    this.half = both >> 32n;
    return both & WORD;
  }

  /**
   * A whole number in 0, ..., most: bits of a word, again until they are no larger.
   * @param {number} most
   */
  upTo(most) {
    let mask = 1n;
    while (mask < BigInt(most)) mask = (mask << 1n) | 1n;
    for (;;) {
      const drawn = Number(this.word() & mask);
      if (drawn <= most) return drawn;
    }
  }

  /**
   * 0, ..., n - 1 in random order.
   * @param {number} n
   */
  permutation(n) {
    const order = Array.from({ length: n }, (_, i) => i);
    for (let i = n - 1; i > 0; i--) {
      const j = this.upTo(i);
      [order[i], order[j]] = [order[j], order[i]];
    }
    return order;
  }
}
