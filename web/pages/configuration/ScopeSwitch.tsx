import { useNavigate } from '@tanstack/react-router'
import { useId, useRef } from 'react'
import { parseScope } from '../../subjects/scopes/scope-text.ts'
import { useScopeSearch } from '../../subjects/scopes/use-scope-search.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { Button } from '../../ui/Button.tsx'
import { Combobox } from '../../ui/Combobox.tsx'
import { closePopup, Popup } from '../../ui/Popup.tsx'

/** Opens the configuration of another scope. */
export function ScopeSwitch() {
  const t = useText()
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const navigate = useNavigate()
  const search = useScopeSearch()
  return (
    <Popup
      label={t('configuration.switch')}
      renderTrigger={(props) => (
        <Button {...props} icon="scopes">
          {/* beside the other buttons a phone has room for the icon only */}
          <span className="max-sm:sr-only">{t('configuration.switch')}</span>
        </Button>
      )}
    >
      <div ref={box} className="w-80 max-w-[calc(100vw-3rem)] p-2">
        <label htmlFor={id} className="mb-1 block text-xs text-faint">
          {t('configuration.switch.scope')}
        </label>
        <Combobox
          wiring={{
            id,
            'aria-describedby': undefined,
            'aria-invalid': undefined,
            'aria-required': undefined,
          }}
          value={null}
          search={search}
          onChange={(option) => {
            const scope = option === null ? null : parseScope(option.value)
            if (scope === null) return
            if (box.current !== null) closePopup(box.current)
            void navigate(paths.configuration(scope))
          }}
        />
      </div>
    </Popup>
  )
}
