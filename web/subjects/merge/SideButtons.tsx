import type { Side } from '#contract/json-schema/merge-json.ts'
import { labelled } from '../../i18n/punctuation.ts'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'

/** Takes one side for every leaf of a property that is in conflict. */
export function SideButtons({ title, onChoose }: { title: string; onChoose: (side: Side) => void }) {
  const t = useText()
  return (
    <span className="ml-auto flex gap-1">
      {(['theirs', 'mine'] as const).map((side) => {
        const word = t(`configuration.conflict.all.${side}`)
        return (
          <Button key={side} size="sm" onClick={() => onChoose(side)}>
            <span aria-hidden="true">{word}</span>
            <span className="sr-only">{labelled(t, word, title)}</span>
          </Button>
        )
      })}
    </span>
  )
}
