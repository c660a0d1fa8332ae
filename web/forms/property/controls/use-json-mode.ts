import { useState } from 'react'
import type { ControlProps } from './control-props.ts'

/**
 * Whether a control edits its value as JSON. It does so as soon as its form cannot show the value (`fits`), and until
 * the person returns to the form: to replace the editor while the person types would lose the focus. A value inside
 * another one never does so, because the outer control decides.
 */
export function useJsonMode({ problems }: ControlProps, fits: boolean) {
  const [isChosen, setIsChosen] = useState(false)
  const isJson = problems === undefined && (isChosen || !fits)
  if (isJson && !isChosen) setIsChosen(true)
  return {
    isJson,
    toJson: () => setIsChosen(true),
    /** Undefined while the form cannot show the value. */
    toForm: fits ? () => setIsChosen(false) : undefined,
  }
}
