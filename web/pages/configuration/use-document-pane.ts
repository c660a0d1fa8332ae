import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ConfigurationSearch } from '#contract/console-api/pages/configuration.ts'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { paths } from '../../addresses/paths.ts'
import { useMedia } from '../../ui/use-media.ts'
import { storeChoice, storedChoice } from '../../base/stored-choice.ts'

const KEY = 'bundle-console.document-beside-form'

/** From this width on, the form and the document have room beside each other. */
const wide = matchMedia('(min-width: 1280px)')

export interface DocumentPaneState {
  /** The window is wide enough. */
  hasRoom: boolean
  isOpen: boolean
  setIsOpen: (isOpen: boolean) => void
}

/** Whether the document is open beside the form: as the address says, otherwise as the person chose last. */
export function useDocumentPane(scope: Scope, search: ConfigurationSearch): DocumentPaneState {
  const navigate = useNavigate()
  const hasRoom = useMedia(wide)
  const [isRemembered, setIsRemembered] = useState(() => storedChoice(KEY) !== null)
  const isChosen = search.beside === undefined ? isRemembered : search.beside === 'document'
  return {
    hasRoom,
    isOpen: hasRoom && isChosen && (search.tab ?? 'form') === 'form',
    setIsOpen: (isOpen) => {
      storeChoice(KEY, isOpen ? 'open' : null)
      setIsRemembered(isOpen)
      const beside = isOpen ? 'document' : 'nothing'
      void navigate({ ...paths.configuration(scope, omitUndefined({ ...search, beside })), replace: true })
    },
  }
}
