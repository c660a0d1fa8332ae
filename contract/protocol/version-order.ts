/**
 * The order of bundle versions: semantic versions by their numbers and pre-release (https://semver.org, precedence),
 * with any number of numbers and an optional `v`. Other versions are opaque: they precede every semantic one, and only
 * the time of publishing orders them. The database has the same order: the function `runtime.version_precedence`.
 */

const SEMANTIC = /^v?([0-9]+(?:\.[0-9]+)*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/
const OPAQUE = '0'

/**
 * A text whose order, byte for byte, is that of the versions. All opaque versions have the same one.
 *
 * A number is its length in three digits, then its digits. The numbers, without zeros at the end, precede `2`, or `1` and the
 * identifiers of a pre-release.
 */
export function versionPrecedence(version: string): string {
  const [, numbers, preRelease] = SEMANTIC.exec(version) ?? []
  if (numbers === undefined) return OPAQUE
  const significant = `.${numbers}`.replace(/(?:\.0+)+$/, '').slice(1)
  const release =
    significant === ''
      ? ''
      : significant
          .split('.')
          .map((digits) => `3${ordered(digits)}`)
          .join('')
  if (preRelease === undefined) return `${release}2`
  const identifiers = preRelease
    .split('.')
    .map((part) => (/^[0-9]+$/.test(part) ? `1${ordered(part)}` : `2${part}!`))
  return `${release}1${identifiers.join('')}`
}

function ordered(digits: string): string {
  const significant = digits.replace(/^0+/, '')
  return `${String(significant.length).padStart(3, '0')}${significant}`
}

/** Negative if `a` is older than `b`, positive if it is newer, 0 if the versions alone do not tell. */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [versionPrecedence(a), versionPrecedence(b)]
  return one === other ? 0 : one < other ? -1 : 1
}

/** Whether a version is among those that a pin names: `1.4.2` only itself, `1.4.x` every version that begins with `1.4.`. */
export const isPinnedTo = (versions: string, version: string): boolean =>
  versions.endsWith('.x') ? version.startsWith(versions.slice(0, -1)) : version === versions

/** Whether a change to `to` returns to an older version. */
export const isDowngrade = (from: string | null, to: string | null): boolean =>
  from !== null && to !== null && compareVersions(to, from) < 0

/** Whether it is a semantic version without a pre-release. */
const isRelease = (version: string): boolean => /^v?[0-9]+(?:\.[0-9]+)*$/.test(version)

/** Whether a published version is recalled, so that it must not be offered. */
export const isRecalled = ({ standing }: { standing?: { kind: string } | undefined }): boolean =>
  standing?.kind === 'RECALLED'

/** The newest published version that is not recalled: the highest release, or the highest version if there is no release. */
export function newestVersion<
  Published extends { version: string; publishedAt: string; standing?: { kind: string } | undefined },
>(all: readonly Published[]): Published | undefined {
  const published = all.filter((one) => !isRecalled(one))
  const releases = published.filter(({ version }) => isRelease(version))
  return (releases.length > 0 ? releases : published).reduce<Published | undefined>(
    (newest, one) => (newest === undefined || comparePublished(newest, one) < 0 ? one : newest),
    undefined,
  )
}

function comparePublished(
  a: { version: string; publishedAt: string },
  b: { version: string; publishedAt: string },
): number {
  return compareVersions(a.version, b.version) || (a.publishedAt < b.publishedAt ? -1 : 1)
}
