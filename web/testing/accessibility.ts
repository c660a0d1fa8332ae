import { cdp } from 'vitest/browser'

/**
 * The names of everything of a role that assistive technology is told of, in the order of the document. Unlike a locator
 * it knows what a modal dialog makes inert.
 */
export async function accessibleNames(role: string): Promise<string[]> {
  const session = cdp()
  const { frameTree } = await session.send('Page.getFrameTree')
  const frame = frameTree.childFrames?.find(({ frame: { url } }) => url === location.href)?.frame
  if (frame === undefined) throw new Error('The test does not run in a frame of its own')
  const { nodes } = await session.send('Accessibility.getFullAXTree', { frameId: frame.id })
  return nodes
    .filter((node) => !node.ignored && node.role?.value === role)
    .map((node) => String(node.name?.value ?? ''))
}
