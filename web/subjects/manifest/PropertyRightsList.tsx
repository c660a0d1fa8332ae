import { NearList } from '../../ui/NearList.tsx'
import { PropertyRights, type Rights, type RightWords } from './PropertyRights.tsx'

export interface ModuleRights {
  locator: string
  rights: Rights
}

/** What a plugin may do on each Module: items of the list around it. */
export function PropertyRightsList({
  modules,
  words,
}: {
  modules: readonly ModuleRights[]
  words: RightWords
}) {
  return (
    <NearList
      items={modules}
      keyOf={({ locator }) => locator}
      full={({ locator, rights }) => <PropertyRights locator={locator} rights={rights} words={words} />}
      brief={({ locator, rights }, ref) => (
        // all that it shows, as plain text for find-in-page
        <li ref={ref} className="mono min-h-24 px-4 py-3 wrap-anywhere max-sm:min-h-48">
          {[locator, ...namesOf(rights)].join(' ')}
        </li>
      )}
    />
  )
}

const namesOf = ({ readProperties, writeProperties, credentialProperties }: Rights): string[] => [
  ...readProperties,
  ...writeProperties,
  ...credentialProperties,
]
