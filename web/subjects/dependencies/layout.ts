import { Graph, layout } from '@dagrejs/dagre'
import type { Box, Line, Picture } from './picture.ts'

export const BOX_WIDTH = 232
export const BOX_HEIGHT = 52
const GAP = 12
/** Between two columns, for the lines. */
const LINES_WIDTH = 72
const MARGIN = 4
/** Below the boxes, for lines that lead back. */
const BACK_HEIGHT = 28

export interface PlacedBox {
  box: Box
  /** Of its left upper corner, in px. */
  x: number
  y: number
}

interface PlacedLine extends Line {
  /** The data of an SVG path. */
  path: string
  /** Closes a circle, or joins boxes that are equally far away. */
  leadsBack: boolean
  /** What it begins at stops too. */
  isReached: boolean
}

interface Placed {
  width: number
  height: number
  boxes: PlacedBox[]
  lines: PlacedLine[]
}

/** Places boxes in columns by distance, with few crossings. */
export function place({ boxes, lines }: Picture): Placed {
  const graph = new Graph()
  graph.setGraph({ rankdir: 'LR', nodesep: GAP, ranksep: LINES_WIDTH, marginx: MARGIN, marginy: MARGIN })
  graph.setDefaultEdgeLabel(() => ({}))
  const distances = new Map(boxes.map(({ id, distance }) => [id, distance]))
  for (const { id } of boxes) graph.setNode(id, { width: BOX_WIDTH, height: BOX_HEIGHT })
  const stepOf = ({ from, to }: Line) => (distances.get(to) ?? 0) - (distances.get(from) ?? 0)
  // others would move boxes out of their columns
  for (const line of lines) if (stepOf(line) === 1) graph.setEdge(line.from, line.to)
  layout(graph)
  const { width = 0, height = 0 } = graph.graph()
  const corners = new Map(
    boxes.map(({ id }) => {
      const { x = 0, y = 0 } = graph.node(id)
      return [id, { x: x - BOX_WIDTH / 2, y: y - BOX_HEIGHT / 2 }]
    }),
  )
  return {
    width,
    height: height + (lines.some((line) => stepOf(line) < 1) ? BACK_HEIGHT : 0),
    boxes: boxes.map((box) => ({ box, ...(corners.get(box.id) ?? { x: 0, y: 0 }) })),
    lines: lines.map((line) => ({
      ...line,
      leadsBack: stepOf(line) < 1,
      isReached: (distances.get(line.from) ?? 0) >= 0,
      path: pathOf(corners.get(line.from), corners.get(line.to)),
    })),
  }
}

interface Corner {
  x: number
  y: number
}

/** From the right of a box to the left of one in a later column; otherwise below the boxes. */
function pathOf(from: Corner = { x: 0, y: 0 }, to: Corner = { x: 0, y: 0 }): string {
  const bend = LINES_WIDTH / 2
  if (to.x > from.x) {
    const [x1, y1] = [from.x + BOX_WIDTH, from.y + BOX_HEIGHT / 2]
    const [x2, y2] = [to.x, to.y + BOX_HEIGHT / 2]
    return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
  }
  const [x1, y1] = [from.x + BOX_WIDTH / 2 + GAP, from.y + BOX_HEIGHT]
  const [x2, y2] = [to.x + BOX_WIDTH / 2 - GAP, to.y + BOX_HEIGHT]
  return `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 + bend} ${x2} ${y2}`
}
