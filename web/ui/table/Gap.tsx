import { asNothing } from './roles.ts'

/** An empty row that takes the space of rows that are not rendered, in pixels. */
export function Gap({ height }: { height: number }) {
  if (height <= 0) return null
  return (
    <tr {...asNothing} className="@max-[40rem]/table:block" style={{ height }}>
      <td {...asNothing} />
    </tr>
  )
}
