// The two directions along which standardised columns vary most (Pearson 1901).

const MOST_SWEEPS = 60;

/**
 * The eigenvectors of a symmetric matrix, largest eigenvalue first, by Jacobi's rotations (1846).
 * @param {number[][]} matrix
 * @returns {number[][]}
 */
export function eigenvectors(matrix) {
  const count = matrix.length;
  const A = matrix.map((row) => [...row]);
  /** @type {number[][]} */
  const V = A.map((_, i) => A.map((_, j) => (i === j ? 1 : 0)));
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    let off = 0;
    for (let p = 0; p < count; p++) for (let q = p + 1; q < count; q++) off += A[p][q] ** 2;
    if (off < 1e-28 * count) break;
    for (let p = 0; p < count; p++) {
      for (let q = p + 1; q < count; q++) {
        if (A[p][q] === 0) continue;
        const theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(1, theta));
        const c = 1 / Math.hypot(1, t);
        const s = c * t;
        for (const row of A) [row[p], row[q]] = [c * row[p] - s * row[q], s * row[p] + c * row[q]];
        [A[p], A[q]] = [A[p].map((a, k) => c * a - s * A[q][k]), A[p].map((a, k) => s * a + c * A[q][k])];
        for (const row of V) [row[p], row[q]] = [c * row[p] - s * row[q], s * row[p] + c * row[q]];
      }
    }
  }
  const order = A.map((_, k) => k).sort((i, j) => A[j][j] - A[i][i]);
  return order.map((k) => V.map((row) => row[k]));
}

/**
 * The rows along the two first directions, to four digits after the point; columns that do not vary
 * count nothing. The largest entry of a direction is positive.
 * @param {number[][]} rows
 * @returns {[number, number][]}
 */
export function alongPrincipal(rows) {
  if (!rows.length) return [];
  const means = rows[0].map((_, j) => rows.reduce((sum, row) => sum + row[j], 0) / rows.length);
  const spreads = means.map((m, j) => Math.sqrt(rows.reduce((sum, row) => sum + (row[j] - m) ** 2, 0) / rows.length));
  const Z = rows.map((row) => row.map((a, j) => (spreads[j] > 0 && Number.isFinite(spreads[j]) ? (a - means[j]) / spreads[j] : 0)));
  const matrix = means.map((_, i) => means.map((_, j) => Z.reduce((sum, z) => sum + z[i] * z[j], 0) / rows.length));
  const two = eigenvectors(matrix).slice(0, 2).map((v) => {
    const largest = v.reduce((/** @type {number} */ best, a) => (Math.abs(a) > Math.abs(best) + 1e-9 ? a : best), 0);
    return largest < 0 ? v.map((a) => -a) : v;
  });
  const along = (/** @type {number[]} */ z, /** @type {number} */ k) => Number(z.reduce((sum, a, j) => sum + a * two[k][j], 0).toFixed(4)) || 0;
  return Z.map((z) => [along(z, 0), along(z, 1)]);
}
