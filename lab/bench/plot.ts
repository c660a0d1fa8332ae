const WIDTH = 720
const HEIGHT = 200
const LEFT = 56
const BOTTOM = 28

/** Several plots in one image, one below the other. */
export function stack(plots: readonly string[]): string {
  const placed = plots.map((one, index) =>
    one.replace('<svg ', `<svg y="${index * HEIGHT}" width="${WIDTH}" height="${HEIGHT}" `),
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${plots.length * HEIGHT}">
${placed.join('')}</svg>
`
}

/** A line over minutes as an SVG that reads well on a light and on a dark page. */
export function plot(title: string, unit: string, points: readonly { x: number; y: number }[]): string {
  const right = Math.max(1, ...points.map(({ x }) => x))
  const top = Math.max(1, ...points.map(({ y }) => y)) * 1.1
  const at = ({ x, y }: { x: number; y: number }): string =>
    `${(LEFT + (x / right) * (WIDTH - LEFT - 8)).toFixed(1)},${(HEIGHT - BOTTOM - (y / top) * (HEIGHT - BOTTOM - 24)).toFixed(1)}`
  const label = (x: number, y: number, anchor: string, text: string): string =>
    `<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`
  const most = Math.max(0, ...points.map(({ y }) => y))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="#808080">
<title>${title}</title>
${label(LEFT, 14, 'start', `${title}${unit === '' ? '' : `, ${unit}`}`)}
<polyline points="${LEFT},24 ${LEFT},${HEIGHT - BOTTOM} ${WIDTH - 8},${HEIGHT - BOTTOM}" fill="none" stroke="#808080"/>
${label(LEFT - 6, Number(at({ x: 0, y: most }).split(',')[1]) + 4, 'end', String(Math.round(most)))}
${label(LEFT - 6, HEIGHT - BOTTOM, 'end', '0')}
${label(WIDTH - 8, HEIGHT - 8, 'end', `${Math.round(right)} min`)}
<polyline points="${points.map(at).join(' ')}" fill="none" stroke="#3b82f6" stroke-width="1.5"/>
</svg>
`
}
