import { useState } from 'react'

/**
 * Whether a control edits its value as JSON. It does so as soon as its form cannot show the value (`fits`), and until
 * the person returns to the form: to replace the editor while the person types would lose the focus.
 */
export function useJsonMode(fits: boolean) {
  const [isChosen, setIsChosen] = useState(false)
  const isJson = isChosen || !fits
  if (isJson && !isChosen) setIsChosen(true)
  return {
    isJson,
    toJson: () => setIsChosen(true),
    /** Undefined while the form cannot show the value. */
    toForm: fits ? () => setIsChosen(false) : undefined,
  }
}
