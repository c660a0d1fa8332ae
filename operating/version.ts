import { readFile } from 'node:fs/promises'

/** Which program it is: the version, and the commit that it was built from; null if that is not known. */
export interface Product {
  version: string
  build: string | null
}

/** This program. A release contains its commit in a file; a clone is asked for it. */
export async function thisProduct(root = new URL('../', import.meta.url)): Promise<Product> {
  const { version } = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as { version: string }
  const released = await readText(new URL('BUILD', root))
  return { version, build: released ?? (await commitOfClone(root)) }
}

/** As people read it: `version 0.1.0, build 1a2b3c4d5e6f`. */
export const describeProduct = ({
  version,
  build,
}: {
  version: string
  build?: string | null | undefined
}): string => `version ${version}${build == null ? '' : `, build ${build.slice(0, 12)}`}`

/** Without Git, which a server may not have: the files in which Git keeps what is checked out. */
async function commitOfClone(root: URL): Promise<string | null> {
  const place = await readText(new URL('.git', root))
  // a worktree has a file that names its directory; the branches are in that of the clone
  const directory =
    place === null ? new URL('.git/', root) : new URL(`${place.replace(/^gitdir: /, '')}/`, root)
  const head = await readText(new URL('HEAD', directory))
  const branch = head === null ? undefined : /^ref: (.+)$/.exec(head)?.[1]
  if (branch === undefined) return commitIn(head)
  const common = new URL(`${(await readText(new URL('commondir', directory))) ?? '.'}/`, directory)
  const packed = (await readText(new URL('packed-refs', common))) ?? ''
  const line = packed.split('\n').find((one) => one.endsWith(` ${branch}`))
  return commitIn((await readText(new URL(branch, common))) ?? line?.split(' ')[0] ?? null)
}

const commitIn = (text: string | null): string | null =>
  text !== null && /^[0-9a-f]{40,64}$/.test(text) ? text : null

const readText = (file: URL): Promise<string | null> =>
  readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => null,
  )
