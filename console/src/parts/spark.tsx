// The last two minutes of a figure, as a line without axes; the figure itself stands beside it in words.
export function Spark({ values }: { values: number[] }) {
  if (values.length < 2) return null;
  const top = Math.max(...values, 1);
  const step = 120 / (values.length - 1);
  const points = values.map((value, at) => `${(at * step).toFixed(1)},${(30 - (value / top) * 28).toFixed(1)}`);
  return (
    <svg class="spark" viewBox="0 0 120 32" preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points.join(' ')} />
    </svg>
  );
}
