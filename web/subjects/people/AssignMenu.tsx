import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Person } from '#contract/console-api/shapes.ts'
import { isProgram } from '#contract/console-api/vocabulary.ts'
import { apiQuery } from '../../api/query.ts'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { Menu, MenuItem } from '../../ui/Menu.tsx'
import { useKnownPeople } from './use-known-people.ts'

/** Chooses a person to assign something to: one of these, or one who did something lately. */
export function AssignMenu({
  people,
  except,
  size,
  onChoose,
}: {
  people: readonly Person[]
  /** The ID of a person who is not offered. */
  except: string | undefined
  size?: 'sm' | 'md'
  onChoose: (personId: string) => void
}) {
  const t = useText()
  const [wanted, setWanted] = useState(false)
  const recent = useQuery({
    ...apiQuery('GET /audit', { query: { limit: 200 } }),
    enabled: wanted,
    refetchInterval: false,
  })
  const known = useKnownPeople([
    ...people,
    ...(recent.data?.items.map(({ actor: { id, name } }) => ({ id, name })) ?? []),
  ])
  return (
    <span onPointerEnter={() => setWanted(true)} onFocus={() => setWanted(true)}>
      <Menu
        label={t('operations.assignee.to')}
        renderTrigger={(props) => (
          <Button {...props} {...(size && { size })} icon="person">
            {t('operations.assignee.to')}
          </Button>
        )}
      >
        {known
          .filter(({ id }) => id !== except && !isProgram(id))
          .map(({ id, name }) => (
            <MenuItem key={id} onSelect={() => onChoose(id)}>
              {name}
            </MenuItem>
          ))}
      </Menu>
    </span>
  )
}
