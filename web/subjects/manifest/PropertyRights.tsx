import { Segments } from '../../ui/Id.tsx'
import { NearList } from '../../ui/NearList.tsx'

type Rights = {
  readProperties: readonly string[]
  writeProperties: readonly string[]
  credentialProperties: readonly string[]
}

type RightWords = { reads: string; writes: string; resolves: string; nothing: string }

/** What a plugin may read, write and resolve on one Module. */
function PropertyRights({ locator, rights, words }: { locator: string; rights: Rights; words: RightWords }) {
  const { readProperties, writeProperties, credentialProperties } = rights
  return (
    <li className="px-4 py-3">
      <Segments parts={locator.split('/')} />
      <dl className="mt-2 grid gap-x-6 gap-y-2 sm:grid-cols-3">
        <Names label={words.reads} nothing={words.nothing} names={readProperties} />
        <Names label={words.writes} nothing={words.nothing} names={writeProperties} />
        <Names label={words.resolves} nothing={words.nothing} names={credentialProperties} />
      </dl>
    </li>
  )
}

function Names({ label, nothing, names }: { label: string; nothing: string; names: readonly string[] }) {
  return (
    <div className="min-w-0">
      <dt className="mb-1 text-xs text-faint">{label}</dt>
      <dd className="flex flex-wrap gap-1">
        {names.length === 0 && <span className="text-faint">{nothing}</span>}
        {names.map((name) => (
          <span key={name} className="mono rounded-sm bg-sunken px-1.5 py-0.5 wrap-anywhere">
            {name}
          </span>
        ))}
      </dd>
    </div>
  )
}

interface ModuleRights {
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
