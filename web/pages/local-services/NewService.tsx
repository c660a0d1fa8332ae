import { useState } from 'react'
import { isKey } from '#contract/protocol/locator.ts'
import { useText } from '../../i18n/use-text.ts'
import type { ScopeKey } from '../../paths.ts'
import { Field } from '../../ui/Field.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { ServiceEditor } from './ServiceEditor.tsx'

/** A service that is not there yet: the same editor over nothing, with version 0. */
export function NewService({ scope, mayWrite }: { scope: ScopeKey; mayWrite: boolean }) {
  const t = useText()
  const [name, setName] = useState('')
  const isWrong = name !== '' && !isKey(name)
  return (
    <ServiceEditor
      scope={scope}
      name={isKey(name) ? name : null}
      service={null}
      mayWrite={mayWrite}
      naming={
        <Field
          label={t('localServices.new.name')}
          help={t('localServices.new.name.help')}
          error={isWrong && t('localServices.new.name.invalid')}
          need="required"
          className="max-w-md"
        >
          {(wiring) => (
            <TextInput
              {...wiring}
              code
              maxLength={128}
              value={name}
              onChange={(event) => setName(event.target.value.trim())}
            />
          )}
        </Field>
      }
    />
  )
}
