// The sign of a score w.x: by doubles, and by whole numbers where rounding leaves it in doubt.

export const UNIT_ROUNDOFF = 2 ** -53;
const buffer = new DataView(new ArrayBuffer(8));

/**
 * A double as a whole number times a power of two: m * 2^e, exactly.
 * @param {number} x finite
 * @returns {[bigint, number]}
 */
export function parts(x) {
  buffer.setFloat64(0, x);
  const bits = buffer.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 2047n);
  const m = (bits & ((1n << 52n) - 1n)) | (exponent ? 1n << 52n : 0n);
  return [bits >> 63n ? -m : m, (exponent || 1) - 1075];
}

/**
 * Doubles as whole numbers over one power of two: x_i = integers_i * 2^exponent.
 * @param {number[]} numbers
 * @returns {{integers: bigint[], exponent: number}}
 */
export function whole(numbers) {
  const all = numbers.map(parts);
  const exponent = all.reduce((least, [m, e]) => (m && e < least ? e : least), 1024);
  return { integers: all.map(([m, e]) => (m ? m << BigInt(e - exponent) : 0n)), exponent };
}

/**
 * @param {bigint} n
 * @returns {-1 | 0 | 1}
 */
export const signOf = (n) => (n > 0n ? 1 : n < 0n ? -1 : 0);

/**
 * The sign of w.x, exactly.
 * @param {ArrayLike<number>} w
 * @param {ArrayLike<number>} x
 * @returns {-1 | 0 | 1}
 */
export function exactSign(w, x) {
  const a = whole(Array.from(w)).integers;
  const b = whole(Array.from(x)).integers;
  return signOf(a.reduce((sum, m, i) => sum + m * b[i], 0n));
}

/**
 * The sign of w.x. A float sum of n products is off by less than 2 (n + 2) u times the sum of their
 * magnitudes (Higham 2002, section 3.1); inside that band the sign is decided exactly.
 * @param {ArrayLike<number>} w
 * @param {ArrayLike<number>} x
 * @returns {-1 | 0 | 1}
 */
export function signOfScore(w, x) {
  let score = 0;
  let magnitude = 0;
  for (let i = 0; i < w.length; i++) {
    const product = w[i] * x[i];
    score += product;
    magnitude += Math.abs(product);
  }
  const error = 2 * (w.length + 2) * (UNIT_ROUNDOFF * magnitude + 1e-300);
  if (Math.abs(score) > error && magnitude < Infinity) return score > 0 ? 1 : -1;
  return exactSign(w, x);
}

/**
 * What a score answers: its sign, or for a score of zero what the convention says.
 * @param {ArrayLike<number>} w
 * @param {ArrayLike<number>} x
 * @param {-1 | 0 | 1} signOfZero 0: neither, so that a zero score is a mistake whatever y is
 */
export const answer = (w, x, signOfZero = 0) => signOfScore(w, x) || signOfZero;

/**
 * The numbers of the rows that are mistakes.
 * @param {ArrayLike<number>} w
 * @param {number[][]} rows (1, x_1, x_2)
 * @param {number[]} y -1 or +1
 * @param {-1 | 0 | 1} signOfZero
 */
export function mistakes(w, rows, y, signOfZero = 0) {
  const wrong = [];
  for (let n = 0; n < rows.length; n++) if (answer(w, rows[n], signOfZero) !== y[n]) wrong.push(n);
  return wrong;
}
