// Arrows in the plane, as lessons/plane.py draws them.

const HEAD = 10;
const SPREAD = Math.PI / 8;

export const place = ([x, y], scale) => [x * scale, -y * scale];

export function arrow(tip, scale, start = [0, 0]) {
  const [x, y] = place(tip, scale);
  const [x0, y0] = place(start, scale);
  const towards = Math.atan2(y - y0, x - x0);
  const size = Math.min(HEAD, Math.hypot(x - x0, y - y0) / 2);
  const side = (turn) =>
    `${x - size * Math.cos(towards + turn)} ${y - size * Math.sin(towards + turn)}`;
  return `M${x0} ${y0}L${x} ${y}M${side(SPREAD)}L${x} ${y}L${side(-SPREAD)}`;
}

// Places a name beyond the tip of its arrow.
export function putName(text, tip, scale) {
  const [x, y] = place(tip, scale);
  text.setAttribute("x", x);
  text.setAttribute("y", y < 0 ? y - 12 : y + 22);
}
