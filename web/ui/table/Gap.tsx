import type { CSSProperties } from 'react'
import { asNothing } from './roles.ts'

/**
 * An empty row that takes the space of rows that are not rendered: `height` in pixels. In a narrow table it has the height of
 * this number of `cards` instead, if they are given.
 */
export function Gap({ height, cards }: { height: number; cards?: number }) {
  if (height <= 0) return null
  const space = (
    cards === undefined ? { height } : { '--height': `${height}px`, '--cards': cards }
  ) as CSSProperties
  return (
    <tr {...asNothing} className="list-gap @max-[40rem]/table:block" style={space}>
      <td {...asNothing} />
    </tr>
  )
}
