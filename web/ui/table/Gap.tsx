import type { CSSProperties } from 'react'
import { asNothing } from './roles.ts'

/**
 * An empty row that takes the space of rows that are not rendered: `height` in pixels. In a narrow table it has the height of
 * this number of `cards` instead, if they are given, each as high as the cards beside it are on average.
 */
export function Gap({ height, cards }: { height: number; cards?: number }) {
  if (height <= 0) return null
  const space = (
    cards === undefined ? { height } : { '--height': `${height}px`, '--cards': cards }
  ) as CSSProperties
  return (
    <tr
      {...asNothing}
      ref={cards === undefined ? undefined : measureCards}
      className="list-gap @max-[40rem]/table:block"
      style={space}
    >
      <td {...asNothing} />
    </tr>
  )
}

function measureCards(gap: HTMLTableRowElement | null) {
  const cards = [...(gap?.parentElement?.querySelectorAll('.list-row') ?? [])]
  if (gap === null || cards.length === 0) return
  const height = cards.reduce((sum, card) => sum + card.getBoundingClientRect().height, 0)
  gap.style.setProperty('--card', `${height / cards.length}px`)
}
